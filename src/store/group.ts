// A group of targets that is exported as sums: its counters are additions of its members, its gauges are sums over
// them.
import type { Addition } from "../collectors/counted.ts";
import type { GroupSum } from "../collectors/subjects.ts";
import type { Family, Sample } from "../exposition/family.ts";
import { GROUP, type Key } from "./store.ts";
import type { TotalsPolicy } from "./totals.ts";

/** A group of the configuration that is exported as sums, for one collector. */
export interface SummedGroup {
  readonly network: string;
  readonly collector: string;
  readonly group: string;
  readonly sums: readonly GroupSum[];
}

/** Owner of the samples of a group on the page. */
export const groupKeyOf = ({ network, collector, group }: Omit<SummedGroup, "sums">): string =>
  `${network}/${collector} of groups/${group}`;

/** The sums of a group. */
export class Group {
  /** Owner of its counters in the store. */
  readonly owner: Key;
  readonly policy: TotalsPolicy;
  readonly #sums: ReadonlyMap<Family, Family>;
  /** The gauges of the members, by their key; undefined while they are unknown or too old. */
  readonly #members = new Map<string, readonly Sample[] | undefined>();
  /** The samples of its counters as they were last exposed. */
  counters: readonly Sample[] = [];
  /** Whether its samples have changed since they were exposed. */
  isChanged = true;

  constructor({ network, collector, group, sums }: SummedGroup) {
    this.owner = [network, collector, GROUP + group];
    this.#sums = new Map(sums.map((sum) => [sum.of, sum.as]));
    const counters = sums.map((sum) => sum.as).filter(({ kind }) => kind !== "gauge");
    this.policy = {
      families: new Map(counters.map((family) => [family.name, family])),
      places: [],
      identity: { network, group },
    };
  }

  /** Takes the samples of a member, also of a new one; undefined if they are not known. */
  take(member: string, samples: readonly Sample[] | undefined): void {
    const gauges = samples?.filter(({ family }) => family.kind === "gauge" && this.#sums.has(family));
    this.isChanged ||= gauges !== undefined || this.#members.get(member) !== undefined || !this.#members.has(member);
    this.#members.set(member, gauges);
  }

  /** Removes a member. What it has counted stays. */
  leave(member: string): void {
    this.#members.delete(member);
    this.isChanged = true;
  }

  /** What the group counts of the additions of a member. */
  added(additions: readonly Addition[]): readonly Addition[] {
    return additions.flatMap((addition) => {
      const family = this.#sums.get(addition.family);
      return family === undefined ? [] : [{ ...addition, family }];
    });
  }

  /** The sums of the gauges; none until those of all members are known. */
  gauges(): Iterable<Sample> {
    const sums = new Map<string, Sample>();
    for (const samples of this.#members.values()) {
      if (samples === undefined) return [];
      for (const { family, labels, value } of samples) {
        const as = this.#sums.get(family) as Family;
        const own = Object.fromEntries(as.labelNames.map((name) => [name, labels[name] ?? ""]));
        const key = JSON.stringify([as.name, own]);
        const before = sums.get(key)?.value;
        sums.set(key, as.at({ ...own, ...this.policy.identity }, before === undefined ? value : plus(before, value)));
      }
    }
    return sums.values();
  }
}

// Values of one family have one type: TypeScript cannot add two values that are both number or both bigint.
const plus = (a: Sample["value"], b: Sample["value"]): Sample["value"] => (a as number) + (b as number);
