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
/** Length of the window of the lowest fee, seconds: while blocks have room, some cheap transactions are mined in it. */
const NEWEST_SECONDS = 120;
/** So many transactions with lower fees are no price: they may have been mined for other reasons. */
const OUTLIERS = 3;
/** Transactions of one sender that count: a single sender must not be able to move a percentile. */
const VOTES = 2;
/** Fewer votes, which are of at least half as many senders, do not say what the price is. */
const LEAST_VOTES = 20;

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
export function votesOf<Row extends MinedRow>(
  rows: readonly Row[],
  type: FeeType,
  now?: number,
  seconds = WINDOW_SECONDS,
): readonly Row[] {
  const votes: Row[] = [];
  const bySender = new Map<string | number, number>();
  for (const row of rows) {
    if (now !== undefined && votes.length >= WINDOW_ROWS && row.at <= now - seconds) break;
    if (!(row.fee !== undefined && row.fee > 0)) continue;
    if (type === "all" ? !isUserType(row.type) : row.type !== type) continue;
    const given = bySender.get(row.sender) ?? 0;
    if (given >= VOTES) continue;
    bySender.set(row.sender, given + 1);
    votes.push(row);
  }
  return votes;
}

/** The fees of all types. */
export const byType = (of: (type: FeeType) => FeeSummary) =>
  Object.fromEntries(FEE_TYPES.map((type) => [type, of(type)])) as FeesByType;

/** The fees of all rows, by type: a sample of the past. */
export const feesOf = (rows: readonly MinedRow[]): FeesByType => byType((type) => summaryOf(votesOf(rows, type)));

/**
 * The votes of the window for a type that ends at a time; undefined if they are too few to say what the price is.
 * Parameters as of `votesOf`.
 */
export function currentVotes<Row extends MinedRow>(
  rows: readonly Row[],
  type: FeeType,
  now: number,
  seconds?: number,
): readonly Row[] | undefined {
  const votes = votesOf(rows, type, now, seconds);
  return votes.length < LEAST_VOTES ? undefined : votes;
}

/** The fees of the window by type, without percentiles if they are too few. Parameters as of `votesOf`. */
export const currentFees = (rows: readonly MinedRow[], now: number): FeesByType =>
  byType((type) => {
    const votes = votesOf(rows, type, now);
    return votes.length < LEAST_VOTES ? { transactions: votes.length, percentiles: undefined } : summaryOf(votes);
  });

/**
 * The lowest fee with which transactions of a type are mined now: the fourth lowest of the last two minutes, or of the
 * newest 30 if those are more. Undefined if they are too few. Parameters as of `votesOf`.
 */
export const lowestFee = (rows: readonly MinedRow[], type: FeeType, now: number): number | undefined =>
  ascending(currentVotes(rows, type, now, NEWEST_SECONDS) ?? [])[OUTLIERS];

/** The fees of some transactions, ascending. */
export const ascending = (rows: readonly MinedRow[]) => Float64Array.from(rows, ({ fee = 0 }) => fee).sort();

function summaryOf(rows: readonly MinedRow[]): FeeSummary {
  if (rows.length === 0) return { transactions: 0, percentiles: undefined };
  const sorted = ascending(rows);
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
