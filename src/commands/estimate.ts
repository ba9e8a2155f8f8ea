// Estimates requests, series and ages of a configuration, and whether they fit the budget, without calling the API.
import { sum } from "../api/budget-limits.ts";
import type { CollectorConfig, Config, NetworkConfig } from "../config/config.ts";
import { type Pacing, planPolls } from "../scheduler/pacing.ts";
import { fitOf } from "./fit.ts";
import { ownSeriesOf, seriesOfTargets } from "./series.ts";

/** The costs of one collector on one network. */
export interface CollectorPlan extends Pacing {
  /** Series when all data is available. For watched principals, an estimate that depends on their activity. */
  readonly series: number;
  /** Highest age of a value of a quiet target while every poll succeeds. Milliseconds. */
  readonly usualAgeMs: number;
}

/** The plan of one network within the budget of its preferred upstream. */
export type NetworkPlan = ReturnType<typeof planNetwork>;

/** The plan of a configuration. */
export type Plan = ReturnType<typeof planOf>;

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
  const collectors = planPolls(network, upstream.budget)
    .filter(({ targets }) => targets > 0)
    .map((pacing): CollectorPlan => {
      const settings = network.collectors.find(({ name }) => name === pacing.collector.name) as CollectorConfig;
      const series = settings.isHidden ? 0 : seriesOfTargets(pacing.collector, settings.options, network);
      return { ...pacing, series, usualAgeMs: pacing.intervalMs + settings.timeoutMs };
    });
  return {
    network: network.name,
    upstream,
    collectors,
    requestsPerMinute: sum(collectors.map((row) => row.requestsPerMinute)),
    peakPerMinute: sum(collectors.map((row) => row.peakPerMinute)),
    ...fitOf(network, upstream.budget, shard?.count),
    /** What would not fit if another upstream took over. */
    others: others.map(({ name, budget }) => ({ name, ...fitOf(network, budget, shard?.count) })),
  };
}
