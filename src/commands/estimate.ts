// Estimates requests, series and ages of a configuration, and whether they fit the budget, without calling the API.
import { sum, type WindowLimits } from "../api/budget.ts";
import { type AnyCollector, targetsOf } from "../collectors/collector.ts";
import { configuredSamples } from "../collectors/configured.ts";
import { seriesOfRules } from "../collectors/event-rules/evaluate.ts";
import { shorten } from "../config/errors.ts";
import { formatDuration, parseSchedule } from "../config/interval.ts";
import { type CollectorConfig, type Config, type NetworkConfig, schedulesFor } from "../config/settings.ts";
import { MAX_REQUESTS } from "../config/upstream-settings.ts";
import type { Family } from "../exposition/family.ts";
import { type Demand, demandsOf, firstPollsMs, neededBudget, type Pacing, pace } from "../scheduler/pacing.ts";

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
  const networks = config.networks.map((network) => planNetwork(network, config.shard?.count));
  const chainSeries =
    sum(networks.flatMap(({ collectors }) => collectors.map(({ series }) => series))) +
    sum(config.networks.map((network) => [...configuredSamples(network)].length));
  const ownSeries = ownSeriesOf(networks.flatMap(({ collectors }) => collectors).length);
  const series = chainSeries + ownSeries;
  const errors = networks.flatMap(({ network, cure }) =>
    cure === undefined ? [] : [`network ${network} does not fit its budget; to fit: ${cure}`],
  );
  if (series > config.maxSeries) {
    errors.push(
      `about ${series} series are more than max_series (${config.maxSeries}), so new assets, topics and labels of ` +
        `event rules count as other; to fit: max_series >= ${series}`,
    );
  }
  return { networks, chainSeries, ownSeries, errors };
}

/** Estimates a network. @param shards among which the configured budget is divided: the network is the part of one */
export function planNetwork(network: NetworkConfig, shards = 1) {
  const [upstream, ...others] = network.upstreams;
  const demands = demandsOf(network).filter(({ targets }) => targets > 0);
  const collectors = pace(demands, upstream.budget).map((pacing): CollectorPlan => {
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
    /** Intervals that the budget increases, and groups without an address. A shard has a part of the addresses. */
    notes: [...collectors.filter(isSlower).map(slowerText), ...(shards === 1 ? emptyGroupsOf(network) : [])],
    firstPollsMs: firstPollsMs(collectors, upstream.budget),
    cure: cureOf(demands, upstream.budget, shards),
    /** What would be needed if another upstream took over. */
    others: others.map(({ name, budget }) => ({ name, cure: cureOf(demands, budget, shards) })),
  };
}

function emptyGroupsOf({ addresses, collectors, summedGroups }: NetworkConfig): readonly string[] {
  const chosen = collectors.flatMap(({ options }) => (options as { readonly groups?: readonly string[] }).groups ?? []);
  const known = new Set(addresses.map(({ group }) => group));
  const empty = [...new Set([...summedGroups, ...chosen])].filter((group) => !known.has(group));
  return empty.map((group) => `no address is in the group ${shorten(group)}`);
}

// An interval that is longer by less than a thousandth is kept.
const isSlower = ({ intervalMs, configuredIntervalMs }: Pacing): boolean => intervalMs > configuredIntervalMs * 1.001;

const slowerText = ({ targets, collector, intervalMs, configuredIntervalMs }: Pacing): string =>
  `the budget allows ${collector.name} (${targets} targets) every ${spanText(intervalMs)}, not every ${spanText(configuredIntervalMs)}`;

/** A duration, rounded up to seconds. */
export const spanText = (milliseconds: number): string => formatDuration(wholeOf(milliseconds / 1000) * 1000);

// The next whole number. The tolerance is for the rounding error of sums.
const wholeOf = (value: number): number => Math.ceil(value - 1e-6);

const isEnough = (limit: number | undefined, requests: number): boolean =>
  limit === undefined || wholeOf(requests) <= limit;

/**
 * With what polls fit, in words; undefined if they do. A default interval always does. The least budget with which
 * everything fits: `per_minute >= 100 and per_month >= 200000, or longer intervals`.
 */
function cureOf(demands: readonly Demand[], budget: WindowLimits, shards: number): string | undefined {
  const { perMinute: minute, perMonth: month } = neededBudget(demands);
  if (isEnough(budget.perMinute, minute) && isEnough(budget.perMonth, month)) return undefined;
  // With a larger month, default schedules can be those of another preset.
  const isOther = !isEnough(budget.perMonth, month) && schedulesFor(month * shards) === "keyless";
  const needed = neededBudget(isOther ? demands.map(keyless) : demands);
  const [perMinute, perMonth] = [wholeOf(needed.perMinute) * shards, wholeOf(needed.perMonth) * shards];
  const isPossible = perMinute <= MAX_REQUESTS.perMinute && perMonth <= MAX_REQUESTS.perMonth;
  const limits = [
    ...(isEnough(budget.perMinute, needed.perMinute) ? [] : [`per_minute >= ${perMinute}`]),
    ...(isEnough(budget.perMonth, needed.perMonth) ? [] : [`per_month >= ${perMonth}`]),
  ].join(" and ");
  return `${isPossible ? `${limits}, or ` : ""}longer intervals`;
}

const keyless = (demand: Demand): Demand => {
  if (!demand.isDefault) return demand;
  return { ...demand, ...parseSchedule(demand.collector.schedule.keyless) };
};

/**
 * Series of the exporter itself, with this number of collectors on all networks. Measured on a page; most are those of
 * each collector: its failures by reason.
 */
const ownSeriesOf = (collectors: number): number => 60 + 35 * collectors;

/** Typical series of all targets of a collector. The sums of a group are about as many as those of a target. */
function seriesOfTargets(collector: AnyCollector, options: unknown, network: NetworkConfig): number {
  const { families, sums = [], typicalSeries } = collector;
  const all = targetsOf(collector, network, options);
  const observed = families.filter((family) => sums.every(({ as }) => as !== family));
  const ofEach = observed.map((family) => typicalSeries?.[family.name] ?? seriesOf(family));
  const groups = new Set(all.map(({ key, watched }) => (watched?.isSummed ? `group ${watched.group}` : key)));
  return groups.size * sum(ofEach) + sum(all.map(({ watched }) => seriesOfRules(watched?.rules ?? [])));
}

/** Series of every combination of label values. */
const seriesOf = (family: Family): number =>
  family.labelNames.reduce((product, name) => product * (family.labels[name]?.values?.length ?? 1), 1);
