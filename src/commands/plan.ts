// Estimates what a configuration costs, without calling the API: requests against the budget, series, ages.

import { MINUTES_PER_MONTH, sum } from "../api/budget-limits.ts";
import { REASONS } from "../api/errors.ts";
import { targetsOf } from "../collectors/collector.ts";
import { collectorFamilies } from "../collectors/index.ts";
import type { CollectorConfig, Config, NetworkConfig, UpstreamConfig } from "../config/config.ts";
import { type Family, seriesPerSample } from "../exposition/family.ts";
import { type Pacing, planPolls } from "../scheduler/pacing.ts";
import * as metrics from "../telemetry/self-metrics.ts";
import type { Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";

/** What one collector costs on one network. */
interface CollectorPlan extends Pacing {
  /** Series when all data is there. An estimate for watched principals: it depends on what they do. */
  readonly series: number;
  /** Highest age of a value while every poll succeeds. Milliseconds. */
  readonly usualAgeMs: number;
}

type NetworkPlan = ReturnType<typeof planNetwork>;
type Plan = ReturnType<typeof planOf>;

/** Prints the plan; the exit code is 1 when something does not fit. */
export async function plan(flags: ConfigFlags, io: Io): Promise<number> {
  const { config } = await loadConfigFile(flags, io);
  const planned = planOf(config);
  io.out(`${formatPlan(planned)}\n`);
  return planned.fits ? 0 : 1;
}

/**
 * Estimates a configuration: each network within the budget of its preferred upstream, with plans for the case that
 * another one takes over, and the series of collectors and exporter.
 */
export function planOf(config: Config) {
  const { maxSeries } = config;
  const networks = config.networks.map((network) => {
    const [preferred, ...others] = network.upstreams.map((upstream) => planNetwork(network, upstream));
    return { ...(preferred as NetworkPlan), probesPerMinute: 60_000 / network.failover.probeEveryMs, others };
  });
  const collectorSeries = sum(networks.flatMap(({ collectors }) => collectors.map(({ series }) => series)));
  const helpAndProcess = collectorFamilies.length + metrics.selfMetrics.length + PROCESS_SERIES;
  const ownSeries = sum(networks.map(ownSeriesOf)) + helpAndProcess;
  const fits = collectorSeries + ownSeries <= maxSeries && networks.every(({ warnings }) => warnings.length === 0);
  return { networks, collectorSeries, ownSeries, maxSeries, fits };
}

// What a network costs within the budget of one of its upstreams, with a warning for everything that does not fit.
function planNetwork(network: NetworkConfig, upstream: UpstreamConfig) {
  const { perMinute, perMonth } = upstream.budget;
  const collectors = planPolls(network, upstream.budget)
    .filter(({ targets }) => targets > 0)
    .map((pacing): CollectorPlan => {
      const settings = network.collectors.find(({ name }) => name === pacing.collector.name) as CollectorConfig;
      const series = pacing.targets * seriesPerTarget(pacing, settings.options, network);
      return { ...pacing, series, usualAgeMs: pacing.intervalMs + settings.timeoutMs };
    });
  const requestsPerMinute = sum(collectors.map((row) => row.requestsPerMinute));
  const requestsPerMonth = requestsPerMinute * MINUTES_PER_MONTH;
  const peakPerMinute = sum(collectors.map((row) => row.peakPerMinute));
  const warnings = collectors
    .filter(({ intervalMs, configuredIntervalMs }) => intervalMs > configuredIntervalMs * 1.001)
    .map(({ targets, collector, intervalMs, configuredIntervalMs }) => {
      const polled =
        targets === 1 ? `the target of ${collector.name} is` : `the ${targets} targets of ${collector.name} are`;
      return `${polled} polled every ${seconds(intervalMs)} s instead of every ${configuredIntervalMs / 1000} s`;
    });
  if (peakPerMinute > perMinute) {
    warnings.push(`the busiest minute needs ${round(peakPerMinute)} requests, and the budget is ${perMinute}`);
  }
  if (perMonth !== undefined && requestsPerMonth > perMonth * 1.000001) {
    warnings.push(`a month of 31 days needs ${round(requestsPerMonth)} requests, and the budget is ${perMonth}`);
  }
  const { name } = network;
  return { network: name, upstream, collectors, requestsPerMinute, requestsPerMonth, peakPerMinute, warnings };
}

// Process and Node.js families of the client library, with one garbage collection of each kind.
const PROCESS_SERIES = 80;

/** Series of every combination of label values. @param sizes values of labels that the family does not list */
function seriesOf(family: Family, sizes: Readonly<Record<string, number>>): number {
  const combinations = family.labelNames.reduce(
    (product, name) => product * (family.labels[name]?.values?.length ?? sizes[name] ?? 1),
    1,
  );
  return combinations * seriesPerSample(family);
}

/** Series of one target: those of the collector's example, or else every combination of labels. */
function seriesPerTarget({ collector }: Pacing, options: unknown, network: NetworkConfig): number {
  const [target] = targetsOf(collector, network);
  const example = collector.example?.(options);
  if (example === undefined || target === undefined) {
    return sum(collector.families.map((family) => seriesOf(family, { operation: 1 })));
  }
  return sum([...collector.samples(example, network.name, target)].map(({ family }) => seriesPerSample(family)));
}

// These have series only after a failure, or once the server reports its limits.
const RARE: readonly { readonly name: string }[] = [
  metrics.retries,
  metrics.drift,
  metrics.pauseEnd,
  metrics.ratelimitLimit,
  metrics.ratelimitRemaining,
  metrics.watchListSuccessful,
  metrics.watchListSuccess,
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

const round = (value: number): string => String(Math.ceil(value * 100 - 1e-9) / 100);
const seconds = (milliseconds: number): number => Math.ceil(milliseconds / 1000);

const COLUMNS: readonly (readonly [string, (row: CollectorPlan) => string | number])[] = [
  ["collector", ({ collector }) => collector.name],
  ["targets", ({ targets }) => targets],
  ["every", ({ intervalMs }) => `${seconds(intervalMs)}s`],
  ["requests/poll", ({ requestsPerPoll }) => requestsPerPoll],
  ["requests/min", ({ requestsPerMinute }) => round(requestsPerMinute)],
  ["requests/month", ({ requestsPerMinute }) => Math.ceil(requestsPerMinute * MINUTES_PER_MONTH)],
  ["series", ({ series }) => series],
  ["usual age", ({ usualAgeMs }) => `<= ${seconds(usualAgeMs)}s`],
  ["never older than", ({ maxAgeMs }) => `${seconds(maxAgeMs)}s`],
];

function tableOf(rows: readonly CollectorPlan[]): string[] {
  const columns = COLUMNS.map(([title, cell]) => {
    const cells = [title, ...rows.map((row) => String(cell(row)))];
    const width = Math.max(...cells.map(({ length }) => length));
    return cells.map((text) => text.padEnd(width));
  });
  return ["", ...rows].map((_, line) => `  ${columns.map((cells) => cells[line]).join("  ")}`.trimEnd());
}

/** The plan as text. */
export function formatPlan({ networks, collectorSeries, ownSeries, maxSeries }: Plan): string {
  const lines = networks.flatMap(({ network, upstream, probesPerMinute, others, ...total }) => [
    `network ${network}`,
    ...tableOf(total.collectors),
    `  in all ${round(total.requestsPerMinute)} requests a minute of ${upstream.budget.perMinute} ` +
      `(busiest minute ${round(total.peakPerMinute)}), ` +
      `${Math.ceil(total.requestsPerMonth)} a month of ${upstream.budget.perMonth ?? "unlimited"}`,
    ...total.warnings.map((warning) => `  DOES NOT FIT: ${warning}`),
    ...others.flatMap((other) => [
      `  upstream ${other.upstream.name}: ${round(probesPerMinute)} requests a minute ` +
        "for probes while it is not active",
      ...other.warnings.map((warning) => `    if it takes over: ${warning}`),
    ]),
  ]);
  if (collectorSeries + ownSeries > maxSeries) {
    lines.push(
      `  DOES NOT FIT: the series are more than max_series (${maxSeries}): new assets and topics become other`,
    );
  }
  lines.push(`series: about ${collectorSeries} of the chain, about ${ownSeries} of the exporter itself`);
  return lines.join("\n");
}
