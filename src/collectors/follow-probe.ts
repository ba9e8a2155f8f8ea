// Following the chain where no operation tells its tip: ask for the next height until there is none. At first sight the
// tip is found by galloping and bisecting; that can take more requests than one poll has, so the search itself is kept.
import { ApiError, isShortage } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { block, blockByHeight, status, toBlock } from "./block-source.ts";
import { type Block, type Chain, compare, NOTHING, restart, tipOf } from "./chain.ts";
import { type FollowOptions, isAbandoned, joined } from "./follow-list.ts";

/** Where the tip is searched: `low` exists (0: nothing does yet), `high` does not. */
export interface Search {
  readonly low: number;
  readonly high: number | undefined;
  readonly step: number;
}

/** What is known between polls. */
export interface Probed {
  readonly chain: Chain | undefined;
  readonly search: Search | undefined;
}

const FIRST_STEP = 4096;
const GALLOP = 16;
const STEPS_PER_POLL = 12;
// When no block has followed for this long, one height may be missing: look once behind it.
const STALLED_SECONDS = 600;

async function readBlock(api: StacksApi, height: number): Promise<Block | undefined> {
  if (!api.isRetired(blockByHeight)) {
    try {
      const answer = await api.find(blockByHeight, { path: { height } });
      return answer?.body.canonical ? toBlock(answer.body, api, blockByHeight) : undefined;
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "gone") throw error;
    }
  }
  const answer = await api.find(block, { path: { id: height } });
  return answer?.body.canonical ? toBlock(answer.body, api, block) : undefined;
}

async function searchTip(
  api: StacksApi,
  from: Search,
): Promise<{ readonly search: Search; readonly tip: Block | undefined }> {
  let { low, high, step } = from;
  let tip: Block | undefined;
  for (let steps = 0; steps < STEPS_PER_POLL && high !== low + 1; steps += 1) {
    const middle = high === undefined ? low + step : Math.floor((low + high) / 2);
    let found: Block | undefined;
    try {
      found = await readBlock(api, middle);
    } catch (error) {
      if (steps === 0 || !isShortage(error)) throw error;
      return { search: { low, high, step }, tip: undefined };
    }
    if (found === undefined) high = middle;
    else {
      low = middle;
      tip = found;
      step *= GALLOP;
    }
  }
  if (high !== low + 1) return { search: { low, high, step }, tip: undefined };
  return { search: { low, high, step }, tip: low === 0 ? undefined : (tip ?? (await readBlock(api, low))) };
}

async function offeredTip(api: StacksApi): Promise<number | undefined> {
  try {
    return (await api.find(status, { path: {} }))?.body.chain_tip?.block_height;
  } catch (error) {
    if (error instanceof ApiError && (error.reason === "gone" || error.reason === "not_found")) return undefined;
    throw error;
  }
}

/**
 * Older blocks until the read ones meet the known chain, or until there is no request left: asking the same again at the
 * next poll would end at the same place, so what was read is then all there will be.
 */
async function walkBack(api: StacksApi, chain: Chain, from: Block): Promise<Block[]> {
  const read = [from];
  const lowest = chain.recent[0]?.height ?? from.height;
  for (let height = from.height - 1; height >= lowest; height -= 1) {
    let older: Block | undefined;
    try {
      older = await readBlock(api, height);
    } catch (error) {
      if (read.length === 1 || !isShortage(error)) throw error;
      break;
    }
    if (older === undefined || older.hash !== read[0]?.parentHash) {
      throw new ApiError("bad_body", blockByHeight.name, `block ${height + 1} does not follow block ${height}`);
    }
    read.unshift(older);
    if (compare(chain, read).kind === "joins") break;
  }
  return read;
}

async function followSteps(api: StacksApi, from: Chain, options: FollowOptions): Promise<Probed> {
  let chain = from;
  for (let read = 0; read < options.catchUp; read += 1) {
    const { height, time } = tipOf(chain);
    try {
      const next = await readBlock(api, height + 1);
      if (next === undefined) {
        const isStalled = time !== undefined && options.now / 1000 - time > STALLED_SECONDS;
        const behind = isStalled && read === 0 ? await readBlock(api, height + 2) : undefined;
        if (behind === undefined) return { chain, search: undefined };
        const beyond = restart(chain, [behind], options.now / 1000);
        const { skipped, missing } = chain.totals;
        chain = { ...beyond, totals: { ...beyond.totals, skipped, missing: missing + 1 } };
        continue;
      }
      const isJoined = compare(chain, [next]).kind === "joins";
      // Asked before the way back, for which the requests may not suffice.
      if (!isJoined && !(await isAbandoned(api, tipOf(chain)))) return { chain, search: undefined };
      chain = joined(chain, isJoined ? [next] : await walkBack(api, chain, next), options.now);
    } catch (error) {
      if (read === 0 || !isShortage(error)) throw error;
      return { chain, search: undefined };
    }
  }
  // Too far behind to read everything: find the tip anew, and go on from there.
  return { chain, search: { low: tipOf(chain).height, high: undefined, step: options.catchUp } };
}

/** The chain as it is after asking by height; `mayAskStatus` allows the cheaper way to find the tip. */
export async function followProbe(
  api: StacksApi,
  previous: Probed,
  mayAskStatus: boolean,
  options: FollowOptions,
): Promise<Probed> {
  const { chain } = previous;
  if (chain !== undefined && previous.search === undefined) return followSteps(api, chain, options);

  let search = previous.search ?? { low: 0, high: undefined, step: FIRST_STEP };
  if (mayAskStatus) {
    const height = await offeredTip(api);
    if (height !== undefined && height > search.low) search = { low: height - 1, high: height + 1, step: FIRST_STEP };
  }
  const found = await searchTip(api, search);
  if (found.tip === undefined) {
    const isEmpty = found.search.high === 1;
    return { chain, search: isEmpty ? undefined : found.search };
  }
  if (chain === undefined)
    return followSteps(api, { recent: [found.tip], totals: NOTHING, lastReorg: undefined }, options);
  const isFar = found.tip.height - tipOf(chain).height > options.catchUp;
  return followSteps(api, isFar ? restart(chain, [found.tip], options.now / 1000) : chain, options);
}
