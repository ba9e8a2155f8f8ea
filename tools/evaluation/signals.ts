// The recorded series of alerts/ for an exporter.
import { type Duration, FEES, seconds } from "../../alerts/thresholds.ts";
import { PRICED, type Samples } from "./exporter.ts";
import type { Column } from "./trace.ts";
import { lastWithin, movingGrowth, movingMedian } from "./window.ts";

/** Columns that the rule compares, one value a minute; NaN where Prometheus would have no sample. */
export interface Signals {
  /** Highest ratio of a type's mined fees to their usual level. */
  readonly ratio: Column;
  /** Waiting transactions beyond the usual number, in budgets. */
  readonly backlog: Column;
}

/** Whole minutes of a duration. */
export const minutesOf = (duration: Duration) => seconds(duration) / 60;

const { baseline, capacity } = FEES;
const STEP = minutesOf(baseline.interval);

function combined(one: Column, other: Column, by: (one: number, other: number) => number): Column {
  return one.map((value, minute) => by(value, other[minute] as number));
}

const divided = (one: Column, other: Column) => combined(one, other, (a, b) => a / b);
/** As `max` of PromQL: a missing value does not count. */
const highest = (one: number, other: number) =>
  Number.isNaN(one) ? other : Number.isNaN(other) ? one : Math.max(one, other);

/** The values of the minutes in which the slow group is evaluated, NaN in the others. */
const everyStep = (column: Column) => column.map((value, minute) => ((minute + 1) % STEP === 0 ? value : Number.NaN));

/** The usual level of a column: the median of its values at every step. */
function usual(column: Column): Column {
  // A range of Prometheus 2 holds both of its ends, hence one minute more.
  const least = minutesOf(baseline.minHistory) / STEP;
  return everyStep(movingMedian(everyStep(column), minutesOf(baseline.window) + 1, least));
}

/**
 * The signals of an exporter. `lookback` is the number of minutes for which an instant query sees a sample: 1 for a
 * live Prometheus, which writes staleness markers; 5 for imported history, which has none.
 */
export function signalsOf(samples: Samples, lookback = 1): Signals {
  const { cost, included, mined, usual: usualFees } = samples;
  const seen = (column: Column) => lastWithin(column, lookback);
  // A recorded sample is as old as its evaluation, so it is seen for one minute more than a scraped one.
  const kept = (column: Column) => lastWithin(column, lookback === 1 ? 1 : lookback + 1);
  const recent = (column: Column) => lastWithin(column, minutesOf(baseline.staleness) + 1);
  const waiting = seen(samples.waiting);
  const pace = (column: Column) => movingGrowth(column, minutesOf(capacity.window));
  // The limit of a budget is 1, and on the page whenever its cost is.
  const hasLimit = seen(cost).map((value) => (Number.isNaN(value) ? value : 1));
  const budget = recent(everyStep(divided(divided(pace(included), pace(cost)), hasLimit)));
  const excess = combined(waiting, recent(usual(waiting)), (now, before) => now - before);
  return {
    ratio: PRICED.map((type) => kept(divided(seen(mined[type]), seen(usualFees[type])))).reduce((max, ratio) =>
      combined(max, ratio, highest),
    ),
    backlog: kept(divided(excess, budget)),
  };
}
