// Keys of label sets, and histograms as plain data.
import type { Distribution } from "../exposition/family.ts";

// No label value contains a tab: label values from the API are validated.
const SEPARATOR = "\t";

/** The key of label values. */
export const keyOf = (...values: readonly string[]): string => values.join(SEPARATOR);

/** The label values of a key. */
export const valuesOf = (key: string): readonly string[] => key.split(SEPARATOR);

/** A histogram without observations. */
export const emptyHistogram = (bounds: readonly number[], zero: number | bigint): Distribution => ({
  counts: new Array<number>(bounds.length + 1).fill(0),
  sum: zero,
});

/** The histogram with one more observation. */
export function observed(
  { counts, sum }: Distribution & { readonly sum: number },
  bounds: readonly number[],
  value: number,
) {
  const found = bounds.findIndex((bound) => value <= bound);
  const bucket = found < 0 ? bounds.length : found;
  return { counts: counts.map((count, index) => (index === bucket ? count + 1 : count)), sum: sum + value };
}
