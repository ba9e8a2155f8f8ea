// The two sources of blocks: the list of the newest ones, and blocks by height, one request each, where no list is.
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { type Block, blockByHeight, blockList, readBlock, readBlocks, status } from "./block-source.ts";
import { isLinked } from "./branch.ts";
import type { Source } from "./follow.ts";

// The server refuses greater ones. Those of older versions, which have no cursors, accept any.
const MAX_OFFSET = 300;

/** The error of a server that has no block, or not the known ones. */
const without = (operation: string, knownTip: number | undefined): ApiError =>
  knownTip === undefined
    ? new ApiError("empty", operation, "the server has no block yet")
    : new ApiError("behind", operation, `the server has no block; the known tip is ${knownTip}`);

/** The list of blocks: one request per poll, and one for each 29 older blocks. */
export function listSource(api: StacksApi, knownTip: number | undefined): Source {
  const operation = blockList.name;
  const linked = (blocks: readonly Block[]) => {
    if (isLinked(blocks)) return blocks;
    throw new ApiError("bad_body", operation, "consecutive blocks of the list are not linked");
  };
  return {
    operation,
    async newest() {
      const blocks = (await readBlocks(api)) ?? [];
      if (blocks.length === 0) throw without(operation, knownTip);
      return linked(blocks);
    },
    async below(run) {
      const [oldest, tip] = [run[0] as Block, run.at(-1) as Block];
      if (oldest.height <= 1) return [];
      const { indexHash: cursor } = oldest;
      const atCursor = () => readBlocks(api, cursor === undefined ? undefined : { cursor });
      // A backend that is behind does not have the block. The next request can reach another one.
      const page = (await atCursor()) ?? (await atCursor());
      if (page === undefined)
        throw new ApiError("behind", operation, `the server has no block ${oldest.hash} any more`);
      let older = page;
      if (page.at(-1)?.hash !== oldest.hash) {
        const offset = (page.at(-1)?.height ?? tip.height) - oldest.height + 1;
        if (offset > MAX_OFFSET) return [];
        older = (await readBlocks(api, { offset })) ?? [];
      }
      older = older.filter(({ height }) => height < oldest.height);
      return older.length === 0 ? [] : linked([...older, oldest]).slice(0, -1);
    },
  };
}

/** Blocks by height, from the tip that the server reports: two requests per poll, and one for each older block. */
export function heightSource(api: StacksApi, knownTip: number | undefined): Source {
  const operation = blockByHeight.name;
  return {
    operation,
    async newest() {
      const tip = (await api.find(status, { path: {} }))?.body.chain_tip?.block_height;
      const block = tip === undefined ? undefined : await readBlock(api, tip);
      if (block === undefined) throw without(operation, knownTip);
      return [block];
    },
    async below([oldest]) {
      if (oldest === undefined || oldest.height <= 1) return [];
      const older = await readBlock(api, oldest.height - 1);
      if (older === undefined || older.hash === oldest.parentHash) return older === undefined ? [] : [older];
      const message = `block ${oldest.height} does not follow block ${older.height}`;
      throw new ApiError("bad_body", operation, message);
    },
  };
}
