// Following the chain by its list of newest blocks: one request a poll, and more only to close a gap.
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { block, blockByHash, blockList, PAGE, toBlock } from "./block-source.ts";
import { type Block, type Chain, compare, extend, isLinked, NOTHING, restart } from "./chain.ts";

/** Limits of one poll. */
export interface FollowOptions {
  /** Most blocks that are read to catch up, or to find the beginning of the tenure at first sight. */
  readonly catchUp: number;
  /** Unix time, milliseconds. */
  readonly now: number;
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
  try {
    const answer = await api.find(blockByHash, { path: { hash: given.hash } });
    return answer === undefined || !answer.body.canonical;
  } catch (error) {
    if (!(error instanceof ApiError) || (error.reason !== "gone" && error.reason !== "not_found")) throw error;
  }
  const answer = await api.find(block, { path: { id: given.hash } });
  return answer === undefined || !answer.body.canonical;
}

/**
 * The chain after newly read blocks (ascending, linked), which need not join it: then what lies between was skipped, or
 * a reorganisation went deeper than was read back. As it was, when the server does not confirm a reorganisation.
 */
export async function follow(api: StacksApi, chain: Chain, read: readonly Block[], now: number): Promise<Chain> {
  const compared = compare(chain, read);
  const lowest = read[0]?.height ?? 0;
  const abandoned =
    compared.kind === "joins" ? compared.abandoned : chain.recent.filter(({ height }) => height >= lowest);
  if (abandoned[0] !== undefined && !(await isAbandoned(api, abandoned[0]))) return chain;
  return joined(chain, read, now);
}

/** As `follow`, for what the server is known to stand by. */
export function joined(chain: Chain, read: readonly Block[], now: number): Chain {
  const compared = compare(chain, read);
  return compared.kind === "joins"
    ? extend(chain, compared.abandoned, compared.fresh, now / 1000)
    : restart(chain, read, now / 1000);
}

/** The chain as it is after what the newest pages say; undefined while the server has no block at all. */
export async function followList(
  api: StacksApi,
  chain: Chain | undefined,
  options: FollowOptions,
): Promise<Chain | undefined> {
  const byHeight = new Map<number, Block>();
  for (let offset = 0; ; offset += PAGE) {
    const page = await readPage(api, offset);
    // A server that repeats itself, or has no more, ends the reading.
    const isMore = page.some(({ height }) => !byHeight.has(height));
    for (const item of page) byHeight.set(item.height, item);
    const read = [...byHeight.values()].sort((a, b) => a.height - b.height);
    const oldest = read[0];
    const newest = read[read.length - 1];
    if (oldest === undefined || newest === undefined) {
      if (chain === undefined) return undefined;
      // A database that was emptied: what was known before must not look as if it had been seen again.
      throw new ApiError("bad_body", blockList.name, "the list is empty, although blocks were listed before");
    }
    if (!isLinked(read))
      throw new ApiError("bad_body", blockList.name, "the blocks of the list do not follow one another");

    const isLast = !isMore || oldest.height <= 1 || read.length >= options.catchUp;
    if (chain === undefined) {
      // Read back to the beginning of the tenure, so that its costs are known from the first page on.
      if (isLast || oldest.burnHeight < newest.burnHeight)
        return { recent: read, totals: NOTHING, lastReorg: undefined };
      continue;
    }
    if (isLast || compare(chain, read).kind === "joins") return follow(api, chain, read, options.now);
  }
}
