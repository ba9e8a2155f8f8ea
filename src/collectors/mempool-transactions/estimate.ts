// Estimates the fee with which a transaction of a type is mined within a target time. Pure.
//
// Miners include the best paid transactions first. So a fee is enough if everything ahead of it fits into the blocks
// until then: the waiting transactions of the type that pay more, and those that will arrive and pay more, at the rate
// of the last minutes. This needs no history of waits, which would follow a rush only after the target time.
//
// A waiting transaction is not ahead if many transactions that pay less were mined since it was received: something
// else holds it back, such as a missing nonce. And no offer makes an estimate: it is within what was really mined.
import { currentFees, FEE_TYPES, type FeeType, type MinedRow } from "../transactions/window.ts";

/** Times within which a transaction is to be mined, seconds. */
export const TARGETS = { "10m": 600, "1h": 3600 } as const;
export type Target = keyof typeof TARGETS;

/** A waiting transaction. */
export interface Waiting extends Omit<MinedRow, "at"> {
  /** Time when the API received it. Unix time, seconds. */
  readonly receivedAt: number;
}

/** A mined transaction. */
export interface Mined extends MinedRow {
  /** Time when the API received it; undefined if it was mined before it was listed as waiting. Unix time, seconds. */
  readonly receivedAt: number | undefined;
}

/** The periods that the transactions cover. Times are Unix time in seconds. */
export interface Coverage {
  /** Received transactions are known up to this time. */
  readonly listedTo: number;
  /** Received transactions that were waiting when the list was read are complete from this time. */
  readonly listedSince: number;
  /** Mined transactions are known up to this time. */
  readonly minedTo: number;
}

/** Estimates for one type. */
export interface TypeEstimate {
  /** Number of transactions that it is based on: mined in the last ten minutes, or competing for space. */
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
  /** Seconds over which the rate of mined transactions is measured. A used-up budget has minutes without any. */
  minedSeconds: 900,
  /** Seconds over which the rate of arrivals is measured. */
  arrivedSeconds: 600,
  /** A waiting transaction does not compete if this many cheaper and later ones were mined before it. */
  overtaken: 10,
  /** Seconds that a transaction needs to reach the miners. */
  spreadSeconds: 60,
  /** Maximum of what is ahead, divided by the capacity. Above 1, because some senders give up and a rush slows down. */
  ahead: 1.2,
  /** What is paid above the price while transactions wait: they outbid each other. */
  outbid: 1.15,
  /** The least percentile of what was mined while transactions wait. In an hour, budgets are renewed many times. */
  least: { "10m": "p50", "1h": "p25" },
} as const;

// Rates over a shorter time are not reliable.
const MIN_SECONDS = 60;

/** Estimates the fees from the waiting transactions and those mined lately. @param mined newest first */
export function estimateFees(waiting: readonly Waiting[], mined: readonly Mined[], coverage: Coverage): Estimate {
  const types = FEE_TYPES.filter((type) => type !== "all").flatMap((type) => {
    const isPaying = (one: Waiting | Mined) => one.type === type && (one.fee ?? 0) > 0;
    const estimate = estimateOf(type, waiting.filter(isPaying), mined.filter(isPaying), coverage);
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
  type: FeeType,
  listed: readonly Waiting[],
  mined: readonly Mined[],
  coverage: Coverage,
): TypeEstimate | undefined {
  const { transactions, percentiles } = currentFees(mined, coverage.minedTo)[type];
  if (percentiles === undefined) return undefined;
  const waiting = competing(listed, mined);
  const queue = queueOf(waiting, mined, coverage);
  const capacity = SETTINGS.ahead * capacityOf(mined, coverage);
  const fees = (Object.keys(TARGETS) as Target[]).map((target) => {
    const price = priceOf(queue, TARGETS[target], capacity);
    const least = percentiles[SETTINGS.least[target]];
    // A fee above those that were included buys nothing, so the limit applies last.
    const fee =
      price === undefined ? percentiles.p25 : Math.min(percentiles.p95, Math.max(least, SETTINGS.outbid * price));
    return [target, Math.ceil(fee)];
  });
  return { observations: transactions + waiting.length, fees: Object.fromEntries(fees) };
}

/** Transactions that were mined in a second. While transactions wait, blocks have no room for more. */
function capacityOf(mined: readonly Mined[], { minedTo }: Coverage): number {
  const oldest = mined.reduce((least, { at }) => Math.min(least, at), minedTo);
  const seconds = Math.max(MIN_SECONDS, Math.min(SETTINGS.minedSeconds, minedTo - oldest));
  return mined.filter(({ at }) => at > minedTo - seconds).length / seconds;
}

/** The waiting transactions that were not overtaken by many cheaper ones. */
function competing(waiting: readonly Waiting[], mined: readonly Mined[]): readonly Waiting[] {
  const { overtaken, spreadSeconds } = SETTINGS;
  const latestFirst = mined.toSorted((a, b) => b.at - a.at);
  const newestFirst = waiting.toSorted((a, b) => b.receivedAt - a.receivedAt);
  // The lowest fees that were mined since the transaction reached the miners, ascending.
  const lowest: number[] = [];
  let next = 0;
  return newestFirst.filter(({ fee = 0, receivedAt }) => {
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
  waiting: readonly Waiting[],
  mined: readonly Mined[],
  { listedTo, listedSince }: Coverage,
): readonly Queued[] {
  const seconds = Math.max(MIN_SECONDS, Math.min(SETTINGS.arrivedSeconds, listedTo - listedSince));
  const rateOf = (arrivedAt: number) => (arrivedAt > listedTo - seconds ? 1 / seconds : 0);
  return [
    ...waiting.map(({ fee = 0, receivedAt }) => ({ fee, waiting: 1, perSecond: rateOf(receivedAt) })),
    ...mined.map(({ fee = 0, receivedAt, at }) => ({ fee, waiting: 0, perSecond: rateOf(receivedAt ?? at) })),
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
