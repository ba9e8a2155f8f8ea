// Following the chain where no operation tells its tip: ask for the next height until there is none. At first sight the
// tip is found by galloping and bisecting; that can take more requests than one poll has, so the search itself is kept.
import { ApiError, isShortage } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import { blockByHeight, readBlock, status } from "../chain/block-source.ts";
import { type Block, type Chain, compare, firstChain, restart, tipOf } from "../chain/chain.ts";
import { checkNotBehind, checkPace } from "../chain/tip.ts";
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

/** The chain beyond a height that the server does not have, when the one after it is there. */
async function skipMissing(api: StacksApi, chain: Chain, { now }: FollowOptions): Promise<Chain> {
  const { height } = tipOf(chain);
  const beyond = await readBlock(api, height + 2);
  // Both blocks can have come since the height was requested first.
  if (beyond === undefined || (await readBlock(api, height + 1)) !== undefined) return chain;
  const after = restart(chain, [beyond], now);
  const { skipped, missing } = chain.totals;
  return { ...after, totals: { ...after.totals, skipped, missing: missing + 1 } };
}

/** The chain when the server has another block at the height of the tip, or none. */
async function replaced(
  api: StacksApi,
  chain: Chain,
  newest: Block | undefined,
  options: FollowOptions,
): Promise<Chain> {
  const tip = tipOf(chain);
  if (newest === undefined) {
    await options.checkIdentity();
    throw new ApiError("behind", blockByHeight.name, `the server does not have the known tip ${tip.height}`);
  }
  await checkNotBehind(chain, newest, blockByHeight.name, options.checkIdentity);
  if (!(await isAbandoned(api, tip))) return chain;
  return joined(chain, await walkBack(api, chain, newest), options.now);
}

async function followSteps(api: StacksApi, from: Chain, options: FollowOptions): Promise<Probed> {
  let chain = from;
  for (let read = 0; read < options.catchUp; read += 1) {
    const { height, time } = tipOf(chain);
    try {
      const next = await readBlock(api, height + 1);
      if (next === undefined) {
        const isStalled = time !== undefined && options.now / 1000 - time > STALLED_SECONDS;
        const newest = read === 0 ? await readBlock(api, height) : tipOf(chain);
        const isSame = newest !== undefined && newest.hash === tipOf(chain).hash;
        if (!isSame) return { chain: await replaced(api, chain, newest, options), search: undefined };
        const beyond = isStalled && read === 0 ? await skipMissing(api, chain, options) : chain;
        if (beyond === chain) return { chain, search: undefined };
        chain = beyond;
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
  const isFirst = search.low === 0 && search.high === undefined;
  if (isFirst && (await readBlock(api, 1)) === undefined) {
    throw new ApiError("empty", blockByHeight.name, "the server has no block yet");
  }
  const found = await searchTip(api, search);
  if (found.tip === undefined) return { chain, search: found.search };
  if (chain === undefined) return followSteps(api, firstChain([found.tip], options.now), options);
  if (found.tip.height - tipOf(chain).height <= options.catchUp) return followSteps(api, chain, options);
  checkPace(chain, found.tip, options, blockByHeight.name);
  await checkParent(api, found.tip);
  await options.checkIdentity();
  return followSteps(api, restart(chain, [found.tip], options.now), options);
}

async function checkParent(api: StacksApi, tip: Block): Promise<void> {
  const parent = await readBlock(api, tip.height - 1);
  if (parent?.hash === tip.parentHash) return;
  throw new ApiError("bad_body", blockByHeight.name, `the tip ${tip.height} is not confirmed by the block below it`);
}
