// PromQL's functions over windows, on columns of one value per minute; NaN where there is no sample.
import { placeOf } from "./search.ts";
import type { Column } from "./trace.ts";

/** Median of the samples in the last `window` minutes, each minute; NaN when there are fewer than `min`. */
export function movingMedian(column: Column, window: number, min = 1): Column {
  const sorted: number[] = [];
  return column.map((value, minute) => {
    if (!Number.isNaN(value)) sorted.splice(placeOf(sorted, value), 0, value);
    const old = minute < window ? Number.NaN : (column[minute - window] as number);
    if (!Number.isNaN(old)) sorted.splice(placeOf(sorted, old), 1);
    if (sorted.length < min) return Number.NaN;
    // As `quantile_over_time(0.5, …)`: between the two in the middle.
    const position = (sorted.length - 1) / 2;
    const [low, high] = [sorted[Math.floor(position)] as number, sorted[Math.ceil(position)] as number];
    return low * (1 - (position % 1)) + high * (position % 1);
  });
}
/** The newest sample in the last `window` minutes, like `last_over_time`; 1 is the sample of the minute itself. */
export function lastWithin(column: Column, window: number): Column {
  let seen = Number.NEGATIVE_INFINITY;
  return column.map((value, minute) => {
    if (!Number.isNaN(value)) seen = minute;
    return minute - seen < window ? (column[seen] as number) : Number.NaN;
  });
}

/** Seconds between a sample and the evaluation of its minute. */
export const SAMPLE_AGE = 20;

/**
 * Growth per second over the last `window` minutes, like `rate`: a decrease is a reset, and the growth between the
 * first and the last sample is extrapolated to the whole window, at most by half a gap where samples are missing. Only
 * the last of every `step` minutes has a value.
 */
export function movingRate(column: Column, window: number, step = 1): Column {
  return column.map((_, minute) => {
    if ((minute + 1) % step !== 0) return Number.NaN;
    let first = -1;
    let last = -1;
    let count = 0;
    let fallen = 0;
    for (let at = Math.max(0, minute - window + 1); at <= minute; at += 1) {
      const value = column[at] as number;
      if (Number.isNaN(value)) continue;
      if (first < 0) first = at;
      else if (value < (column[last] as number)) fallen += column[last] as number;
      last = at;
      count += 1;
    }
    if (count < 2) return Number.NaN;
    // In the order of Prometheus, so that a rate that is just a limit is so here too.
    const growth = (column[last] as number) - (column[first] as number) + fallen;
    const sampled = (last - first) * 60;
    const gap = sampled / (count - 1);
    const reach = (seconds: number) => (seconds < 1.1 * gap ? seconds : gap / 2);
    const start = (first - (minute - window + 1)) * 60 + 60 - SAMPLE_AGE;
    // A counter cannot have been below zero, so it is not extended further back than that.
    const sinceZero = growth > 0 ? sampled * ((column[first] as number) / growth) : Infinity;
    const covered = sampled + reach(Math.min(start, sinceZero)) + reach((minute - last) * 60 + SAMPLE_AGE);
    return growth * (covered / sampled / (window * 60));
  });
}
