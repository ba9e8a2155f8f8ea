// Follows the chain by the list of the newest blocks: one request per poll, and more to close a gap.
import { ApiError } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import { blockList, isOrphaned, PAGE, readBlocks } from "../chain/block-source.ts";
import { type Block, type Chain, compare, extend, firstChain, isLinked, tipOf } from "../chain/chain.ts";
import { checkRate, checkTip, confirmTip, type FollowOptions, isPlausible } from "./tip.ts";

const MAX_RETRIES = 2;
// A reorganisation of more blocks can mean that the server follows another chain.
const DEEP_REORG = 20;

/**
 * Reads the list until its blocks are connected to the known chain.
 * @throws ApiError `empty` if the server has no block, `behind` if its tip is below the known one.
 */
export async function followList(api: StacksApi, chain: Chain | undefined, options: FollowOptions): Promise<Chain> {
  let read: readonly Block[] = [];
  let retries = 0;
  for (let offset = 0; ; ) {
    const merged = merge(read, await readBlocks(api, offset));
    if (!isLinked(merged)) {
      retries += 1;
      // A backend that is behind returns older blocks at the same offset. The next request can reach another backend.
      if (offset > 0 && retries <= MAX_RETRIES) continue;
      throw new ApiError("bad_body", blockList.name, "consecutive blocks of the list are not linked");
    }
    // No more blocks: the list ends here, or the server repeats a page.
    const isEnd = merged.length === read.length;
    read = merged;
    const [oldest, newest] = [read[0], read.at(-1)];
    if (oldest === undefined || newest === undefined) throw noBlock(chain);
    if (offset === 0) {
      if (chain !== undefined) await checkTip(chain, newest, blockList.name, options);
      if (chain === undefined || !isPlausible(chain, newest, options)) await confirmTip(api, newest, chain);
    }
    offset += PAGE;

    const isLast = isEnd || oldest.height <= 1 || read.length >= options.catchUp;
    if (chain === undefined) {
      // Read the whole tenure, so that its cost is known.
      if (isLast || oldest.burnHeight < newest.burnHeight) return firstChain(read, options.now);
    } else if (isLast || compare(chain, read).isConnected) return extendChecked(api, chain, read, newest, options);
  }
}

/** The chain after new blocks. It stays the same if the server does not confirm a reorganisation. */
async function extendChecked(
  api: StacksApi,
  chain: Chain,
  read: readonly Block[],
  tip: Block,
  options: FollowOptions,
): Promise<Chain> {
  const { isConnected, orphaned } = compare(chain, read);
  if (!isConnected || orphaned.length > DEEP_REORG) await options.checkIdentity();
  if (!isConnected) {
    checkRate(chain, tip, blockList.name, options);
    await confirmTip(api, tip, chain);
  }
  if (orphaned[0] !== undefined && !(await isOrphaned(api, orphaned[0]))) return chain;
  return extend(chain, read, options.now);
}

/** The blocks of several pages, ascending. */
function merge(read: readonly Block[], page: readonly Block[]): readonly Block[] {
  const byHeight = new Map([...read, ...page].map((block) => [block.height, block]));
  return [...byHeight.values()].sort((a, b) => a.height - b.height);
}

function noBlock(chain: Chain | undefined): ApiError {
  if (chain === undefined) return new ApiError("empty", blockList.name, "the server has no block yet");
  const message = `the server has no block; the known tip is ${tipOf(chain).height}`;
  return new ApiError("behind", blockList.name, message);
}
