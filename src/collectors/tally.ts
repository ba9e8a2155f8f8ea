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

// Label values come from the wire, and a separator inside one would make two of it.
const SEPARATOR = "\t";

/** The key of label values. */
export const keyOf = (...values: readonly string[]): string => values.join(SEPARATOR);

/** The label values of a key. */
export const valuesOf = (key: string): readonly string[] => key.split(SEPARATOR);

// A type that the server calls "constructor" must not find what every object has under that name.
const known = <Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;

/** Adds in place: the copy that is added to belongs to one poll. */
export function add(sums: Record<string, number>, key: string, value = 1): void {
  sums[key] = (known(sums, key) ?? 0) + value;
}

/** As `add`, for amounts. */
export function addAmount(sums: Record<string, bigint>, key: string, value: bigint): void {
  sums[key] = (known(sums, key) ?? 0n) + value;
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

/** A value of an enumeration as a label: known ones, and the first few unknown ones, are themselves. */
export function boundedValue(value: string, known: readonly string[], unknown: string[]): string {
  if (known.includes(value) || unknown.includes(value)) return value;
  if (unknown.length >= MOST_UNKNOWN || !VALUE.test(value)) return OTHER;
  unknown.push(value);
  return value;
}
