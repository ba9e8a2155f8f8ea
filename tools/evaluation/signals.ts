// What the recorded series of alerts/ would hold for a trace.
import { type Duration, FEES, seconds } from "../../alerts/thresholds.ts";
import type { FeeThresholds } from "./thresholds.ts";
import type { Column, Samples } from "./trace.ts";
import { lastWithin, movingMedian, movingRate } from "./window.ts";

/** Columns that the rules compare, one value a minute; NaN where Prometheus would have no sample. */
export interface Signals {
  readonly minutes: number;
  /** Present fee over the usual one. */
  readonly feeRatio: Column;
  readonly feeRatioSlow: Column;
  /** Waiting transactions, and over their usual number. */
  readonly waiting: Column;
  readonly backlogRatio: Column;
  /** Priority high over low. */
  readonly spread: Column;
  /** Budgets used in the usual length of a tenure, at the pace of a shorter and of a longer time. */
  readonly usage: Column;
  readonly usageSlow: Column;
}

/** Whole minutes of a duration. */
export const minutesOf = (duration: Parameters<typeof seconds>[0]) => seconds(duration) / 60;

const STEP = minutesOf(FEES.baseline.interval);

function divided(one: Column, other: Column): Column {
  return one.map((value, minute) => value / (other[minute] as number));
}

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
  const least = minutesOf(baseline.leastHistory) / STEP;
  // A range of Prometheus 2 holds both of its ends, hence one step more.
  const level = movingMedian(everyStep(column), steps + 1, least);
  const recorded = new Float64Array(column.length).fill(Number.NaN);
  for (let index = 0; index < level.length; index += 1) recorded[(index + 1) * STEP - 1] = level[index] as number;
  return lastWithin(recorded, minutesOf(baseline.staleness) + 1);
}

/**
 * The signals of a trace. `lookback` is the number of minutes for which an instant query sees a sample: 1 for a live
 * Prometheus, which writes staleness markers; 5 for imported history, which has none.
 */
export function signalsOf(samples: Samples, fees: FeeThresholds = FEES, lookback = 1): Signals {
  const { low, high, cost, minutes } = samples;
  const { baseline, windows, blockUsage } = fees;
  const seen = (column: Column) => lastWithin(column, lookback);
  const feeUsual = usual(movingMedian(low, minutesOf(baseline.smoothing)), baseline);
  const types = Object.values(samples.waiting).map(seen);
  const waiting = types.reduce((sum, column) => sum.map((value, minute) => value + (column[minute] as number)));
  const usageOver = (window: Duration) =>
    seen(movingRate(cost, minutesOf(window)).map((perSecond) => perSecond * seconds(blockUsage.tenure)));
  return {
    minutes,
    feeRatio: seen(divided(movingMedian(low, minutesOf(windows.fast)), feeUsual)),
    feeRatioSlow: seen(divided(movingMedian(low, minutesOf(windows.slow)), feeUsual)),
    waiting,
    backlogRatio: seen(divided(waiting, usual(waiting, baseline))),
    spread: divided(seen(high), seen(low)),
    usage: usageOver(blockUsage.windows.fast),
    usageSlow: usageOver(blockUsage.windows.slow),
  };
}
