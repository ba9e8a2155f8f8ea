// Fees of mined transactions in a window of time. Pure.

/** A mined transaction, as far as its fee is concerned. */
export interface MinedRow {
  /** In microSTX; undefined if it is not an integer. */
  readonly fee: number | undefined;
  /** Type of the transaction. */
  readonly type: string;
  /** Time of its block. Unix time, seconds. */
  readonly at: number;
}

/** Types with their own percentiles; `all` covers every user transaction. */
export const FEE_TYPES = ["all", "token_transfer", "contract_call"] as const;
export type FeeType = (typeof FEE_TYPES)[number];

/** Percentiles, as parts of 1. */
export const PERCENTILES = { p5: 0.05, p10: 0.1, p25: 0.25, p50: 0.5, p75: 0.75, p95: 0.95 } as const;
export type Percentile = keyof typeof PERCENTILES;

/** Fees of some transactions above 0. */
export interface FeeSummary {
  /** Number of transactions. */
  readonly transactions: number;
  /** In microSTX; undefined without transactions. */
  readonly percentiles: Readonly<Record<Percentile, number>> | undefined;
}

/** Fees by type. */
export type FeesByType = Readonly<Record<FeeType, FeeSummary>>;

/** Length of the window, seconds. */
export const WINDOW_SECONDS = 600;

// Miners create these transactions, without a fee.
const WITHOUT_FEE: readonly string[] = ["coinbase", "tenure_change"];

/** Whether a user sent a transaction of this type, and not a miner as part of a block. */
export const isUserType = (type: string): boolean => !WITHOUT_FEE.includes(type);

/** The rows of the window that ends at a time. `now` is Unix time in seconds. */
export function rowsInWindow<Row extends MinedRow>(rows: readonly Row[], now: number): readonly Row[] {
  return rows.filter(({ at }) => at > now - WINDOW_SECONDS);
}

/** The fees that users paid, by type. Transactions without a fee are left out: they did not compete by it. */
export function feesOf(rows: readonly MinedRow[]): FeesByType {
  const paid = rows.filter(({ type, fee = 0 }) => isUserType(type) && fee > 0);
  const summaryOf = (type: FeeType) => summaryOfFees(paid.filter((row) => type === "all" || row.type === type));
  return Object.fromEntries(FEE_TYPES.map((type) => [type, summaryOf(type)])) as FeesByType;
}

function summaryOfFees(rows: readonly MinedRow[]): FeeSummary {
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
