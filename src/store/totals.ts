// The counters of one owner, a target or a group, and the label values that have their own series.
import type { Addition, Labels, Places } from "../collectors/counted.ts";
import { emptyHistogram, keyOf, observed, valuesOf } from "../collectors/counters.ts";
import { isEnumValue, OTHER } from "../collectors/labels.ts";
import type { Distribution, Family, Sample } from "../exposition/family.ts";

/** The value of a counter or histogram, or the newest one of a gauge. */
export type Value = bigint | Distribution;

/** A counter in the state. */
export interface CounterRow {
  /** Key of its family. */
  readonly family: string;
  /** Values of its own labels, joined. */
  readonly labels: string;
  readonly value: Value;
}

/** A label value with its own series. */
export interface PlaceRow {
  readonly name: string;
  readonly value: string;
  /** Day of the last addition, since 1970. */
  readonly day: number;
}

/** What an owner counts. */
export interface TotalsPolicy {
  /** By key in the state. */
  readonly families: ReadonlyMap<string, Family>;
  readonly places: readonly Places[];
  /** The labels of the owner. */
  readonly identity: Labels;
}

/** What has changed; undefined for a row that is deleted. */
export interface TotalsChanges {
  readonly counters: readonly (Omit<CounterRow, "value"> & { readonly value: Value | undefined })[];
  readonly places: readonly (Omit<PlaceRow, "day"> & { readonly day: number | undefined })[];
}

const MS_OF_DAY = 86_400_000;
const UNUSED_DAYS = 30;
// A protocol upgrade adds one or two values to an enumeration. More at once are a broken response.
const MAX_UNKNOWN = 8;

/** The counters of one owner. */
export class Totals {
  readonly #policy: TotalsPolicy;
  readonly #keys: ReadonlyMap<Family, string>;
  readonly #counters = new Map<string, Map<string, Value>>();
  readonly #places = new Map<string, Map<string, number>>();
  readonly #changedCounters = new Map<string, readonly [string, string]>();
  readonly #changedPlaces = new Map<string, readonly [string, string]>();
  readonly #day: number;
  #spare: number;

  /**
   * @param now Unix time in milliseconds
   * @param spareSeries number of series that label values from the API can add
   */
  constructor(
    policy: TotalsPolicy,
    counters: Iterable<CounterRow>,
    places: Iterable<PlaceRow>,
    now: number,
    spareSeries: number,
  ) {
    this.#policy = policy;
    this.#keys = new Map([...policy.families].map(([key, family]) => [family, key]));
    for (const { family, labels, value } of counters) {
      if (policy.families.has(family)) this.#seriesOf(family).set(labels, value);
      // Of a rule that has changed, or is gone.
      else this.#changedCounters.set(keyOf(family, labels), [family, labels]);
    }
    for (const { name, value, day } of places) this.#valuesOf(name).set(value, day);
    this.#day = Math.floor(now / MS_OF_DAY);
    this.#spare = spareSeries;
  }

  /** Adds to a counter or histogram. @throws Error if its family is not one of the owner */
  add({ family, labels: given, value, isPreferred = false }: Addition): void {
    const key = this.#keys.get(family);
    if (key === undefined) throw new Error(`${family.name} is not counted by this collector`);
    const labels: Record<string, string> = { ...given };
    const explicit = this.#policy.places.filter(({ families }) => families.includes(family));
    for (const places of [...explicit, ...enumerationsOf(family, explicit)]) {
      const wanted = keyOf(...places.labels.map((label) => labels[label] ?? ""));
      if (isLabelValue(places, wanted) && this.#hasPlace(places, wanted, isPreferred)) continue;
      for (const label of places.labels) labels[label] = OTHER;
      const { overflow, overflowLabels = {} } = places;
      if (overflow !== undefined && value !== undefined && family === places.families[0]) {
        this.add({ family: overflow, labels: overflowLabels, value: 1 });
      }
    }
    this.#increase(family, key, keyOf(...this.#ownLabels(family).map((label) => labels[label] ?? "")), value);
  }

  /** The samples of all counters, in the order of the families and of their labels: as they are after a restart. */
  *samples(): Iterable<Sample> {
    for (const [key, family] of this.#policy.families) {
      const own = this.#ownLabels(family);
      const series = [...(this.#counters.get(key) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [labels, value] of series) {
        const values = valuesOf(labels);
        const ownLabels = Object.fromEntries(own.map((label, index) => [label, values[index] ?? ""]));
        yield family.at({ ...this.#policy.identity, ...ownLabels }, value);
      }
    }
  }

  /** What `add` has changed since the rows were read. */
  changes(): TotalsChanges {
    return {
      counters: [...this.#changedCounters.values()].map(([family, labels]) => ({
        family,
        labels,
        value: this.#counters.get(family)?.get(labels),
      })),
      places: [...this.#changedPlaces.values()].map(([name, value]) => ({
        name,
        value,
        day: this.#places.get(name)?.get(value),
      })),
    };
  }

  #ownLabels(family: Family): readonly string[] {
    return family.labelNames.filter((label) => !Object.hasOwn(this.#policy.identity, label));
  }

  #seriesOf(family: string): Map<string, Value> {
    const known = this.#counters.get(family) ?? new Map<string, Value>();
    this.#counters.set(family, known);
    return known;
  }

  #valuesOf(name: string): Map<string, number> {
    const known = this.#places.get(name) ?? new Map<string, number>();
    this.#places.set(name, known);
    return known;
  }

  /** Whether a label value has its own series, from now on or since an earlier addition. */
  #hasPlace(places: Places, value: string, isPreferred: boolean): boolean {
    const { name, named = [], max, reserved = 0, series = 1 } = places;
    if (named.includes(value)) return true;
    // A name that is not valid. A value of another label can be `other` by itself.
    if (valuesOf(value)[0] === OTHER) return false;
    const known = this.#valuesOf(name);
    if (!known.has(value)) {
      const limit = max - (isPreferred ? 0 : reserved);
      const unnamed = [...known].filter(([other]) => !named.includes(other)).sort(([, a], [, b]) => a - b);
      const unused = unnamed.filter(([, day]) => day <= this.#day - UNUSED_DAYS);
      const freed = unused.slice(0, Math.max(0, unnamed.length - limit + 1));
      for (const [other] of freed) this.#free(places, other);
      if (unnamed.length - freed.length >= limit || this.#spare < series) return false;
      this.#spare -= series;
    }
    // A day is exact enough: most additions write no place.
    if (known.get(value) !== this.#day) {
      known.set(value, this.#day);
      this.#changedPlaces.set(keyOf(name, value), [name, value]);
    }
    return true;
  }

  /** Ends the series of a label value. */
  #free({ name, families, labels }: Places, value: string): void {
    this.#valuesOf(name).delete(value);
    this.#changedPlaces.set(keyOf(name, value), [name, value]);
    for (const family of families) {
      const key = this.#keys.get(family) ?? "";
      const positions = labels.map((label) => this.#ownLabels(family).indexOf(label));
      for (const series of [...this.#seriesOf(key).keys()]) {
        const values = valuesOf(series);
        if (keyOf(...positions.map((position) => values[position] ?? "")) !== value) continue;
        this.#seriesOf(key).delete(series);
        this.#changedCounters.set(keyOf(key, series), [key, series]);
      }
    }
  }

  #increase(family: Family, key: string, labels: string, value: Addition["value"]): void {
    const series = this.#seriesOf(key);
    const before = series.get(labels) ?? (family.kind === "histogram" ? emptyHistogram(family.bounds, 0n) : 0n);
    if (value === undefined && series.has(labels)) return;
    series.set(labels, value === undefined ? before : increased(family, before, value));
    this.#changedCounters.set(keyOf(key, labels), [key, labels]);
  }
}

function increased({ kind, bounds }: Family, before: Value, value: number | bigint): Value {
  if (typeof before === "bigint") return kind === "gauge" ? BigInt(value) : before + BigInt(value);
  const { counts } = observed({ counts: before.counts, sum: 0 }, bounds, Number(value));
  return { counts, sum: plus(before.sum, value) };
}

// A sum of whole numbers stays exact.
const plus = (sum: number | bigint, value: number | bigint): number | bigint =>
  typeof sum === "bigint" && typeof value === "bigint" ? sum + value : sum === 0n ? value : Number(sum) + Number(value);

// An enumeration limits no family: its values have one form.
const isLabelValue = ({ families }: Places, value: string): boolean => families.length > 0 || isEnumValue(value);

/** The labels of a family whose values are an enumeration: the known ones, and the first unknown ones. */
function enumerationsOf(family: Family, explicit: readonly Places[]): readonly Places[] {
  const limited = new Set(explicit.flatMap(({ labels }) => labels));
  return family.labelNames.flatMap((label): Places[] => {
    const { values } = family.labels[label] as Family["labels"][string];
    if (values === undefined || limited.has(label)) return [];
    return [{ name: label, families: [], labels: [label], max: MAX_UNKNOWN, named: values }];
  });
}
