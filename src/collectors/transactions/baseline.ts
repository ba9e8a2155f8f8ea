// The usual fees: percentiles of samples that are spread over the last seven days. Pure.
//
// Period: seven hours. 24 periods cover seven days, and as seven and 24 have no common factor, they start at every hour
//   of the day. Each period has one sample of about a page of transactions.
// The sample of the current period needs no request, because the polls read the newest transactions. That of a past
// period is one page, requested by height. The height at that time is interpolated between blocks with a known time.
import { AHEAD_SECONDS } from "./recent.ts";
import {
  byType,
  type FeeSummary,
  type FeesByType,
  feesOf,
  type MinedRow,
  PERCENTILES,
  type Percentile,
  percentileOf,
} from "./window.ts";

/** Length of a period, seconds. */
export const PERIOD_SECONDS = 7 * 3600;
/** Number of periods. */
export const PERIODS = 24;

/** The time of the newest transaction at or below a height. */
interface Point {
  readonly height: number;
  /** Time of its block. Unix time, seconds. */
  readonly at: number;
}

/** A period with a sample, or with requests that found none. */
export interface Period {
  /** Periods since 1970. */
  readonly number: number;
  /** Undefined until there is a sample. */
  readonly fees: FeesByType | undefined;
  /** Requests that did not find a transaction of the period. */
  readonly misses: number;
  /** Of the pages that were requested for it. */
  readonly points: readonly Point[];
}

/** The samples. Plain data. */
export interface Baseline {
  readonly periods: readonly Period[];
  /** The oldest and the newest one of the newest transactions. */
  readonly newest: readonly Point[];
  /** Time of the last request for a page of the past. Unix time, seconds. */
  readonly askedAt: number;
}

/** The baseline before the first sample. */
export const NO_BASELINE: Baseline = { periods: [], newest: [], askedAt: 0 };

/** A page to request. */
export interface SamplePage {
  readonly period: number;
  /** The page starts at the newest transaction at or below this height. */
  readonly height: number;
}

/** A mined transaction, with the height of its block. */
export type PlacedRow = MinedRow & Point;

// Fewer rows than on a page are a poor sample, and a page of a past period costs little.
const MIN_ROWS = 40;
// Minimum number of samples for the usual level, each with the same weight: a bad hour is in one of them.
const ENOUGH_SAMPLES = 8;
// Minimum number of transactions of a type in a sample.
const LEAST_ROWS = 5;
// With this pause once the usual fee of calls is known, the other samples of a first start come from an hour of polls,
// and so does what a server says during it.
const PAUSE_SECONDS = 240;
// Interpolation finds a period of seven hours with one or two requests.
const MAX_INTERPOLATIONS = 2;
const MAX_MISSES = 6;
// Ages of the past periods: the oldest first, so that all others are between known times; then each between sampled
// ones.
const ORDER = [23, 12, 6, 18, 3, 9, 15, 21, 1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 22];
// Rows of a shorter time are too few to measure the rate of blocks.
const MIN_SPAN_SECONDS = 600;
const TYPICAL_BLOCK_SECONDS = 10;

const periodOf = (at: number): number => Math.floor(at / PERIOD_SECONDS);

/**
 * The baseline with the newest transactions, which are the sample of the current period if it has none. Drops what is
 * older than seven days.
 * @param listed newest first
 * @param now Unix time in seconds
 */
export function withNewest(baseline: Baseline, listed: readonly PlacedRow[], now: number): Baseline {
  const rows = upTo(now, listed);
  const present = periodOf(now);
  const kept = {
    ...baseline,
    periods: baseline.periods.filter(({ number }) => number > present - PERIODS),
    newest: rows.length === 0 ? baseline.newest : pointsOf(rows),
  };
  if (periodIn(kept, present).fees !== undefined) return kept;
  const fees = feesOf(rows.filter(({ at }) => periodOf(at) === present));
  if (fees.all.transactions < MIN_ROWS) return kept;
  return withPeriod(kept, { number: present, fees, misses: 0, points: kept.newest });
}

const upTo = (now: number, rows: readonly PlacedRow[]) => rows.filter(({ at }) => at <= now + AHEAD_SECONDS);

/**
 * The page to request next; undefined while every past period has a sample, or cannot have one, and, once the usual
 * fee of calls is known, for some minutes after the last request.
 * @param now Unix time in seconds
 */
export function nextPage(baseline: Baseline, now: number): SamplePage | undefined {
  const isKnown = baselineFees(baseline).contract_call.percentiles !== undefined;
  if (isKnown && Math.abs(now - baseline.askedAt) < PAUSE_SECONDS) return undefined;
  const known = [...baseline.periods.flatMap(({ points }) => points), ...baseline.newest];
  const points = known.sort((a, b) => a.height - b.height);
  for (const age of ORDER) {
    const period = periodIn(baseline, periodOf(now) - age);
    const height = period.fees === undefined && period.misses < MAX_MISSES ? heightIn(period, points) : undefined;
    if (height !== undefined) return { period: period.number, height };
  }
  return undefined;
}

/**
 * The baseline with the transactions of a page that was requested at `now`, of which those of the period are a sample.
 * @param rows newest first
 */
export function withPage(
  asked: Baseline,
  { period, height }: SamplePage,
  rows: readonly PlacedRow[],
  now: number,
): Baseline {
  const baseline = { ...asked, askedAt: now };
  // A server that ignores the cursor returns the newest transactions.
  const [first, ...others] = upTo(now, rows).filter((row) => row.height <= height);
  const before = periodIn(baseline, period);
  // The list has no such transaction.
  if (first === undefined) return withPeriod(baseline, { ...before, misses: MAX_MISSES });
  const points = [...before.points, ...pointsOf([{ height, at: first.at }, ...others])];
  const sample = [first, ...others].filter(({ at }) => periodOf(at) === period);
  const fees = sample.length === 0 ? undefined : feesOf(sample);
  return withPeriod(baseline, { number: period, fees, misses: before.misses + 1, points });
}

/** The baseline after a request that failed. */
export function withMiss(baseline: Baseline, { period }: SamplePage, now: number): Baseline {
  const before = periodIn(baseline, period);
  return withPeriod({ ...baseline, askedAt: now }, { ...before, misses: before.misses + 1 });
}

/**
 * The usual fees: each percentile is the median of the samples' percentiles, of at least eight samples. So a day of
 * high fees does not move it. A type that too few samples have has no percentiles.
 */
export function baselineFees({ periods }: Baseline): FeesByType {
  const samples = periods.flatMap(({ fees }) => fees ?? []);
  return byType((type) => usualOf(samples.map((sample) => sample[type])));
}

function usualOf(summaries: readonly FeeSummary[]): FeeSummary {
  const samples = summaries.flatMap(({ transactions, percentiles }) =>
    percentiles === undefined || transactions < LEAST_ROWS ? [] : [percentiles],
  );
  if (samples.length < ENOUGH_SAMPLES) return { transactions: 0, percentiles: undefined };
  const names = Object.keys(PERCENTILES) as Percentile[];
  const middle = (name: Percentile) => percentileOf(Float64Array.from(samples, (sample) => sample[name]).sort(), 0.5);
  return {
    transactions: summaries.reduce((sum, summary) => sum + summary.transactions, 0),
    percentiles: Object.fromEntries(names.map((name) => [name, middle(name)])) as Record<Percentile, number>,
  };
}

const periodIn = ({ periods }: Baseline, number: number): Period =>
  periods.find((period) => period.number === number) ?? { number, fees: undefined, misses: 0, points: [] };

const withPeriod = (baseline: Baseline, period: Period): Baseline => ({
  ...baseline,
  periods: [...baseline.periods.filter(({ number }) => number !== period.number), period],
});

const pointsOf = (rows: readonly Point[]): readonly Point[] =>
  [rows.at(-1), rows[0]].flatMap((row) => row ?? []).map(({ height, at }) => ({ height, at }));

/** A height near the middle of a past period; undefined if no transaction can be in it. */
function heightIn({ number, misses }: Period, points: readonly Point[]): number | undefined {
  const below = points.findLast(({ at }) => periodOf(at) < number);
  const above = points.find(({ height, at }) => periodOf(at) > number && height > (below?.height ?? 0));
  if (above === undefined) return undefined;
  const [lowest, highest] = [(below?.height ?? 0) + 1, above.height - 1];
  // Between its two neighbours, or else from the oldest point to the newest.
  const [older, newer] = below === undefined ? [above, points.at(-1) ?? above] : [below, above];
  const span = newer.at - older.at;
  const secondsPerBlock = span < MIN_SPAN_SECONDS ? TYPICAL_BLOCK_SECONDS : span / (newer.height - older.height);
  const estimate = Math.round(above.height - (above.at - (number + 0.5) * PERIOD_SECONDS) / secondsPerBlock);
  if (lowest > highest) return undefined;
  // Blocks were slower before, or the chain is younger: its first block shows that.
  if (below === undefined && estimate < lowest) return points[0]?.height === 1 ? undefined : 1;
  // Blocks do not have a regular rate there.
  if (below !== undefined && misses >= MAX_INTERPOLATIONS) return Math.floor((lowest + highest) / 2);
  return Math.min(highest, Math.max(lowest, estimate));
}
