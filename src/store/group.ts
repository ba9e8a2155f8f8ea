// A group of targets that is exported as sums: its counters are additions of its members, its gauges are sums over
// them.
import type { Addition } from "../collectors/counted.ts";
import type { GroupSum } from "../collectors/group-families.ts";
import type { Family, Sample } from "../exposition/family.ts";
import { GROUP, type Key } from "./store.ts";
import type { TotalsPolicy } from "./totals.ts";

/** A group of one collector and network. Its members are any objects. */
export class Group {
  /** Owner of its samples on the page. */
  readonly key: string;
  /** Owner of its counters in the store. */
  readonly owner: Key;
  readonly policy: TotalsPolicy;
  readonly #sums: ReadonlyMap<Family, Family>;
  readonly #members = new Set<object>();
  /** The gauges of the members whose values are known. */
  readonly #gauges = new Map<object, readonly Sample[]>();
  /** Whether its samples have changed since they were exposed. */
  isChanged = true;

  constructor(
    of: { readonly network: string; readonly collector: string; readonly name: string },
    sums: readonly GroupSum[],
  ) {
    const { network, collector, name } = of;
    this.key = `${network}/${collector} of groups/${name}`;
    this.owner = { network, collector, target: GROUP + name };
    this.#sums = new Map(sums.map((sum) => [sum.of, sum.as]));
    const counters = sums.map((sum) => sum.as).filter(({ kind }) => kind !== "gauge");
    this.policy = {
      families: new Map(counters.map((family) => [family.name, family])),
      places: [],
      identity: { network, group: name },
    };
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  /** Adds a member. Until its values are known, the group has no gauges. */
  join(member: object): void {
    this.#members.add(member);
    this.isChanged = true;
  }

  /** Removes a member. What it has counted stays. */
  leave(member: object): void {
    this.#members.delete(member);
    this.expire(member);
    this.isChanged = true;
  }

  /** Removes the gauges of a member, because they are too old. */
  expire(member: object): void {
    if (this.#gauges.delete(member)) this.isChanged = true;
  }

  /** Takes the samples of a member; undefined if they are too old. */
  take(member: object, samples: readonly Sample[] | undefined): void {
    this.join(member);
    if (samples === undefined) return;
    this.#gauges.set(
      member,
      samples.filter(({ family }) => family.kind === "gauge" && this.#sums.has(family)),
    );
  }

  /** What the group counts of an addition of a member. */
  added(addition: Addition): readonly Addition[] {
    const family = this.#sums.get(addition.family);
    return family === undefined ? [] : [{ ...addition, family }];
  }

  /** The sums of the gauges; none until all members are known. */
  *gauges(): Iterable<Sample> {
    if (this.#gauges.size < this.#members.size) return;
    const sums = new Map<string, Sample>();
    for (const { family, labels, value } of [...this.#gauges.values()].flat()) {
      const as = this.#sums.get(family) as Family;
      const own = Object.fromEntries(as.labelNames.map((name) => [name, labels[name] ?? ""]));
      const key = JSON.stringify([as.name, own]);
      const before = sums.get(key)?.value;
      sums.set(key, as.at({ ...own, ...this.policy.identity }, before === undefined ? value : plus(before, value)));
    }
    yield* sums.values();
  }
}

// Values of one family have one type: TypeScript cannot add two values that are both number or both bigint.
const plus = (a: Sample["value"], b: Sample["value"]): Sample["value"] => (a as number) + (b as number);
