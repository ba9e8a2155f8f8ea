// Blocks from the list of the newest ones: one request per poll, and one for each 29 older blocks.
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { type Block, blockList, readBlocks } from "./block-source.ts";
import { isLinked } from "./branch.ts";
import type { Source } from "./follow.ts";

// The server refuses greater ones. Those of older versions, which have no cursors, accept any.
const MAX_OFFSET = 300;

/** The list of blocks. `behind` is the error of a server that has none. */
export function listSource(api: StacksApi, knownTip: number | undefined): Source {
  const operation = blockList.name;
  const linked = (blocks: readonly Block[]) => {
    if (isLinked(blocks)) return blocks;
    throw new ApiError("bad_body", operation, "consecutive blocks of the list are not linked");
  };
  return {
    operation,
    hasPages: true,
    async newest() {
      const blocks = (await readBlocks(api)) ?? [];
      if (blocks.length > 0) return linked(blocks);
      if (knownTip === undefined) throw new ApiError("empty", operation, "the server has no block yet");
      throw new ApiError("behind", operation, `the server has no block; the known tip is ${knownTip}`);
    },
    async below(run) {
      const [oldest, tip] = [run[0] as Block, run.at(-1) as Block];
      if (oldest.height <= 1) return [];
      const atCursor = async () => {
        const { indexHash: cursor } = oldest;
        return cursor === undefined ? readBlocks(api) : readBlocks(api, { cursor });
      };
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
