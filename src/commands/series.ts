// Estimates the number of series. Pure.
import { sum } from "../api/budget-limits.ts";
import { type AnyCollector, type Target, targetsOf } from "../collectors/collector.ts";
import { seriesOfRules } from "../collectors/event-rules/counted.ts";
import type { NetworkConfig } from "../config/config.ts";
import { type Family, seriesPerSample } from "../exposition/family.ts";

/**
 * Series of the exporter itself, with this number of collectors on all networks. Measured on a page; most are those of
 * each collector: its failures by reason, and the histograms of its polls and requests.
 */
export const ownSeriesOf = (collectors: number): number => 150 + 80 * collectors;

/** Series of all targets of a collector: each as in its example, or else with every combination of labels. */
export function seriesOfTargets(collector: AnyCollector, options: unknown, network: NetworkConfig): number {
  const all = targetsOf(collector, network, options);
  const isSummed = ({ watched }: Target) => watched?.isSummed === true;
  const [single] = all.filter((target) => !isSummed(target));
  const example = collector.example?.(options);
  const familiesOf = (target: Target) => {
    if (example === undefined) return collector.families;
    const { watched } = target;
    const plain = watched === undefined ? target : { ...target, watched: { ...watched, isSummed: false, rules: [] } };
    return [...collector.samples(example, network.name, plain)].map(({ family }) => family);
  };
  const ofEach = (target: Target) =>
    sum(
      familiesOf(target).map((family) =>
        example === undefined
          ? (collector.typicalSeries?.[family.name] ?? seriesOf(family, {}))
          : seriesPerSample(family),
      ),
    );
  const ofGroup = (member: Target) => {
    const families = new Set(familiesOf(member));
    const sums = (collector.sums ?? []).filter(({ of }) => families.has(of)).map(({ as }) => as);
    const sizes = { ...OF_GROUP, asset: network.assets.length };
    return sum(sums.map((one) => seriesOf(one, sizes)));
  };
  const groups = new Map(all.filter(isSummed).map((target) => [target.watched?.group, target]));
  const ofAll = single === undefined ? 0 : all.filter((target) => !isSummed(target)).length * ofEach(single);
  const rules = sum(all.map(({ watched }) => seriesOfRules(watched?.rules ?? [])));
  return ofAll + sum([...groups.values()].map(ofGroup)) + rules;
}

// With many members, some member has each combination of labels. Wallets send transfers, calls and deployments; a
// transaction succeeds, or aborts in one of two ways. Each collector has its own members. Assets that the network does
// not name have no sum.
const OF_GROUP: Sizes = { tx_type: 3, tx_status: 3, collector: 1 };

type Sizes = Readonly<Record<string, number>>;

/** Series of every combination of label values. @param sizes numbers of values, where not all that are listed occur */
function seriesOf(family: Family, sizes: Sizes): number {
  const valuesOf = (name: string) => sizes[name] ?? family.labels[name]?.values?.length ?? 1;
  return family.labelNames.reduce((product, name) => product * valuesOf(name), seriesPerSample(family));
}
