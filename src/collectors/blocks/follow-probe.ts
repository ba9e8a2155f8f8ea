// Follows the chain by height, where no operation returns the tip: requests the next height until there is no block.
// The first poll searches the tip. A search that needs more requests than one poll has continues in the next poll.
import { ApiError, isShortage } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import { isNotOffered } from "../../api/replacement.ts";
import { blockByHeight, isOrphaned, readBlock, status } from "../chain/block-source.ts";
import { type Block, type Chain, compare, extend, firstChain, tipOf } from "../chain/chain.ts";
import { checkRate, checkTip, type FollowOptions } from "./tip.ts";

/** The range in which the tip is searched: `low` has a block (or is 0), `high` has none. */
interface Search {
  readonly low: number;
  readonly high: number | undefined;
  readonly step: number;
}

/** The state between polls. */
export interface Probed {
  readonly chain: Chain | undefined;
  readonly search: Search | undefined;
}

const FIRST_STEP = 4096;
const STEP_FACTOR = 16;
const STEPS_PER_POLL = 12;
// After this time without a new block, one height may be missing: look once beyond it.
const STALLED_SECONDS = 600;

/** Follows the chain from the known tip, or searches the tip. `mayUseStatus` allows the operation `status` for that. */
export async function followProbe(
  api: StacksApi,
  { chain, search: previous }: Probed,
  mayUseStatus: boolean,
  options: FollowOptions,
): Promise<Probed> {
  if (chain !== undefined && previous === undefined) return readNewBlocks(api, chain, options);

  let search = previous ?? { low: 0, high: undefined, step: FIRST_STEP };
  const height = mayUseStatus ? await tipHeight(api) : undefined;
  if (height !== undefined && height > search.low) search = { low: height - 1, high: height + 1, step: FIRST_STEP };
  const isFirst = search.low === 0 && search.high === undefined;
  if (isFirst && (await readBlock(api, 1)) === undefined) {
    throw new ApiError("empty", blockByHeight.name, "the server has no block yet");
  }
  const found = await searchTip(api, search);
  if (found.tip === undefined) return { chain, search: found.search };
  if (chain === undefined) return readNewBlocks(api, firstChain([found.tip], options.now), options);
  if (found.tip.height - tipOf(chain).height <= options.catchUp) return readNewBlocks(api, chain, options);
  checkRate(chain, found.tip, blockByHeight.name, options);
  if ((await readBlock(api, found.tip.height - 1))?.hash !== found.tip.parentHash) {
    const message = `the tip ${found.tip.height} is not confirmed by the block below it`;
    throw new ApiError("bad_body", blockByHeight.name, message);
  }
  await options.checkIdentity();
  return readNewBlocks(api, extend(chain, [found.tip], options.now), options);
}

async function tipHeight(api: StacksApi): Promise<number | undefined> {
  try {
    return (await api.find(status, { path: {} }))?.body.chain_tip?.block_height;
  } catch (error) {
    if (isNotOffered(error, status)) return undefined;
    throw error;
  }
}

/** Searches the tip with growing steps, then by bisection. */
async function searchTip(
  api: StacksApi,
  from: Search,
): Promise<{ readonly search: Search; readonly tip: Block | undefined }> {
  let { low, high, step } = from;
  let tip: Block | undefined;
  for (let steps = 0; steps < STEPS_PER_POLL && high !== low + 1; steps += 1) {
    const height = high === undefined ? low + step : Math.floor((low + high) / 2);
    let found: Block | undefined;
    try {
      found = await readBlock(api, height);
    } catch (error) {
      if (steps === 0 || !isShortage(error)) throw error;
      return { search: { low, high, step }, tip: undefined };
    }
    if (found === undefined) high = height;
    else {
      low = height;
      tip = found;
      step *= STEP_FACTOR;
    }
  }
  const search = { low, high, step };
  if (high !== low + 1 || low === 0) return { search, tip: undefined };
  return { search, tip: tip ?? (await readBlock(api, low)) };
}

/** Reads blocks above the tip until there is none, or no request is left. */
async function readNewBlocks(api: StacksApi, from: Chain, options: FollowOptions): Promise<Probed> {
  let chain = from;
  for (let steps = 0; steps < options.catchUp; steps += 1) {
    try {
      const step = await readNext(api, chain, steps === 0, options);
      chain = step.chain;
      if (step.isLast) return { chain, search: undefined };
    } catch (error) {
      if (steps === 0 || !isShortage(error)) throw error;
      return { chain, search: undefined };
    }
  }
  // Too far behind to read every block: search the tip from here.
  return { chain, search: { low: tipOf(chain).height, high: undefined, step: options.catchUp } };
}

/** Reads the block above the tip. Only the first step of a poll checks the tip if there is none. */
async function readNext(
  api: StacksApi,
  chain: Chain,
  isFirst: boolean,
  options: FollowOptions,
): Promise<{ readonly chain: Chain; readonly isLast: boolean }> {
  const tip = tipOf(chain);
  const next = await readBlock(api, tip.height + 1);
  if (next !== undefined) {
    if (compare(chain, [next]).isConnected) return { chain: extend(chain, [next], options.now), isLast: false };
    // Checked first: reading back can use up the requests.
    if (!(await isOrphaned(api, tip))) return { chain, isLast: true };
    return { chain: extend(chain, await readBack(api, chain, next), options.now), isLast: false };
  }
  if (!isFirst) return { chain, isLast: true };
  const current = await readBlock(api, tip.height);
  if (current?.hash !== tip.hash) return { chain: await replaceTip(api, chain, current, options), isLast: true };
  const isStalled = tip.time !== undefined && options.now / 1000 - tip.time > STALLED_SECONDS;
  const after = isStalled ? await skipMissing(api, chain, options) : chain;
  return { chain: after, isLast: after === chain };
}

/** The chain if the server has another block at the height of the tip, or none. */
async function replaceTip(
  api: StacksApi,
  chain: Chain,
  current: Block | undefined,
  options: FollowOptions,
): Promise<Chain> {
  const tip = tipOf(chain);
  if (current === undefined) {
    await options.checkIdentity();
    throw new ApiError("behind", blockByHeight.name, `the server does not have the known tip ${tip.height}`);
  }
  await checkTip(chain, current, blockByHeight.name, options);
  if (!(await isOrphaned(api, tip))) return chain;
  return extend(chain, await readBack(api, chain, current), options.now);
}

/**
 * Reads older blocks until they are connected to the known chain, or until no request is left. The next poll could not
 * read further back, so the blocks are used as they are.
 */
async function readBack(api: StacksApi, chain: Chain, from: Block): Promise<Block[]> {
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
    if (compare(chain, read).isConnected) break;
  }
  return read;
}

/** The chain beyond a height for which the server has no block, if it has the next one. */
async function skipMissing(api: StacksApi, chain: Chain, { now }: FollowOptions): Promise<Chain> {
  const { height } = tipOf(chain);
  const beyond = await readBlock(api, height + 2);
  // Both blocks can be new since the first request.
  if (beyond === undefined || (await readBlock(api, height + 1)) !== undefined) return chain;
  const after = extend(chain, [beyond], now);
  const { skipped, missing } = chain.totals;
  return { ...after, totals: { ...after.totals, skipped, missing: missing + 1 } };
}
