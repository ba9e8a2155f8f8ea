// Fees of mined transactions: which transactions say what the price is, and their percentiles. Pure.

/** A mined transaction, as far as its fee is concerned. */
export interface MinedRow {
  /** In microSTX; undefined if it is not an integer. */
  readonly fee: number | undefined;
  /** Type of the transaction. */
  readonly type: string;
  /** Time of its block. Unix time, seconds. */
  readonly at: number;
  /** The principal that sent it, or its number. */
  readonly sender: string | number;
}

/** Types with their own percentiles; `all` covers every user transaction. */
export const FEE_TYPES = ["all", "token_transfer", "contract_call"] as const;
export type FeeType = (typeof FEE_TYPES)[number];

/** Percentiles, as parts of 1. */
export const PERCENTILES = { p5: 0.05, p10: 0.1, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
export type Percentile = keyof typeof PERCENTILES;

/** Fees of some transactions above 0. */
export interface FeeSummary {
  /** Number of transactions, at most two of each sender. */
  readonly transactions: number;
  /** In microSTX; undefined without transactions, and if there are too few. */
  readonly percentiles: Readonly<Record<Percentile, number>> | undefined;
}

/** Fees by type. */
export type FeesByType = Readonly<Record<FeeType, FeeSummary>>;

/** Length of the window, seconds. */
export const WINDOW_SECONDS = 600;
/** Number of transactions of each type for which the window reaches further back, on a quiet chain. */
export const WINDOW_ROWS = 30;
/** Transactions of one sender that count: a single sender must not be able to move a percentile. */
const VOTES = 2;
/** Fewer transactions, or senders, do not say what the price is. */
const LEAST = { transactions: 20, senders: 5 };
/**
 * The price has jumped when the newest ones (of the last `seconds`, or 30), without the `cheap` lowest, pay so many
 * times this percentile of the window. Then the window is those alone: while blocks are full, few transactions are
 * mined, and ten minutes of them would follow a rush too late. In blocks with room, more cheap ones are mined.
 */
const JUMP = { seconds: 90, cheap: 2, of: 0.1, times: 4 };

// Miners create these transactions, without a fee.
const WITHOUT_FEE: readonly string[] = ["coinbase", "tenure_change"];

/** Whether a user sent a transaction of this type, and not a miner as part of a block. */
export const isUserType = (type: string): boolean => !WITHOUT_FEE.includes(type);

/** The rows of the window that ends at a time. `now` is Unix time in seconds. */
export function rowsInWindow<Row extends MinedRow>(rows: readonly Row[], now: number): readonly Row[] {
  return rows.filter(({ at }) => at > now - WINDOW_SECONDS);
}

/**
 * The transactions that count for a type, newest first, at most two of each sender. Those without a fee are left out:
 * they did not compete by it. With `now`, only those of the window, or the newest 30 if those are more.
 * @param rows newest first
 * @param now Unix time in seconds
 */
export function votesOf<Row extends MinedRow>(rows: readonly Row[], type: FeeType, now?: number): readonly Row[] {
  const votes: Row[] = [];
  const bySender = new Map<string | number, number>();
  for (const row of rows) {
    if (now !== undefined && votes.length >= WINDOW_ROWS && row.at <= now - WINDOW_SECONDS) break;
    if (!(row.fee !== undefined && row.fee > 0)) continue;
    if (type === "all" ? !isUserType(row.type) : row.type !== type) continue;
    const given = bySender.get(row.sender) ?? 0;
    if (given >= VOTES) continue;
    bySender.set(row.sender, given + 1);
    votes.push(row);
  }
  return votes;
}

/** Whether so many transactions, of so many senders, say what the price is. */
const isEnough = (votes: readonly MinedRow[]): boolean =>
  votes.length >= LEAST.transactions && new Set(votes.map(({ sender }) => sender)).size >= LEAST.senders;

/**
 * The votes of the window for a type; its newest ones alone after a jump. Undefined if those are too few, or of too few
 * senders. Parameters as of `votesOf`.
 */
export function currentVotes<Row extends MinedRow>(
  rows: readonly Row[],
  type: FeeType,
  now: number,
): readonly Row[] | undefined {
  const votes = votesOf(rows, type, now);
  if (!isEnough(votes)) return undefined;
  const newest = votes.filter(({ at }, index) => index < WINDOW_ROWS || at > now - JUMP.seconds);
  const sorted = (some: readonly Row[]) => Float64Array.from(some, ({ fee = 0 }) => fee).sort();
  const lowest = sorted(newest)[JUMP.cheap] as number;
  // In a mix of types, a block of calls is no jump of a price.
  const hasJumped = type !== "all" && isEnough(newest) && lowest > JUMP.times * percentileOf(sorted(votes), JUMP.of);
  return hasJumped ? newest : votes;
}

/** The fees of all types. */
export const byType = (of: (type: FeeType) => FeeSummary) =>
  Object.fromEntries(FEE_TYPES.map((type) => [type, of(type)])) as FeesByType;

/** The fees of all rows, by type: a sample of the past. */
export const feesOf = (rows: readonly MinedRow[]): FeesByType => byType((type) => summaryOf(votesOf(rows, type)));

/** The fees of the window for a type, without percentiles if they are too few. Parameters as of `votesOf`. */
export function currentFeesOf(rows: readonly MinedRow[], type: FeeType, now: number): FeeSummary {
  const votes = currentVotes(rows, type, now);
  if (votes !== undefined) return summaryOf(votes);
  return { transactions: votesOf(rows, type, now).length, percentiles: undefined };
}

/** The same by type. */
export const currentFees = (rows: readonly MinedRow[], now: number): FeesByType =>
  byType((type) => currentFeesOf(rows, type, now));

function summaryOf(rows: readonly MinedRow[]): FeeSummary {
  if (rows.length === 0) return { transactions: 0, percentiles: undefined };
  const sorted = Float64Array.from(rows, ({ fee = 0 }) => fee).sort();
  const percentiles = Object.entries(PERCENTILES).map(([name, part]) => [name, percentileOf(sorted, part)]);
  return { transactions: rows.length, percentiles: Object.fromEntries(percentiles) };
}

/**
 * Linear between the two neighbours, like `percentile_cont` of the database behind the API, so that the values are
 * comparable with its percentiles of waiting transactions. `sorted` is ascending and not empty.
 */
export function percentileOf(sorted: Float64Array, part: number): number {
  const position = part * (sorted.length - 1);
  const low = sorted[Math.floor(position)] as number;
  const high = sorted[Math.ceil(position)] as number;
  // Further digits are those of the calculation.
  return Math.round((low + (high - low) * (position % 1)) * 100) / 100;
}
