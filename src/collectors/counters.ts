// Counters and histograms by label set, as plain data.
import type { Distribution } from "../exposition/family.ts";

/** Counters by label set. Keys are joined label values. */
export type Counters<Value extends number | bigint> = Readonly<Record<string, Value>>;

/** Counts per bucket, of which the last is +Inf, and the sum. */
export interface Histogram<Sum extends number | bigint> extends Distribution {
  readonly sum: Sum;
}

// No label value contains a tab: label values from the API are validated.
const SEPARATOR = "\t";

/** The key of label values. */
export const keyOf = (...values: readonly string[]): string => values.join(SEPARATOR);

/** The label values of a key. */
export const valuesOf = (key: string): readonly string[] => key.split(SEPARATOR);

/** The value of a key. Ignores inherited members such as `constructor`. */
export const ownValue = <Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

/** A mutable copy of plain data. */
export type Draft<Value> = Value extends bigint | number | string
  ? Value
  : Value extends readonly (infer Item)[]
    ? Item[]
    : { -readonly [Key in keyof Value]: Draft<Value[Key]> };

/** Adds to a counter in place. */
export function add(counters: Record<string, number>, key: string, value = 1): void {
  counters[key] = (ownValue(counters, key) ?? 0) + value;
}

/** Adds an amount to a counter in place. */
export function addAmount(counters: Record<string, bigint>, key: string, value: bigint): void {
  counters[key] = (ownValue(counters, key) ?? 0n) + value;
}

/** Adds a counter to another key and deletes it, in place. Returns its value; undefined if there is none. */
export function move<Value extends number | bigint>(
  counters: Record<string, Value>,
  from: string,
  to: string,
): Value | undefined {
  const value = ownValue(counters, from);
  if (value === undefined) return undefined;
  delete counters[from];
  const before = ownValue(counters, to);
  // TypeScript cannot add two values that are both number or both bigint.
  counters[to] = before === undefined ? value : (((before as number) + (value as number)) as Value);
  return value;
}

/** A histogram without observations. @param zero 0 or 0n, the type of the sum. */
export function emptyHistogram<Sum extends number | bigint>(bounds: readonly number[], zero: Sum): Histogram<Sum> {
  return { counts: new Array<number>(bounds.length + 1).fill(0), sum: zero };
}

/** The histogram with one more observation. */
export function observed<Sum extends number | bigint>(
  { counts, sum }: Histogram<Sum>,
  bounds: readonly number[],
  value: Sum,
): Histogram<Sum> {
  const found = bounds.findIndex((bound) => value <= bound);
  const bucket = found < 0 ? bounds.length : found;
  return {
    counts: counts.map((count, index) => (index === bucket ? count + 1 : count)),
    sum: ((sum as number) + (value as number)) as Sum,
  };
}

/** Adds an observation to a histogram by label set, in place. */
export function observe(
  histograms: Record<string, Histogram<bigint>>,
  key: string,
  bounds: readonly number[],
  value: bigint,
): void {
  histograms[key] = observed(ownValue(histograms, key) ?? emptyHistogram(bounds, 0n), bounds, value);
}
