// Estimates the fee with which a transaction is mined within a target time. Pure.
//
// Miners include the best paid transactions first. So a fee is enough if everything ahead of it fits into the blocks
// until then: the waiting transactions that pay more, and those that will arrive and pay more, at the rate of the last
// minutes. This needs no history of waits, which would follow a rush only after the target time.
//
// A waiting transaction is not ahead if many transactions that pay less were mined since it was received: something
// else holds it back, such as a missing nonce.
import { FEE_TYPES, type FeeType, feesOf, isUserType, rowsInWindow } from "../transactions/window.ts";

/** Times within which a transaction is to be mined, seconds. */
export const TARGETS = { "10m": 600, "1h": 3600 } as const;
export type Target = keyof typeof TARGETS;

/** A transaction that waits or was mined. Times are Unix time in seconds. */
export interface Observed {
  readonly type: string;
  /** In microSTX; undefined if it is not an integer. */
  readonly fee: number | undefined;
  /** Time when the API received it; undefined if it was mined before it was listed as waiting. */
  readonly receivedAt: number | undefined;
  /** Time of its block; undefined while it waits. */
  readonly minedAt: number | undefined;
}

/** The periods that the transactions cover. Times are Unix time in seconds. */
export interface Coverage {
  /** Received transactions are known up to this time. */
  readonly listedTo: number;
  /** Received transactions that were waiting when the list was read are complete from this time. */
  readonly listedSince: number;
  /** Mined transactions are known up to this time. */
  readonly minedTo: number;
  /** Share of the block space that was used in the last ten minutes; undefined if unknown. */
  readonly use: number | undefined;
}

/** Estimates for one type. */
export interface TypeEstimate {
  /** Number of transactions that it is based on: mined in the last ten minutes, or competing for space. */
  readonly observations: number;
  /** In microSTX. */
  readonly fees: Readonly<Record<Target, number>>;
}

/** Estimates for all types. */
export interface Estimate {
  /** Waiting transactions that compete for space: nothing else seems to hold them back. */
  readonly competing: number;
  /** Whether the blocks have room for all waiting and arriving transactions; undefined if their use is unknown. */
  readonly hasRoom: boolean | undefined;
  /** A type with too few transactions has no estimate. */
  readonly types: Readonly<Partial<Record<FeeType, TypeEstimate>>>;
}

/** Estimates with their time, for `/api/v1/fees/recommended`. */
export interface FeeEstimate extends Estimate {
  /** Time of the older of its sources, the waiting and the mined transactions. Unix time, milliseconds. */
  readonly at: number;
}

/** Parameters of the estimate, tuned on a simulated market. */
const SETTINGS = {
  /** Minimum number of mined transactions in the last ten minutes. */
  minMined: 5,
  /** Seconds over which the rate of mined transactions is measured. A used-up tenure has minutes without any. */
  minedSeconds: 900,
  /** Seconds over which the rate of arrivals is measured. */
  arrivedSeconds: 600,
  /** A waiting transaction does not compete if this many cheaper and later ones were mined before it. */
  overtaken: 10,
  /** Seconds that a transaction needs to reach the miners. */
  spreadSeconds: 60,
  /** Maximum of what is ahead, divided by the capacity. Above 1, because some senders give up and a rush slows down. */
  ahead: 1.2,
};

// Rates over a shorter time, and the capacity of blocks with little use, are not reliable.
const MIN_SECONDS = 60;
const MIN_USE = 0.1;

type Mined = Observed & { readonly at: number };

/** Estimates the fees from the waiting transactions and those mined in the last 15 minutes. */
export function estimateFees(observed: readonly Observed[], coverage: Coverage, settings = SETTINGS): Estimate {
  const paying = observed.filter(({ type, fee = 0 }) => isUserType(type) && fee > 0);
  const mined = paying.flatMap((one): Mined[] => (one.minedAt === undefined ? [] : [{ ...one, at: one.minedAt }]));
  const waiting = competing(
    paying.filter(({ minedAt }) => minedAt === undefined),
    mined,
    settings,
  );
  const queue = queueOf(waiting, mined, coverage, settings);
  const capacity = settings.ahead * capacityOf(mined, coverage, settings);
  const prices = Object.entries(TARGETS).map(
    ([target, seconds]) => [target, priceOf(queue, seconds, capacity)] as const,
  );
  const summaries = feesOf(rowsInWindow(mined, coverage.minedTo));
  const types = FEE_TYPES.flatMap((type) => {
    const { transactions, percentiles } = summaries[type];
    if (percentiles === undefined || transactions < settings.minMined) return [];
    const others = waiting.filter((one) => type === "all" || one.type === type);
    // The recommendation is never below the fees that are being mined.
    const fees = prices.map(([target, price = 0]) => [target, Math.ceil(Math.max(price, percentiles.p25))]);
    return [[type, { observations: transactions + others.length, fees: Object.fromEntries(fees) }]];
  });
  return {
    competing: waiting.length,
    hasRoom: coverage.use === undefined ? undefined : prices.every(([, price]) => price === undefined),
    types: Object.fromEntries(types),
  };
}

/** Transactions that full blocks include in a second. Blocks of unknown use count as full. */
function capacityOf(
  mined: readonly Mined[],
  { minedTo, use = 1 }: Coverage,
  { minedSeconds }: typeof SETTINGS,
): number {
  const oldest = mined.reduce((least, { at }) => Math.min(least, at), minedTo);
  const seconds = Math.max(MIN_SECONDS, Math.min(minedSeconds, minedTo - oldest));
  const included = mined.filter(({ at }) => at > minedTo - seconds).length;
  return included / seconds / Math.min(1, Math.max(MIN_USE, use));
}

/** The waiting transactions that were not overtaken by many cheaper ones. */
function competing(
  waiting: readonly Observed[],
  mined: readonly Mined[],
  { overtaken, spreadSeconds }: typeof SETTINGS,
): readonly Observed[] {
  const latestFirst = mined.toSorted((a, b) => b.at - a.at);
  const newestFirst = waiting.toSorted((a, b) => (b.receivedAt ?? 0) - (a.receivedAt ?? 0));
  // The lowest fees that were mined since the transaction reached the miners, ascending.
  const lowest: number[] = [];
  let next = 0;
  return newestFirst.filter(({ fee = 0, receivedAt = 0 }) => {
    for (; (latestFirst[next]?.at ?? 0) > receivedAt + spreadSeconds; next += 1) {
      const { fee: paid = 0 } = latestFirst[next] as Mined;
      lowest.splice(lowest.findLastIndex((one) => one <= paid) + 1, 0, paid);
      lowest.length = Math.min(lowest.length, overtaken);
    }
    return lowest.length < overtaken || fee <= (lowest.at(-1) as number);
  });
}

/** Transactions of one fee: how many wait now, and how many arrive in a second. */
interface Queued {
  readonly fee: number;
  readonly waiting: number;
  readonly perSecond: number;
}

/** Waiting and arriving transactions, the highest fee first. */
function queueOf(
  waiting: readonly Observed[],
  mined: readonly Mined[],
  { listedTo, listedSince }: Coverage,
  { arrivedSeconds }: typeof SETTINGS,
): readonly Queued[] {
  const seconds = Math.max(MIN_SECONDS, Math.min(arrivedSeconds, listedTo - listedSince));
  const rateOf = ({ receivedAt, minedAt = 0 }: Observed) =>
    (receivedAt ?? minedAt) > listedTo - seconds ? 1 / seconds : 0;
  return [
    ...waiting.map((one) => ({ fee: one.fee ?? 0, waiting: 1, perSecond: rateOf(one) })),
    ...mined.map((one) => ({ fee: one.fee ?? 0, waiting: 0, perSecond: rateOf(one) })),
  ].sort((a, b) => b.fee - a.fee);
}

/** The lowest fee with which everything ahead is mined in time; undefined if the whole queue fits. */
function priceOf(queue: readonly Queued[], seconds: number, capacity: number): number | undefined {
  let ahead = 0;
  const last = queue.find(({ waiting, perSecond }) => {
    ahead += waiting + perSecond * seconds;
    return ahead > capacity * seconds;
  });
  // Transactions with equal fees are included in order of arrival, so only a higher fee is ahead of all of them.
  return last && last.fee + 1;
}
