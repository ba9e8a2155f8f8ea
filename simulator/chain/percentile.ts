// Percentiles as the database behind the API computes them.

/** The four percentiles of mempool statistics; null when there is nothing to rank. */
export interface Percentiles {
  readonly p25: number | null;
  readonly p50: number | null;
  readonly p75: number | null;
  readonly p95: number | null;
}

/** `percentile_cont`: linear between the two neighbours. `sorted` ascending and not empty, `part` from 0 to 1. */
export function percentile(sorted: ArrayLike<number>, part: number): number {
  const position = part * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below] ?? 0;
  const high = sorted[Math.ceil(position)] ?? low;
  return low + (high - low) * (position - below);
}

/** The four percentiles of a list in any order. */
export function percentiles(values: readonly number[]): Percentiles {
  if (values.length === 0) return { p25: null, p50: null, p75: null, p95: null };
  const sorted = Float64Array.from(values).sort();
  return {
    p25: percentile(sorted, 0.25),
    p50: percentile(sorted, 0.5),
    p75: percentile(sorted, 0.75),
    p95: percentile(sorted, 0.95),
  };
}

/** The nearest whole number, a half going to the even neighbour: 0.5 → 0, 1.5 → 2, 2.5 → 2. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const half = value - floor;
  if (half !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
