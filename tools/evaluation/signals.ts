// The recorded series of alerts/ for an exporter.
import { type Duration, FEES, seconds } from "../../alerts/thresholds.ts";
import { PRICED, type Samples } from "./exporter.ts";
import type { Column } from "./trace.ts";
import { lastWithin, movingMedian, movingRate } from "./window.ts";

type Loose<Value> = Value extends number
  ? number
  : Value extends string
    ? Duration
    : Value extends readonly unknown[]
      ? Value
      : { readonly [Key in keyof Value]: Loose<Value[Key]> };

/** Thresholds like those of alerts/thresholds.ts with any numbers, so that others can be tried. */
export type FeeThresholds = Loose<typeof FEES>;

/** Columns that the rules compare, one value a minute; NaN where Prometheus would have no sample. */
export interface Signals {
  readonly minutes: number;
  /** Highest ratio of a type's mined fees to their usual level. */
  readonly ratio: Column;
  /** Waiting transactions beyond the usual number, in budgets. */
  readonly backlog: Column;
}

/** Whole minutes of a duration. */
export const minutesOf = (duration: Parameters<typeof seconds>[0]) => seconds(duration) / 60;

const STEP = minutesOf(FEES.baseline.interval);

function combined(one: Column, other: Column, by: (one: number, other: number) => number): Column {
  return one.map((value, minute) => by(value, other[minute] as number));
}

const divided = (one: Column, other: Column) => combined(one, other, (a, b) => a / b);
/** As `max` of PromQL: a missing value does not count. */
const highest = (one: number, other: number) =>
  Number.isNaN(one) ? other : Number.isNaN(other) ? one : Math.max(one, other);

/** Values of the minutes at which the slow group is evaluated, one after the other. */
function everyStep(column: Column): Column {
  return Float64Array.from(
    { length: Math.floor(column.length / STEP) },
    (_, index) => column[(index + 1) * STEP - 1] ?? 0,
  );
}

/** The baseline of a column: the median of its values at every step, as a column of minutes. */
function usual(column: Column, baseline: FeeThresholds["baseline"]): Column {
  const steps = minutesOf(baseline.window) / STEP;
  const min = minutesOf(baseline.minHistory) / STEP;
  // A range of Prometheus 2 holds both of its ends, hence one step more.
  const level = movingMedian(everyStep(column), steps + 1, min);
  const recorded = new Float64Array(column.length).fill(Number.NaN);
  for (let index = 0; index < level.length; index += 1) recorded[(index + 1) * STEP - 1] = level[index] as number;
  return recorded;
}

/**
 * The signals of an exporter. `lookback` is the number of minutes for which an instant query sees a sample: 1 for a
 * live Prometheus, which writes staleness markers; 5 for imported history, which has none.
 */
export function signalsOf(samples: Samples, fees: FeeThresholds = FEES, lookback = 1): Signals {
  const { cost, included, mined, usual: usualFees, minutes } = samples;
  const { baseline, capacity } = fees;
  const seen = (column: Column) => lastWithin(column, lookback);
  // A recorded sample is as old as its evaluation, so it is seen for one minute more than a scraped one.
  const kept = (column: Column) => lastWithin(column, lookback === 1 ? 1 : lookback + 1);
  const recent = (column: Column) => lastWithin(column, minutesOf(baseline.staleness) + 1);
  const waiting = seen(samples.waiting);
  // The limit of a budget is 1, and on the page whenever its cost is.
  const limit = seen(cost.map((value) => (Number.isNaN(value) ? value : 1)));
  const pace = (column: Column) => movingRate(column, minutesOf(capacity.window), STEP);
  const budget = recent(divided(pace(included), divided(pace(cost), limit)));
  const excess = combined(waiting, recent(usual(waiting, baseline)), (now, before) => now - before);
  return {
    minutes,
    ratio: PRICED.map((type) => kept(divided(seen(mined[type]), seen(usualFees[type])))).reduce((max, ratio) =>
      combined(max, ratio, highest),
    ),
    backlog: kept(divided(excess, budget)),
  };
}
