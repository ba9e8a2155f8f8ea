// The sums of the samples of a group's members. Counters increase with those of the members, and do not change when a
// member fails, joins or leaves. Gauges are sums over the current members, and absent until all are known.
import { z } from "zod";
import type { GroupSum } from "../collectors/group-families.ts";
import type { Distribution, Sample } from "../exposition/family.ts";

type Value = Sample["value"];
/** Values by family and label values. */
type Values = ReadonlyMap<string, Value>;

/** The group to which a task belongs. */
export interface GroupKey {
  readonly network: string;
  readonly collector: string;
  readonly group: string;
}

const distribution = z.object({ counts: z.array(z.number()), sum: z.union([z.number(), z.bigint()]) });
/** The form of saved counters. */
export const savedTotal = z.record(z.string(), z.union([z.number(), z.bigint(), distribution]));

const SEPARATOR = "\t";

/** The sums of one group and collector. */
export class GroupTotal {
  readonly key: GroupKey;
  readonly #sums: ReadonlyMap<string, GroupSum>;
  readonly #byMember: ReadonlyMap<GroupSum["of"], GroupSum>;
  readonly #members = new Set<object>();
  /** Gauges of the members whose values are known. */
  readonly #gauges = new Map<object, Values>();
  #counters: Values;
  /** Whether no counters are saved yet: they start with the totals of the restored members. */
  #isNew: boolean;
  /** Whether `samples` has changed since it was last called. */
  isChanged = true;

  /** @param before saved counters of `bodyOf`; undefined if there are none. Throws if they are invalid. */
  constructor(key: GroupKey, sums: readonly GroupSum[], before: unknown) {
    this.key = key;
    this.#byMember = new Map(sums.map((sum) => [sum.of, sum]));
    this.#sums = new Map(sums.map((sum) => [sum.as.name, sum]));
    this.#isNew = before === undefined;
    this.#counters = new Map(
      Object.entries(savedTotal.parse(before ?? {})).filter(([key]) =>
        this.#sums.has(key.split(SEPARATOR, 1)[0] ?? ""),
      ),
    );
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  get hasCounters(): boolean {
    return this.#counters.size > 0;
  }

  /** Adds a member, with the samples of its saved observation. */
  join(member: object, samples: Iterable<Sample> | undefined, isPresent: boolean): void {
    this.#members.add(member);
    this.isChanged = true;
    if (samples === undefined) return;
    const list = [...samples];
    if (this.#isNew) this.#counters = this.#counted([], list) ?? this.#counters;
    if (isPresent) this.#gauges.set(member, this.#gaugesOf(list));
  }

  /** Removes a member. Its counts stay in the counters. */
  leave(member: object): void {
    this.#members.delete(member);
    this.#gauges.delete(member);
    this.isChanged = true;
  }

  /** Removes the gauges of a member, because they are too old. */
  expire(member: object): void {
    if (this.#gauges.delete(member)) this.isChanged = true;
  }

  /**
   * The counters after a poll of a member, to be saved before `take`; undefined if they are saved and unchanged.
   * @param before the samples of its previous observation
   */
  next(before: Iterable<Sample>, after: Iterable<Sample>): Values | undefined {
    return this.#counted(before, after) ?? (this.#isNew ? this.#counters : undefined);
  }

  /** Applies the samples of a poll, and the counters of `next`. */
  take(member: object, samples: Iterable<Sample>, counters: Values | undefined): void {
    this.#members.add(member);
    this.#gauges.set(member, this.#gaugesOf(samples));
    if (counters !== undefined) this.#counters = counters;
    this.#isNew = false;
    this.isChanged = true;
  }

  /** Resets all values. The members stay. */
  clear(): void {
    this.#gauges.clear();
    this.#counters = new Map();
    this.isChanged = true;
  }

  /** The samples of the group. */
  *samples(): Iterable<Sample> {
    this.isChanged = false;
    yield* this.#samplesOf(this.#counters);
    if (this.#gauges.size === this.#members.size) yield* this.#samplesOf(this.#addedGauges());
  }

  *#samplesOf(values: Values): Iterable<Sample> {
    const { network, group } = this.key;
    for (const [key, value] of values) {
      const [name = "", ...own] = key.split(SEPARATOR);
      const family = (this.#sums.get(name) as GroupSum).as;
      const [, , ...ownNames] = family.labelNames;
      const labels = Object.fromEntries(ownNames.map((label, index) => [label, own[index] ?? ""]));
      yield family.at({ network, group, ...labels }, value);
    }
  }

  #addedGauges(): Values {
    const all = new Map<string, Value>();
    for (const values of this.#gauges.values()) {
      for (const [key, value] of values) {
        const before = all.get(key);
        const { by } = this.#sums.get(key.split(SEPARATOR, 1)[0] ?? "") as GroupSum;
        all.set(key, before === undefined ? value : by === "sum" ? plus(before, value) : larger(before, value));
      }
    }
    return all;
  }

  /** The counters plus the increases of a member; undefined if nothing has changed. */
  #counted(before: Iterable<Sample>, after: Iterable<Sample>): Values | undefined {
    const known = this.#valuesOf(before, false);
    const all = new Map(this.#counters);
    let isChanged = false;
    for (const [key, value] of this.#valuesOf(after, false)) {
      const previous = known.get(key);
      if (previous !== undefined && isEqual(previous, value)) continue;
      // A member that starts again is handled like a counter reset.
      const more = previous === undefined || isLess(value, previous) ? value : minus(value, previous);
      const total = all.get(key);
      all.set(key, total === undefined ? more : plus(total, more));
      isChanged = true;
    }
    return isChanged ? all : undefined;
  }

  #gaugesOf(samples: Iterable<Sample>): Values {
    return this.#valuesOf(samples, true);
  }

  #valuesOf(samples: Iterable<Sample>, isGauge: boolean): Values {
    const values = new Map<string, Value>();
    for (const { family, labels, value } of samples) {
      const sum = this.#byMember.get(family);
      if (sum === undefined || (family.kind === "gauge") !== isGauge) continue;
      const [, , ...own] = sum.as.labelNames;
      values.set([sum.as.name, ...own.map((name) => labels[name as string] ?? "")].join(SEPARATOR), value);
    }
    return values;
  }
}

/** The counters as plain data. */
export const bodyOf = (counters: Values): unknown => Object.fromEntries(counters);

const isDistribution = (value: Value): value is Distribution => typeof value === "object";

// Values of one family have one type: TypeScript cannot add two values that are both number or both bigint.
const add = (a: number | bigint, b: number | bigint, sign: 1 | -1): number | bigint =>
  typeof a === "bigint" ? a + BigInt(sign) * (b as bigint) : a + sign * (b as number);

function combined(a: Value, b: Value, sign: 1 | -1): Value {
  if (!isDistribution(a) || !isDistribution(b)) return add(a as number, b as number, sign);
  return {
    counts: a.counts.map((count, index) => count + sign * (b.counts[index] ?? 0)),
    sum: add(a.sum, b.sum, sign),
  };
}

const plus = (a: Value, b: Value): Value => combined(a, b, 1);
const minus = (a: Value, b: Value): Value => combined(a, b, -1);
const larger = (a: Value, b: Value): Value => (a < b ? b : a);
const countOf = (value: Value) => (isDistribution(value) ? value.counts.reduce((sum, count) => sum + count, 0) : value);
const isLess = (a: Value, b: Value): boolean => countOf(a) < countOf(b);
const isEqual = (a: Value, b: Value): boolean => countOf(a) === countOf(b);
