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

/** Growth from the first to the last sample of the last `window` minutes; NaN with fewer than two. */
export function movingGrowth(column: Column, window: number): Column {
  let first = 0;
  let last = Number.NaN;
  return column.map((value, minute) => {
    if (!Number.isNaN(value)) last = minute;
    while (first < minute && (first <= minute - window || Number.isNaN(column[first]))) first += 1;
    return last > first ? (column[last] as number) - (column[first] as number) : Number.NaN;
  });
}
