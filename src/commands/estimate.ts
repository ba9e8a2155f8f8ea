// Estimates requests, series and ages of a configuration, and whether they fit the budget, without calling the API.

import { exporterPart, MINUTES_PER_MONTH, sum } from "../api/budget-limits.ts";
import { REASONS } from "../api/errors.ts";
import { type AnyCollector, type Target, targetsOf } from "../collectors/collector.ts";
import { seriesOfRules } from "../collectors/event-rules/samples.ts";
import { groupFamilies } from "../collectors/group-families.ts";
import { collectorFamilies, ruleFamilies } from "../collectors/index.ts";
import type { CollectorConfig, Config, NetworkConfig, UpstreamConfig } from "../config/config.ts";
import { type Family, seriesPerSample } from "../exposition/family.ts";
import { isSelected } from "../exposition/selection.ts";
import { isRoundRobin, type Pacing, planPolls } from "../scheduler/pacing.ts";
import * as metrics from "../telemetry/self-metrics.ts";
import { fitOf } from "./fit.ts";

/** The costs of one collector on one network. */
export interface CollectorPlan extends Pacing {
  /** Additional requests a minute if some targets are busy. */
  readonly busyPerMinute: number;
  /** Series when all data is available. For watched principals, an estimate that depends on their activity. */
  readonly series: number;
  /** Highest age of a value while every poll succeeds. Milliseconds. */
  readonly usualAgeMs: number;
}

/** The plan of one network with one of its upstreams. */
export type NetworkPlan = ReturnType<typeof planNetwork>;

/** The plan of a configuration. */
export type Plan = ReturnType<typeof planOf>;

/**
 * Busy targets, for the upper end of the estimated requests: this share of the watched principals, and at most this
 * number, takes part in new transactions all day. A transaction costs an early poll, when it has its confirmations.
 */
export const BUSY = { share: 0.1, max: 20, transactionsPerHour: 4 } as const;

/**
 * Estimates a configuration: each network within the budget of its preferred upstream, with plans for a
 * failover to each other one, and the series of collectors and exporter.
 */
export function planOf(config: Config) {
  const { maxSeries, shard } = config;
  const isExposed = isSelected(config.metrics);
  const networks = config.networks.map((network) => {
    const [preferred, ...others] = network.upstreams.map((upstream) =>
      planNetwork(network, upstream, isExposed, shard?.count ?? 1),
    );
    return { ...(preferred as NetworkPlan), probesPerMinute: 60_000 / network.failover.probeEveryMs, others };
  });
  const collectorSeries = sum(networks.flatMap(({ collectors }) => collectors.map(({ series }) => series)));
  const families = collectorFamilies.length + ruleFamilies(config.networks).length;
  const helpAndProcess = families + metrics.selfMetrics.length + PROCESS_SERIES;
  const ownSeries = sum(networks.map(ownSeriesOf)) + helpAndProcess;
  const series = collectorSeries + ownSeries;
  const hasSums = config.networks.some(({ addresses }) => addresses.some(({ isSummed }) => isSummed === true));
  const seriesError =
    series <= maxSeries
      ? undefined
      : `about ${series} series are more than max_series (${maxSeries}), so new assets, topics and labels of event rules count as other; to fit: max_series >= ${series}`;
  return { shard, networks, collectorSeries, ownSeries, hasSums, seriesError };
}

/** The errors of a plan that does not fit, one sentence each. */
export function planErrors({ networks, seriesError }: Plan): readonly string[] {
  const ofNetworks = networks.flatMap(({ network, budgetError }) =>
    budgetError === undefined ? [] : [`network ${network} does not fit its budget: ${budgetError}`],
  );
  return seriesError === undefined ? ofNetworks : [...ofNetworks, seriesError];
}

// The costs of a network within the budget of one of its upstreams.
function planNetwork(
  network: NetworkConfig,
  upstream: UpstreamConfig,
  isExposed: (name: string) => boolean,
  shards: number,
) {
  const { perMinute, perMonth = Number.POSITIVE_INFINITY } = exporterPart(upstream.budget);
  const collectors = planPolls(network, upstream.budget)
    .filter(({ targets }) => targets > 0)
    .map((pacing): CollectorPlan => {
      const settings = network.collectors.find(({ name }) => name === pacing.collector.name) as CollectorConfig;
      const series = settings.isHidden ? 0 : seriesOfTargets(pacing, settings.options, network, isExposed);
      const busyPerMinute = busyRequests(pacing, settings.options);
      return { ...pacing, busyPerMinute, series, usualAgeMs: pacing.intervalMs + settings.timeoutMs };
    });
  const requestsPerMinute = sum(collectors.map((row) => row.requestsPerMinute));
  const busyPerMinute = sum(collectors.map((row) => row.busyPerMinute));
  // Beyond the budget, early polls wait.
  const left = Math.max(0, Math.min(perMinute, perMonth / MINUTES_PER_MONTH) - requestsPerMinute);
  return {
    network: network.name,
    upstream,
    collectors: collectors.map((row) => {
      return busyPerMinute <= left ? row : { ...row, busyPerMinute: (row.busyPerMinute * left) / busyPerMinute };
    }),
    requestsPerMinute,
    busyPerMinute: Math.min(left, busyPerMinute),
    peakPerMinute: sum(collectors.map((row) => row.peakPerMinute)),
    ...agesOf(collectors),
    ...fitOf(network, upstream.budget, shards),
  };
}

/**
 * Usual maximum time from the confirmation of a movement to the poll that counts it, in milliseconds. With a watched
 * principal as a party, it depends on the slower one of the collectors that list and confirm it. Movements by a
 * contract wait for the round robin. Undefined without watched principals, or without these collectors.
 */
function agesOf(rows: readonly CollectorPlan[]) {
  const [feed, chain] = [
    rows.find(({ collector }) => collector.confirmed !== undefined),
    rows.find(({ collector }) => collector.chainView !== undefined),
  ];
  const ages = rows.filter(({ collector }) => isRoundRobin(collector)).map(({ usualAgeMs }) => usualAgeMs);
  return {
    directAgeMs: ages.length === 0 || !feed ? undefined : Math.max(feed.intervalMs, chain?.intervalMs ?? 0),
    contractAgeMs: ages.length === 0 ? undefined : Math.max(...ages),
  };
}

// Requests a minute of the busy targets, in addition to their polls.
function busyRequests({ collector, targets, requestsPerPoll }: Pacing, options: unknown): number {
  if (!isRoundRobin(collector)) return 0;
  const perTransaction = requestsPerPoll + (collector.requestsPerTransaction?.(options) ?? 0);
  return (Math.min(BUSY.max, Math.ceil(targets * BUSY.share)) * BUSY.transactionsPerHour * perTransaction) / 60;
}

// Process and Node.js families of the client library, with one garbage collection of each kind.
const PROCESS_SERIES = 80;

type Sizes = Readonly<Record<string, number>>;

/**
 * Series of every combination of label values.
 * @param sizes values of labels that the family does not list
 * @param usual values that occur of those that it lists; all of them by default
 */
function seriesOf(family: Family, sizes: Sizes, usual: Sizes = {}): number {
  const combinations = family.labelNames.reduce(
    (product, name) => product * (usual[name] ?? family.labels[name]?.values?.length ?? sizes[name] ?? 1),
    1,
  );
  return combinations * seriesPerSample(family);
}

/** Series of all targets: each as in the collector's example, or else with every combination of labels; and rules. */
function seriesOfTargets(
  { collector, targets }: Pacing,
  options: unknown,
  network: NetworkConfig,
  isExposed: (name: string) => boolean,
): number {
  const all = targetsOf(collector, network, options);
  const { true: summed = [], false: single = [] } = Object.groupBy(
    all,
    ({ watched }) => `${watched?.isSummed === true}`,
  );
  const groups = new Map(summed.map((target) => [target.watched?.group, target]));
  const ofGroups = sum(
    [...groups.values()].map((member) => seriesOfGroup(collector, member, options, network, isExposed)),
  );
  const rules = sum(all.map(({ watched }) => seriesOfRules(watched?.rules ?? [])));
  // Collectors without a watch list have other targets.
  const count = all.length === 0 ? targets : single.length;
  return count * seriesPerTarget(collector, single[0], options, network, isExposed) + ofGroups + rules;
}

// Wallets send transfers, calls and deployments. A transaction succeeds, or aborts in one of two ways.
const OF_WALLETS: Sizes = { tx_type: 3, tx_status: 3 };

/**
 * Series of a group that is exported as sums, at most: with many members, some member has each combination of labels.
 * Assets have a sum if the network names them.
 */
function seriesOfGroup(
  { sums = [], example, samples }: AnyCollector,
  member: Target,
  options: unknown,
  { name: network, assets }: NetworkConfig,
  isExposed: (name: string) => boolean,
): number {
  const alone = member.watched === undefined ? member : { ...member, watched: { ...member.watched, isSummed: false } };
  const families = new Set([...samples(example?.(options), network, alone)].map(({ family }) => family));
  const summed = sums.filter((one) => families.has(one.of)).map(({ as }) => as);
  const exposed = [...summed, ...groupFamilies].filter(({ name }) => isExposed(name));
  const sizes = { asset: assets.length };
  // Each collector has its own members.
  return sum(exposed.map((family) => seriesOf(family, sizes, { ...OF_WALLETS, collector: 1 })));
}

function seriesPerTarget(
  collector: AnyCollector,
  target: Target | undefined,
  options: unknown,
  network: NetworkConfig,
  isExposed: (name: string) => boolean,
): number {
  const families = collector.families.filter(({ name }) => isExposed(name));
  const example = collector.example?.(options);
  if (example === undefined || target === undefined) {
    return sum(families.map((family) => seriesOf(family, { operation: 1 })));
  }
  const { watched } = target;
  const plain = watched === undefined ? target : { ...target, watched: { ...watched, rules: [] } };
  const samples = [...collector.samples(example, network.name, plain)];
  return sum(samples.filter(({ family }) => families.includes(family)).map(({ family }) => seriesPerSample(family)));
}

// These have series only after a failure, or when the server reports its limits.
const RARE: readonly { readonly name: string }[] = [
  metrics.retries,
  metrics.drift,
  metrics.pauseEnd,
  metrics.ratelimitLimit,
  metrics.ratelimitRemaining,
  metrics.watchListSuccessful,
  metrics.webConfigSuccessful,
  metrics.series,
];

function ownSeriesOf({ collectors, others }: NetworkPlan & { readonly others: readonly NetworkPlan[] }): number {
  const enabled = collectors.map(({ collector }) => collector);
  const sizes = {
    upstream: 1 + others.length,
    collector: enabled.length,
    operation: enabled.flatMap(({ operations }) => operations).length,
    reason: Object.keys(REASONS).length,
    code: 1,
  };
  const special: Readonly<Record<string, object>> = {
    // Some operations of a collector are only used where others are missing.
    [metrics.requestDuration.name]: { operation: enabled.length },
    [metrics.hints.name]: { collector: enabled.filter(({ targets }) => targets !== undefined).length },
  };
  return sum(
    metrics.selfMetrics
      .filter((family) => !RARE.includes(family))
      .map((family) => seriesOf(family, { ...sizes, ...special[family.name] })),
  );
}
