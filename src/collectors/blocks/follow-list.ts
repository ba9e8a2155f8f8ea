// Following the chain by its list of newest blocks: one request a poll, and more only to close a gap.
import { ApiError } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import { orReplacement } from "../../api/replacement.ts";
import { block, blockByHash, blockByHeight, blockList, PAGE, readBlock, toBlock } from "../chain/block-source.ts";
import { type Block, type Chain, compare, extend, firstChain, isLinked, restart, tipOf } from "../chain/chain.ts";
import { checkNotBehind, checkPace, confirmTip, isPlausible, type TipLimits } from "../chain/tip.ts";

/** Limits of one poll. */
export interface FollowOptions extends TipLimits {
  /** Most blocks that are read to catch up, or to find the beginning of the tenure at first sight. */
  readonly catchUp: number;
  /** Checks that the server follows the right chain. Throws when it does not. */
  readonly checkIdentity: () => Promise<void>;
}

async function readPage(api: StacksApi, offset: number): Promise<Block[]> {
  const { body } = await api.get(blockList, {
    path: {},
    query: offset === 0 ? { limit: PAGE } : { limit: PAGE, offset },
  });
  return body.results.filter(({ canonical }) => canonical).map((item) => toBlock(item, api, blockList));
}

/**
 * Whether the server says of a block that it is canonical no more. Servers behind one address can disagree for a moment;
 * a reorganisation is only believed when the block that was given up is disowned.
 */
export async function isAbandoned(api: StacksApi, given: Block): Promise<boolean> {
  const answer = await orReplacement<{ readonly body: { readonly canonical: boolean } } | undefined>(
    api,
    blockByHash,
    () => api.find(blockByHash, { path: { hash: given.hash } }),
    () => api.find(block, { path: { id: given.hash } }),
  );
  return answer === undefined || !answer.body.canonical;
}

// So many replaced blocks are no ordinary reorganisation any more, and can mean that the server follows another chain.
const DEEP = 20;

/**
 * The chain after newly read blocks (ascending, linked). They need not join it: then what lies between was skipped, or a
 * reorganisation went deeper than was read back. The chain stays as it was when the server does not confirm a
 * reorganisation.
 */
export async function follow(
  api: StacksApi,
  chain: Chain,
  read: readonly Block[],
  options: FollowOptions,
): Promise<Chain> {
  const compared = compare(chain, read);
  const lowest = read[0]?.height ?? 0;
  const abandoned =
    compared.kind === "joins" ? compared.abandoned : chain.recent.filter(({ height }) => height >= lowest);
  if (compared.kind === "apart" || abandoned.length > DEEP) await options.checkIdentity();
  if (compared.kind === "apart") {
    checkPace(chain, read[read.length - 1] as Block, options, blockList.name);
    await confirm(api, chain, read);
  }
  if (abandoned[0] !== undefined && !(await isAbandoned(api, abandoned[0]))) return chain;
  return joined(chain, read, options.now);
}

/** As `follow`, for what the server is known to stand by. */
export function joined(chain: Chain, read: readonly Block[], now: number): Chain {
  const compared = compare(chain, read);
  return compared.kind === "joins" ? extend(chain, compared.abandoned, compared.fresh, now) : restart(chain, read, now);
}

/**
 * The chain as it is after what the newest pages say.
 * @throws ApiError `empty` when the server has no block, `behind` when its chain ends below the one that is known.
 */
export async function followList(api: StacksApi, chain: Chain | undefined, options: FollowOptions): Promise<Chain> {
  let read: readonly Block[] = [];
  let retries = 0;
  for (let offset = 0; ; ) {
    const page = await readPage(api, offset);
    const together = merged(read, page);
    if (!isLinked(together)) {
      retries += 1;
      // A backend that is behind shows older blocks at the same offset: another one may answer the next time.
      if (offset > 0 && retries <= MOST_RETRIES) continue;
      throw new ApiError("bad_body", blockList.name, "the blocks of the list do not follow one another");
    }
    // A server that repeats itself, or has no more, ends the reading.
    const isMore = together.length > read.length;
    read = together;
    const oldest = read[0];
    const newest = read[read.length - 1];
    if (oldest === undefined || newest === undefined) throw noBlock(chain);
    if (offset === 0) await checkTip(api, chain, read, options);
    offset += PAGE;

    const isLast = !isMore || oldest.height <= 1 || read.length >= options.catchUp;
    if (chain === undefined) {
      // Read back to the beginning of the tenure, so that its costs are known from the first page on.
      if (isLast || oldest.burnHeight < newest.burnHeight) return firstChain(read, options.now);
      continue;
    }
    if (isLast || compare(chain, read).kind === "joins") return follow(api, chain, read, options);
  }
}

const MOST_RETRIES = 2;

/** Blocks of several pages, ascending. */
function merged(read: readonly Block[], page: readonly Block[]): readonly Block[] {
  const byHeight = new Map([...read, ...page].map((block) => [block.height, block]));
  return [...byHeight.values()].sort((a, b) => a.height - b.height);
}

async function checkTip(
  api: StacksApi,
  chain: Chain | undefined,
  page: readonly Block[],
  options: FollowOptions,
): Promise<void> {
  const tip = page[page.length - 1] as Block;
  if (chain !== undefined) await checkNotBehind(chain, tip, blockList.name, options.checkIdentity);
  if (chain === undefined || !isPlausible(chain, tip, options)) await confirm(api, chain, page);
}

async function confirm(api: StacksApi, chain: Chain | undefined, read: readonly Block[]): Promise<void> {
  const tip = read[read.length - 1] as Block;
  await confirmTip(tip, chain, blockList.name, () => readBlock(api, tip.height, [block, blockByHeight]));
}

function noBlock(chain: Chain | undefined): ApiError {
  if (chain === undefined) return new ApiError("empty", blockList.name, "the server has no block yet");
  const known = `${tipOf(chain).height} is the known tip`;
  return new ApiError("behind", blockList.name, `the server has no block, and ${known}`);
}
