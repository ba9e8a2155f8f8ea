// Estimates the number of series. Pure.
import { sum } from "../api/budget-limits.ts";
import { type AnyCollector, type Target, targetsOf } from "../collectors/collector.ts";
import { seriesOfRules } from "../collectors/event-rules/counted.ts";
import type { NetworkConfig } from "../config/config.ts";
import type { Family } from "../exposition/family.ts";

/**
 * Series of the exporter itself, with this number of collectors on all networks. Measured on a page; most are those of
 * each collector: its failures by reason.
 */
export const ownSeriesOf = (collectors: number): number => 150 + 80 * collectors;

/**
 * Series of all targets of a collector: each as in its example, or else with every combination of labels. The sums of a
 * group are about as many as those of a target.
 */
export function seriesOfTargets(collector: AnyCollector, options: unknown, network: NetworkConfig): number {
  const all = targetsOf(collector, network, options);
  const [first] = all;
  if (first === undefined) return 0;
  const example = collector.example?.(options);
  const ofEach =
    example === undefined
      ? collector.families.map((family) => collector.typicalSeries?.[family.name] ?? seriesOf(family))
      : [
          [
            ...(collector.configured?.(network.name, first) ?? []),
            ...collector.samples(example, network.name, plain(first)),
          ].length,
        ];
  const groups = new Set(all.map(({ key, watched }) => (watched?.isSummed ? `group ${watched.group}` : key)));
  return groups.size * sum(ofEach) + sum(all.map(({ watched }) => seriesOfRules(watched?.rules ?? [])));
}

const plain = (target: Target): Target =>
  target.watched === undefined ? target : { ...target, watched: { ...target.watched, isSummed: false, rules: [] } };

/** Series of every combination of label values. */
const seriesOf = (family: Family): number =>
  family.labelNames.reduce((product, name) => product * (family.labels[name]?.values?.length ?? 1), 1);
