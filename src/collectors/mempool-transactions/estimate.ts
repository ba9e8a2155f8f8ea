// Estimates the fee with which a transaction of a type is mined within a target time. Pure.
//
// Blocks take the best paid transactions first, but not by the fee alone: miners divide it by the cost of the
// transaction, which no list has. So what got in and what was left waiting overlap. The estimate is the lowest fee of
// which most that pay as much or more were mined, and for ten minutes no less than the lowest that is mined now. This
// needs neither the capacity of blocks nor past waits.
import {
  ascending,
  currentVotes,
  FEE_TYPES,
  type FeeType,
  lowestFee,
  type MinedRow,
  percentileOf,
  votesOf,
} from "../transactions/window.ts";

/** Times within which a transaction is to be mined, seconds. */
export const TARGETS = { "10m": 600, "1h": 3600 } as const;
export type Target = keyof typeof TARGETS;

/** A waiting transaction, as far as its fee is concerned. */
export interface Waiting extends Omit<MinedRow, "at"> {
  /** Time when the API received it. Unix time, seconds. */
  readonly receivedAt: number;
}

/** Calls of a function cost more or less than its median: with this factor, most estimates are enough for them. */
export const MARGIN = 1.08;

/** Age up to which waiting transactions count, seconds. After a flood, those that were left out wait for hours. */
export const OFFERED_SECONDS = 86_400;

/** When each list was read. Unix time, seconds. */
export interface ReadTimes {
  readonly waiting: number;
  readonly mined: number;
}

/** Estimates for one type. */
export interface TypeEstimate {
  /** Number of transactions that it is based on: mined lately, or waiting. */
  readonly observations: number;
  /** In microSTX. */
  readonly fees: Readonly<Record<Target, number>>;
}

/** Estimates by type. A type with too few mined transactions has none. Of `all`: enough for each of the types. */
export type Estimate = Readonly<Partial<Record<FeeType, TypeEstimate>>>;

/** Estimates with their time, for `/api/v1/fees/recommended`. */
export interface FeeEstimate {
  /** Time of the older of its sources, the waiting and the mined transactions. Unix time, milliseconds. */
  readonly at: number;
  readonly types: Estimate;
}

/** Parameters of the estimate, tuned on a simulated market. */
const SETTINGS = {
  /**
   * By target: the share of the transactions with this fee or a higher one that were mined, and do not wait; what those
   * who come later bid more; and the age, in seconds, up to which waiting transactions count.
   */
  targets: {
    "10m": { mined: 0.8, outbid: 1.05, age: 3600 },
    "1h": { mined: 0.5, outbid: 1, age: OFFERED_SECONDS },
  },
  /** The highest percentile of what was mined that an estimate reaches. */
  most: 0.95,
  /** Age from which a waiting transaction counts, seconds: younger ones had no block yet. */
  youngest: 60,
  /** The lowest votes are no fee to recommend: one sender may have paid them. */
  ignored: 2,
} as const;

/** Estimates the fees from the waiting transactions and those mined lately, both newest first. */
export function estimateFees(waiting: readonly Waiting[], mined: readonly MinedRow[], read: ReadTimes): Estimate {
  const [newest, oldest] = [read.waiting - SETTINGS.youngest, read.waiting - OFFERED_SECONDS];
  const offers = waiting
    .filter(({ receivedAt }) => receivedAt <= newest && receivedAt > oldest)
    .map((one) => ({ ...one, at: one.receivedAt }));
  const types = FEE_TYPES.filter((type) => type !== "all").flatMap((type) => {
    const votes = currentVotes(mined, type, read.mined);
    const lowest = lowestFee(mined, type, read.mined);
    const estimate = estimateOf(votes, lowest, votesOf(offers, type), read.waiting);
    return estimate === undefined ? [] : [[type, estimate] as const];
  });
  if (types.length === 0) return {};
  const highest = (target: Target) => Math.max(...types.map(([, { fees }]) => fees[target]));
  const all = {
    observations: types.reduce((sum, [, { observations }]) => sum + observations, 0),
    fees: { "10m": highest("10m"), "1h": highest("1h") },
  };
  return Object.fromEntries([["all", all], ...types]);
}

function estimateOf(
  votes: readonly MinedRow[] | undefined,
  lowest: number | undefined,
  offers: readonly MinedRow[],
  now: number,
): TypeEstimate | undefined {
  if (votes === undefined || lowest === undefined) return undefined;
  const mined = ascending(votes);
  // One that pays more than half of those that were mined waits for something other than space, such as a nonce.
  const median = percentileOf(mined, 0.5);
  // A fee above those that were included buys nothing.
  const most = percentileOf(mined, SETTINGS.most);
  const feeFor = (target: Target, least: number) => {
    const { mined: share, outbid, age } = SETTINGS.targets[target];
    const waiting = ascending(offers.filter(({ at, fee = 0 }) => at > now - age && fee <= median));
    const fee = Math.round(Math.min(most, Math.max(least, outbid * sufficientFee(mined, waiting, share))));
    // Those that wait with this fee were sent first, as in a flood that pays one fee.
    return waiting.includes(fee) ? fee + 1 : fee;
  };
  const later = feeFor("1h", 0);
  return {
    observations: votes.length + offers.length,
    // Those that have waited for over an hour count for both: who wants to be sooner pays no less.
    fees: { "10m": Math.max(feeFor("10m", lowest), later), "1h": later },
  };
}

/** The lowest mined fee of which this share, with those that pay more, was mined. Both ascending. */
function sufficientFee(mined: Float64Array, waiting: Float64Array, share: number): number {
  let below = 0;
  const found = mined.find((fee, index) => {
    while ((waiting[below] ?? Number.POSITIVE_INFINITY) < fee) below += 1;
    const [included, left] = [mined.length - index, waiting.length - below];
    return index >= SETTINGS.ignored && included >= share * (included + left);
  });
  return found ?? (mined.at(-1) as number);
}
