// Estimates requests, series and ages of a configuration, and whether they fit the budget, without calling the API.
import { exporterPart, MINUTES_PER_MONTH, sum } from "../api/budget-limits.ts";
import type { CollectorConfig, Config, NetworkConfig } from "../config/config.ts";
import { isRoundRobin, type Pacing, planPolls } from "../scheduler/pacing.ts";
import { fitOf } from "./fit.ts";
import { ownSeriesOf, seriesOfTargets } from "./series.ts";

/** The costs of one collector on one network. */
export interface CollectorPlan extends Pacing {
  /** Additional requests a minute if some targets are busy. */
  readonly busyPerMinute: number;
  /** Series when all data is available. For watched principals, an estimate that depends on their activity. */
  readonly series: number;
  /** Highest age of a value of a quiet target while every poll succeeds. Milliseconds. */
  readonly usualAgeMs: number;
}

/** The plan of one network within the budget of its preferred upstream. */
export type NetworkPlan = ReturnType<typeof planNetwork>;

/** The plan of a configuration. */
export type Plan = ReturnType<typeof planOf>;

/**
 * Busy targets, for the upper end of the estimated requests: this share of the watched principals, and at most this
 * number, takes part in new transactions all day. A transaction costs an early poll, when it has its confirmations.
 */
export const BUSY = { share: 0.1, max: 20, transactionsPerHour: 4 } as const;

/** Estimates a configuration. `errors` is what does not fit, and how it would, one sentence each. */
export function planOf(config: Config) {
  const networks = config.networks.map((network) => planNetwork(network, config));
  const collectorSeries = sum(networks.flatMap(({ collectors }) => collectors.map(({ series }) => series)));
  const ownSeries = ownSeriesOf(networks.flatMap(({ collectors }) => collectors).length);
  const series = collectorSeries + ownSeries;
  const errors = networks.flatMap(({ network, budgetError }) =>
    budgetError === undefined ? [] : [`network ${network} does not fit its budget: ${budgetError}`],
  );
  if (series > config.maxSeries) {
    errors.push(
      `about ${series} series are more than max_series (${config.maxSeries}), so new assets, topics and labels of ` +
        `event rules count as other; to fit: max_series >= ${series}`,
    );
  }
  return { networks, collectorSeries, ownSeries, errors };
}

function planNetwork(network: NetworkConfig, { shard }: Config) {
  const [upstream, ...others] = network.upstreams;
  const { perMinute, perMonth = Number.POSITIVE_INFINITY } = exporterPart(upstream.budget);
  const collectors = planPolls(network, upstream.budget)
    .filter(({ targets }) => targets > 0)
    .map((pacing): CollectorPlan => {
      const settings = network.collectors.find(({ name }) => name === pacing.collector.name) as CollectorConfig;
      const series = settings.isHidden ? 0 : seriesOfTargets(pacing.collector, settings.options, network);
      const busyPerMinute = busyRequests(pacing, settings.options);
      return { ...pacing, busyPerMinute, series, usualAgeMs: pacing.intervalMs + settings.timeoutMs };
    });
  const requestsPerMinute = sum(collectors.map((row) => row.requestsPerMinute));
  const busyPerMinute = sum(collectors.map((row) => row.busyPerMinute));
  // Beyond the budget, early polls wait.
  const left = Math.max(0, Math.min(perMinute, perMonth / MINUTES_PER_MONTH) - requestsPerMinute);
  const share = busyPerMinute <= left ? 1 : left / busyPerMinute;
  return {
    network: network.name,
    upstream,
    collectors: collectors.map((row) => ({ ...row, busyPerMinute: row.busyPerMinute * share })),
    requestsPerMinute,
    busyPerMinute: busyPerMinute * share,
    peakPerMinute: sum(collectors.map((row) => row.peakPerMinute)),
    ...fitOf(network, upstream.budget, shard?.count),
    /** What would not fit if another upstream took over. */
    others: others.map(({ name, budget }) => ({ name, ...fitOf(network, budget, shard?.count) })),
  };
}

// Requests a minute of the busy targets, in addition to their polls.
function busyRequests({ collector, targets, requestsPerPoll }: Pacing, options: unknown): number {
  if (!isRoundRobin(collector)) return 0;
  const perTransaction = requestsPerPoll + (collector.requestsPerTransaction?.(options) ?? 0);
  return (Math.min(BUSY.max, Math.ceil(targets * BUSY.share)) * BUSY.transactionsPerHour * perTransaction) / 60;
}
