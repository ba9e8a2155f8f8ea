// What a configuration will cost, reckoned without any request: requests against the budget, series, ages.
import { REASONS } from "./api/errors.ts";
import { type AnyCollector, targetsOf } from "./collectors/collector.ts";
import { collectorFamilies, collectorOf } from "./collectors/index.ts";
import type { CollectorConfig, Config, NetworkConfig, UpstreamConfig } from "./config/config.ts";
import type { Family } from "./exposition/family.ts";
import { MINUTES_PER_MONTH } from "./telemetry/report.ts";
import * as own from "./telemetry/self-metrics.ts";

/** What one collector costs on one network. */
export interface CollectorPlan {
  readonly collector: string;
  readonly intervalSeconds: number;
  /** Watched principals, or 1 for the whole chain. */
  readonly targets: number;
  /** Time in which every target is polled once: the interval, or longer when the budget does not allow that pace. Seconds. */
  readonly roundSeconds: number;
  readonly requestsPerPoll: number;
  readonly requestsPerMinute: number;
  readonly requestsPerMonth: number;
  /** Most requests that can fall into one minute. */
  readonly peakPerMinute: number;
  /** Series when everything is there; of watched principals about, because that depends on what they do. */
  readonly series: number;
  /** Oldest that a value gets while every poll succeeds. Seconds. */
  readonly usualAgeSeconds: number;
  /** Age at which a value disappears: nothing older is ever served. Seconds. */
  readonly worstAgeSeconds: number;
}

/** What a network costs, and what of it does not fit. */
export interface NetworkPlan {
  readonly network: string;
  readonly collectors: readonly CollectorPlan[];
  readonly requestsPerMinute: number;
  readonly requestsPerMonth: number;
  readonly peakPerMinute: number;
  readonly budgetPerMinute: number;
  readonly budgetPerMonth: number | undefined;
  /** One sentence for everything that does not fit; empty when all does. */
  readonly misfits: readonly string[];
}

/** What an upstream costs that is not active, and what would not fit if it took over. */
export interface StandbyPlan {
  readonly network: string;
  readonly upstream: string;
  /** Probes while it is not active. */
  readonly requestsPerMinute: number;
  /** One sentence for everything that would not fit into its budget. */
  readonly misfits: readonly string[];
}

/** The plan of a whole configuration. */
export interface Plan {
  /** Within the budget of the preferred upstream of each network. */
  readonly networks: readonly NetworkPlan[];
  readonly standbys: readonly StandbyPlan[];
  /** Series of all collectors on all networks. */
  readonly collectorSeries: number;
  /** Series of the exporter's own families, about: they grow with the status codes that the server uses. */
  readonly ownSeries: number;
  /** Series that there may be, as configured. */
  readonly maxSeries: number;
  readonly seriesFit: boolean;
}

// Process and Node.js families of the client library, with one garbage collection of each kind.
const PROCESS_SERIES = 80;

function seriesOf(family: Family, sizes: Readonly<Record<string, number>>): number {
  const sets = family.labelNames.reduce((product, name) => {
    const size = family.labels[name]?.values?.length ?? sizes[name] ?? 1;
    return product * size;
  }, 1);
  return sets * linesOf(family);
}

/** Series of one target: those of the collector's example, or else every combination of labels. */
function seriesPerTarget(collector: AnyCollector, options: unknown, network: NetworkConfig): number {
  const [target] = targetsOf(collector, network);
  const example = collector.example?.(options);
  if (example === undefined || target === undefined) {
    return collector.families.reduce((sum, family) => sum + seriesOf(family, { operation: 1 }), 0);
  }
  const samples = [...collector.samples(example, network.name, target)];
  return samples.reduce((sum, { family }) => sum + linesOf(family), 0);
}

const linesOf = ({ kind, bounds }: Family): number => (kind === "histogram" ? bounds.length + 3 : 1);

/** The collectors of a network that have something to look at. */
export function busyCollectors(network: NetworkConfig): readonly CollectorConfig[] {
  return network.collectors.filter(({ name }) => targetsOf(collectorOf(name), network).length > 0);
}

const MINUTE_MS = 60_000;

// Of what the others leave of the budget, the even sweeps plan with so much. The rest is for targets that are known to have
// moved, and for those that are behind.
const SWEPT_SHARE = 0.8;

/** Estimates one network, within the budget of one of its upstreams. @param upstream default: the preferred one. */
export function planNetwork(network: NetworkConfig, upstream: UpstreamConfig = network.upstreams[0]): NetworkPlan {
  const { perMinute, perMonth } = upstream.budget;
  const perMinuteOfMonth = perMonth === undefined ? Number.POSITIVE_INFINITY : perMonth / MINUTES_PER_MONTH;
  const misfits: string[] = [];
  const rows: CollectorPlan[] = [];
  // The more important ones first: what they need is not there for the others. What is swept comes last, and shares the rest.
  const [fixed, swept] = [false, true].map((isSwept) =>
    busyCollectors(network)
      .filter(({ name }) => (collectorOf(name).targets !== undefined) === isSwept)
      .toSorted((a, b) => priorityOf(a) - priorityOf(b)),
  ) as [CollectorConfig[], CollectorConfig[]];
  const costOf = ({ name, intervalMs, options }: CollectorConfig) => {
    const collector = collectorOf(name);
    const targets = targetsOf(collector, network).length;
    const requestsPerPoll = collector.requestsPerPoll(options, intervalMs / 1000);
    return { targets, requestsPerPoll, perRound: targets * requestsPerPoll };
  };
  let stretch = 1;
  for (const settings of [...fixed, ...swept]) {
    const collector = collectorOf(settings.name);
    const wishedSeconds = settings.intervalMs / 1000;
    const { targets, requestsPerPoll, perRound } = costOf(settings);
    const taken = (pick: (row: CollectorPlan) => number) => rows.reduce((total, row) => total + pick(row), 0);
    if (settings === swept[0]) {
      const free = Math.min(
        perMinute - taken((row) => row.peakPerMinute),
        perMinuteOfMonth - taken((row) => row.requestsPerMinute),
      );
      const wanted = swept.reduce((sum, one) => sum + (costOf(one).perRound * MINUTE_MS) / one.intervalMs, 0);
      // At least one request in ten minutes goes to them, come what may.
      stretch = Math.max(1, wanted / (Math.max(free, 0.1) * SWEPT_SHARE));
    }
    const isSwept = swept.includes(settings);
    // Only a list of targets can be stretched.
    const roundSeconds = isSwept ? wishedSeconds * stretch : wishedSeconds;
    if (roundSeconds > wishedSeconds * 1.001) {
      misfits.push(
        `${targets === 1 ? "the target" : `the ${targets} targets`} of ${collector.name} ${targets === 1 ? "is" : "are"} polled every ${Math.ceil(roundSeconds)} s instead of every ${wishedSeconds} s`,
      );
    }
    rows.push({
      collector: collector.name,
      intervalSeconds: wishedSeconds,
      targets,
      roundSeconds,
      requestsPerPoll,
      requestsPerMinute: (perRound * 60) / roundSeconds,
      requestsPerMonth: ((perRound * 60) / roundSeconds) * MINUTES_PER_MONTH,
      peakPerMinute: isSwept
        ? Math.ceil((perRound * 60) / roundSeconds)
        : perRound * (Math.floor(60 / wishedSeconds) + 1),
      series: targets * seriesPerTarget(collector, settings.options, network),
      usualAgeSeconds: roundSeconds + settings.timeoutMs / 1000,
      worstAgeSeconds: Math.max(settings.maxAgeMs / 1000, roundSeconds > wishedSeconds ? 3 * roundSeconds : 0),
    });
  }
  const sum = (pick: (row: CollectorPlan) => number) => rows.reduce((total, row) => total + pick(row), 0);
  const [requestsPerMinute, requestsPerMonth, peakPerMinute] = [
    sum((row) => row.requestsPerMinute),
    sum((row) => row.requestsPerMonth),
    sum((row) => row.peakPerMinute),
  ];
  if (peakPerMinute > perMinute) {
    misfits.push(`the busiest minute needs ${round(peakPerMinute)} requests, and the budget is ${perMinute}`);
  }
  if (perMonth !== undefined && requestsPerMonth > perMonth * 1.000001) {
    misfits.push(`a month of 31 days needs ${round(requestsPerMonth)} requests, and the budget is ${perMonth}`);
  }
  return {
    network: network.name,
    collectors: rows,
    requestsPerMinute,
    requestsPerMonth,
    peakPerMinute,
    budgetPerMinute: perMinute,
    budgetPerMonth: perMonth,
    misfits,
  };
}

const priorityOf = ({ name }: CollectorConfig): number => collectorOf(name).priority;

const round = (value: number): string => String(Math.ceil(value * 100 - 1e-9) / 100);

// These have series only once something went wrong, or once the server told of its own limits.
const RARE: readonly { readonly name: string }[] = [
  own.retries,
  own.drift,
  own.pauseEnd,
  own.ratelimitLimit,
  own.ratelimitRemaining,
  own.watchListSuccessful,
  own.watchListSuccess,
  own.series,
];

function ownSeriesOf(network: NetworkConfig): number {
  const enabled = busyCollectors(network).map(({ name }) => collectorOf(name));
  const swept = enabled.filter(({ targets }) => targets !== undefined).length;
  const sizes = {
    upstream: network.upstreams.length,
    collector: enabled.length,
    operation: enabled.flatMap(({ operations }) => operations).length,
    reason: Object.keys(REASONS).length,
    code: 1,
  };
  return own.selfMetrics
    .filter((family) => !RARE.includes(family))
    .reduce((total, family) => {
      // A collector has operations that it asks only where others are missing.
      const asked = family.name === own.requestDuration.name ? { ...sizes, operation: enabled.length } : sizes;
      return total + seriesOf(family, family.name === own.hints.name ? { ...sizes, collector: swept } : asked);
    }, 0);
}

function standbysOf(network: NetworkConfig): readonly StandbyPlan[] {
  const [, ...others] = network.upstreams;
  return others.map((upstream) => ({
    network: network.name,
    upstream: upstream.name,
    requestsPerMinute: MINUTE_MS / network.failover.probeEveryMs,
    misfits: planNetwork(network, upstream).misfits,
  }));
}

/** Estimates a configuration. */
export function planOf(config: Config): Plan {
  const networks = config.networks.map((network) => planNetwork(network));
  const standbys = config.networks.flatMap(standbysOf);
  const collectorSeries = networks.flatMap(({ collectors }) => collectors).reduce((sum, { series }) => sum + series, 0);
  const ownSeries =
    config.networks.reduce((sum, network) => sum + ownSeriesOf(network), 0) +
    collectorFamilies.length +
    own.selfMetrics.length +
    PROCESS_SERIES;
  const { maxSeries } = config;
  return {
    networks,
    standbys,
    collectorSeries,
    ownSeries,
    maxSeries,
    seriesFit: collectorSeries + ownSeries <= maxSeries,
  };
}

/** The plan as text for a person. */
export function formatPlan(plan: Plan): string {
  const lines: string[] = [];
  for (const network of plan.networks) {
    lines.push(`network ${network.network}`);
    const header = [
      "collector",
      "targets",
      "every",
      "requests/poll",
      "requests/min",
      "requests/month",
      "series",
      "usual age",
      "never older than",
    ];
    const rows = network.collectors.map((row) => [
      row.collector,
      String(row.targets),
      `${Math.ceil(row.roundSeconds)}s`,
      String(row.requestsPerPoll),
      round(row.requestsPerMinute),
      String(Math.ceil(row.requestsPerMonth)),
      String(row.series),
      `<= ${Math.ceil(row.usualAgeSeconds)}s`,
      `${Math.ceil(row.worstAgeSeconds)}s`,
    ]);
    const widths = header.map((title, column) =>
      Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
    );
    const pad = (row: readonly string[]) =>
      `  ${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()}`;
    lines.push(...[header, ...rows].map(pad));
    lines.push(
      `  in all ${round(network.requestsPerMinute)} requests a minute of ${network.budgetPerMinute} (busiest minute ${round(network.peakPerMinute)}), ` +
        `${Math.ceil(network.requestsPerMonth)} a month of ${network.budgetPerMonth ?? "unlimited"}`,
    );
    lines.push(...network.misfits.map((misfit) => `  DOES NOT FIT: ${misfit}`));
    for (const { upstream, requestsPerMinute, misfits } of plan.standbys.filter(
      (one) => one.network === network.network,
    )) {
      lines.push(
        `  upstream ${upstream}: ${round(requestsPerMinute)} requests a minute for probes while it is not active`,
      );
      lines.push(...misfits.map((misfit) => `    if it takes over: ${misfit}`));
    }
  }
  if (plan.collectorSeries + plan.ownSeries > plan.maxSeries) {
    lines.push(
      `  DOES NOT FIT: the series are more than max_series (${plan.maxSeries}): new assets and topics become other`,
    );
  }
  lines.push(`series: about ${plan.collectorSeries} of the chain, about ${plan.ownSeries} of the exporter itself`);
  return lines.join("\n");
}
