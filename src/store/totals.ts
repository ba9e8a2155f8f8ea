// The counters of one owner, a target or a group, and the label values that have their own series.
import { type Addition, keyOf, type Labels, type Places, valuesOf } from "../collectors/counted.ts";
import { isEnumValue, MAX_UNKNOWN, OTHER } from "../collectors/values.ts";
import type { Exemplar, Family, Sample } from "../exposition/family.ts";

/** A counter in the state. */
export interface CounterRow {
  /** Key of its family. */
  readonly family: string;
  /** Values of its own labels, joined. */
  readonly labels: string;
  /** The newest value of a gauge, the sum of a counter; undefined if the row is deleted. */
  readonly value: bigint | undefined;
  /** Of an addition since the row was read: the state does not have it. */
  readonly exemplar?: Exemplar | undefined;
}

/** A label value with its own series. */
export interface PlaceRow {
  readonly name: string;
  readonly value: string;
  /** Day of the last addition, since 1970; undefined if the row is deleted. */
  readonly day: number | undefined;
}

/** What an owner counts. */
export interface TotalsPolicy {
  /** By key in the state. */
  readonly families: ReadonlyMap<string, Family>;
  readonly places: readonly Places[];
  /** The labels of the owner. */
  readonly identity: Labels;
}

/** Rows that have changed. */
export interface TotalsRows {
  readonly counters: readonly CounterRow[];
  readonly places: readonly PlaceRow[];
}

const firstWordOf = (text: string) => text.split(" ")[0] ?? "";

const MS_OF_DAY = 86_400_000;
const UNUSED_DAYS = 30;

const ownLabels = ({ identity }: TotalsPolicy, { labelNames }: Family): readonly string[] =>
  labelNames.filter((label) => !Object.hasOwn(identity, label));

/** The samples of counters, in the order of the families and of the rows. */
export function* counterSamples(policy: TotalsPolicy, counters: readonly CounterRow[]): Iterable<Sample> {
  const byFamily = Map.groupBy(counters, ({ family }) => family);
  const { families, identity } = policy;
  for (const [key, family] of families) {
    const own = ownLabels(policy, family);
    for (const { labels, value, exemplar } of byFamily.get(key) ?? []) {
      if (value === undefined) continue;
      const values = valuesOf(labels);
      const others = Object.fromEntries(own.map((label, index) => [label, values[index] ?? ""]));
      // The text of one object is rendered once.
      yield { family, labels: own.length === 0 ? identity : { ...identity, ...others }, value, exemplar };
    }
  }
}

/** Adds to the counters of one owner. */
export class Totals {
  readonly #policy: TotalsPolicy;
  /** Made with the first addition: a start has thousands of owners, and adds nothing. */
  #keys: ReadonlyMap<Family, string> | undefined;
  readonly #counters = new Map<string, CounterRow>();
  readonly #places = new Map<string, PlaceRow>();
  readonly #before: TotalsRows;
  readonly #day: number;
  #spare: number;

  /**
   * @param now Unix time in milliseconds
   * @param spareSeries number of series that label values from the API can add
   */
  constructor(policy: TotalsPolicy, before: TotalsRows, now: number, spareSeries: number) {
    this.#policy = policy;
    this.#before = before;
    const gone = new Set<string>();
    for (const row of before.counters) {
      // That of a rule that has changed, or is gone, is deleted, and so are the places of its metric.
      const isKnown = policy.families.has(row.family);
      if (!isKnown) gone.add(firstWordOf(row.family));
      this.#counters.set(keyOf(row.family, row.labels), isKnown ? row : { ...row, value: undefined });
    }
    for (const row of before.places)
      this.#places.set(keyOf(row.name, row.value), gone.has(firstWordOf(row.name)) ? { ...row, day: undefined } : row);
    this.#day = Math.floor(now / MS_OF_DAY);
    this.#spare = spareSeries;
  }

  /** Adds to a counter, or sets a gauge. @throws Error if its family is not one of the owner */
  add(addition: Addition): void {
    const { family, labels: given, isPreferred = false } = addition;
    this.#keys ??= new Map([...this.#policy.families].map(([key, family]) => [family, key]));
    const key = this.#keys.get(family);
    if (key === undefined) throw new Error(`${family.name} is not counted by this collector`);
    const labels: Record<string, string> = { ...given };
    const explicit = this.#policy.places.filter(({ families }) => families.includes(family));
    for (const places of [...explicit, ...enumerationsOf(family, explicit)]) {
      const wanted = keyOf(...places.labels.map((label) => labels[label] ?? ""));
      if (isLabelValue(places, wanted) && this.#hasPlace(places, wanted, isPreferred)) continue;
      for (const label of places.labels) labels[label] = OTHER;
    }
    const values = ownLabels(this.#policy, family).map((label) => labels[label] ?? "");
    this.#increase(family, key, keyOf(...values), addition);
  }

  /** The samples of all counters, in the same order as those of a restart. */
  samples(): Iterable<Sample> {
    const keys = [...this.#counters.keys()].sort();
    const rows = keys.map((key) => this.#counters.get(key) as CounterRow);
    return counterSamples(this.#policy, rows);
  }

  /** What `add` has changed since the rows were read. */
  changes(): TotalsRows {
    const before = new Set<object>([...this.#before.counters, ...this.#before.places]);
    const isChanged = (row: object) => !before.has(row);
    return {
      counters: [...this.#counters.values()].filter(isChanged),
      places: [...this.#places.values()].filter(isChanged),
    };
  }

  /** Whether a label value has its own series, from now on or since an earlier addition. */
  #hasPlace(places: Places, value: string, isPreferred: boolean): boolean {
    const { name, named = [], max, reserved = 0, series = 1 } = places;
    if (named.includes(value)) return true;
    // A name that is not valid. A value of another label can be `other` by itself.
    if (valuesOf(value)[0] === OTHER) return false;
    const day = this.#places.get(keyOf(name, value))?.day;
    if (day === undefined) {
      const limit = max - (isPreferred ? 0 : reserved);
      const known = [...this.#places.values()]
        .flatMap((row) => (row.name === name && row.day !== undefined ? [{ ...row, day: row.day }] : []))
        .filter((row) => !named.includes(row.value))
        .sort((a, b) => a.day - b.day);
      const unused = known.filter((row) => row.day <= this.#day - UNUSED_DAYS);
      const freed = unused.slice(0, Math.max(0, known.length - limit + 1));
      for (const row of freed) this.#free(places, row.value);
      if (known.length - freed.length >= limit || this.#spare < series) return false;
      this.#spare -= series;
    }
    // A day is exact enough: most additions write no place.
    if (day !== this.#day) this.#places.set(keyOf(name, value), { name, value, day: this.#day });
    return true;
  }

  /** Ends the series of a label value. */
  #free({ name, families, labels }: Places, value: string): void {
    this.#places.set(keyOf(name, value), { name, value, day: undefined });
    for (const row of [...this.#counters.values()]) {
      const family = this.#policy.families.get(row.family);
      if (family === undefined || !families.includes(family)) continue;
      const values = valuesOf(row.labels);
      const positions = labels.map((label) => ownLabels(this.#policy, family).indexOf(label));
      if (keyOf(...positions.map((position) => values[position] ?? "")) !== value) continue;
      this.#counters.set(keyOf(row.family, row.labels), { ...row, value: undefined });
    }
  }

  #increase(family: Family, key: string, labels: string, { value, exemplar: by, isLate }: Addition): void {
    const known = this.#counters.get(keyOf(key, labels));
    if (value === undefined && known?.value !== undefined) return;
    const isGauge = family.kind === "gauge";
    if (isGauge && isLate && known?.value !== undefined) return;
    const added = BigInt(value ?? 0);
    const after = (isGauge ? 0n : (known?.value ?? 0n)) + added;
    const before = known?.exemplar;
    // A transaction can move an asset several times.
    const same = before?.labels === by?.labels ? before : undefined;
    const moved = added + BigInt(same?.value ?? 0);
    const exemplar = by && value && !isGauge ? { ...by, value: moved } : before;
    this.#counters.set(keyOf(key, labels), { family: key, labels, value: after, exemplar });
  }
}

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
