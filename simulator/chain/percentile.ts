// Percentiles as the database behind the API computes them.

/** The four percentiles of mempool statistics; null without values. */
export type Percentiles = Readonly<Record<"p25" | "p50" | "p75" | "p95", number | null>>;

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
  const at = (part: number) => percentile(sorted, part);
  return { p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95) };
}

/** Rounds half to even: 0.5 → 0, 1.5 → 2, 2.5 → 2. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const half = value - floor;
  if (half !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}
