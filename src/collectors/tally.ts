// Sums that only grow, as plain data: counts by label set, and distributions. Unknown label values are bounded here.

/** Sums by label set; the key is the label values, joined. */
export type Sums<Value extends number | bigint> = Readonly<Record<string, Value>>;

/** A distribution that still grows: counts per bucket (the last is +Inf), and the sum. */
export interface Spread {
  readonly counts: readonly number[];
  readonly sum: bigint;
}

/** What unknown and surplus label values are folded into. */
export const OTHER = "other";

// No label value may hold it: those from the wire must have a form that excludes it.
const SEPARATOR = "\t";

/** The key of label values, none of which holds a tab. */
export const keyOf = (...values: readonly string[]): string => values.join(SEPARATOR);

/** The label values of a key. */
export const valuesOf = (key: string): readonly string[] => key.split(SEPARATOR);

/** The value of a key. A type that the server calls "constructor" must not find what every object has under that name. */
export const known = <Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

/** Plain data that may be changed: the copy that belongs to one poll. */
export type Draft<Value> = Value extends bigint | number | string
  ? Value
  : Value extends readonly (infer Item)[]
    ? Item[]
    : { -readonly [Key in keyof Value]: Draft<Value[Key]> };

/** Adds in place: the copy that is added to belongs to one poll. */
export function add(sums: Record<string, number>, key: string, value = 1): void {
  sums[key] = (known(sums, key) ?? 0) + value;
}

/** As `add`, for amounts. */
export function addAmount(sums: Record<string, bigint>, key: string, value: bigint): void {
  sums[key] = (known(sums, key) ?? 0n) + value;
}

/** Moves the sum of a key to another one in place; returns what was moved, undefined when there was none. */
export function move<Value extends number | bigint>(
  sums: Record<string, Value>,
  from: string,
  to: string,
): Value | undefined {
  const value = known(sums, from);
  if (value === undefined) return undefined;
  delete sums[from];
  const before = known(sums, to);
  // TypeScript has no sum of two values that are both number or both bigint.
  sums[to] = before === undefined ? value : (((before as number) + (value as number)) as Value);
  return value;
}

/** Puts a value into its bucket. */
export function observe(spreads: Record<string, Spread>, key: string, bounds: readonly number[], value: bigint): void {
  const before = known(spreads, key) ?? emptySpread(bounds);
  const bucket = bounds.findIndex((bound) => value <= BigInt(bound));
  const counts = before.counts.slice();
  const place = bucket < 0 ? bounds.length : bucket;
  counts[place] = (counts[place] ?? 0) + 1;
  spreads[key] = { counts, sum: before.sum + value };
}

/** A distribution of nothing. */
export function emptySpread(bounds: readonly number[]): Spread {
  return { counts: new Array<number>(bounds.length + 1).fill(0), sum: 0n };
}

// A protocol upgrade brings one or two values; more at once is a broken answer.
const MOST_UNKNOWN = 8;
const VALUE = /^[a-z][a-z0-9_]{0,63}$/;

/** Whether a text has the form of a value of an enumeration of the API. */
export const isEnumValue = (text: string): boolean => VALUE.test(text);

/** A value of an enumeration as a label: known ones, and the first few unknown ones, are themselves. */
export function boundedValue(value: string, known: readonly string[], unknown: string[]): string {
  if (known.includes(value) || unknown.includes(value)) return value;
  if (unknown.length >= MOST_UNKNOWN || !isEnumValue(value)) return OTHER;
  unknown.push(value);
  return value;
}
