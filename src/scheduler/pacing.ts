// How often the targets of a network can be polled within the request budget. Pure.
import { MINUTES_PER_MONTH, sum } from "../api/budget-limits.ts";
import { type AnyCollector, targetsOf, type WatchedNetwork } from "../collectors/collector.ts";
import { collectorOf } from "../collectors/index.ts";

const MINUTE_MS = 60_000;

// Share of the remaining budget that round robins plan with. The rest is for early polls.
const ROUND_ROBIN_SHARE = 0.8;

// Round robins always get a request in ten minutes.
const LEAST_PER_MINUTE = 0.1;

/** Requests; no limit of the month when `perMonth` is undefined. */
export interface Budget {
  readonly perMinute: number;
  readonly perMonth: number | undefined;
}

/** Times of the polls of a collector, in milliseconds. */
export interface PollTimes {
  /** Time between two polls of the same target. */
  readonly intervalMs: number;
  /** That time as configured. */
  readonly configuredIntervalMs: number;
  /** Age at which values disappear. */
  readonly maxAgeMs: number;
}

/** How often a collector polls, and what that costs. */
export interface Pacing extends PollTimes {
  readonly collector: AnyCollector;
  /** Watched principals, or 1 for the whole chain. */
  readonly targets: number;
  readonly requestsPerPoll: number;
  readonly requestsPerMinute: number;
  /** Most requests that can fall into one minute. */
  readonly peakPerMinute: number;
}

interface Settings {
  readonly name: string;
  readonly intervalMs: number;
  readonly maxAgeMs: number;
  readonly options: unknown;
}

interface PolledNetwork extends WatchedNetwork {
  readonly collectors: readonly Settings[];
}

/**
 * Plans the polls of every collector of a network, also of those without targets. Collectors of the whole chain keep
 * their interval and come first; then the round robins, which share the rest of the budget and are slowed down alike
 * when it is not enough. Each group is in order of priority.
 */
export function planPolls(network: PolledNetwork, budget: Budget): readonly Pacing[] {
  const all = network.collectors
    .map((settings) => unpaced(network, settings))
    .toSorted((a, b) => a.collector.priority - b.collector.priority);
  const wholeChain = all.filter(({ collector }) => !isRoundRobin(collector));
  const roundRobins = all.filter(({ collector }) => isRoundRobin(collector));
  const perMinuteOfMonth = (budget.perMonth ?? Number.POSITIVE_INFINITY) / MINUTES_PER_MONTH;
  const free = Math.min(
    budget.perMinute - sum(wholeChain.map(({ peakPerMinute }) => peakPerMinute)),
    perMinuteOfMonth - sum(wholeChain.map(({ requestsPerMinute }) => requestsPerMinute)),
  );
  const wanted = sum(roundRobins.map(({ requestsPerMinute }) => requestsPerMinute));
  const slowdown = Math.max(1, wanted / (Math.max(free, LEAST_PER_MINUTE) * ROUND_ROBIN_SHARE));
  return [...wholeChain, ...roundRobins.map((pacing) => slowed(pacing, slowdown))];
}

/** Most requests a minute by priority. */
export function peakByPriority(pacings: readonly Pacing[]): number[] {
  const peaks: number[] = [];
  for (const { collector, peakPerMinute } of pacings) {
    peaks[collector.priority] = (peaks[collector.priority] ?? 0) + peakPerMinute;
  }
  return Array.from(peaks, (peak) => peak ?? 0);
}

const isRoundRobin = (collector: AnyCollector): boolean => collector.targets !== undefined;

function unpaced(network: WatchedNetwork, { name, intervalMs, maxAgeMs, options }: Settings): Pacing {
  const collector = collectorOf(name);
  const targets = targetsOf(collector, network).length;
  const requestsPerPoll = collector.requestsPerPoll(options, intervalMs / 1000);
  const requests = targets * requestsPerPoll;
  return {
    collector,
    targets,
    requestsPerPoll,
    intervalMs,
    configuredIntervalMs: intervalMs,
    maxAgeMs,
    requestsPerMinute: (requests * MINUTE_MS) / intervalMs,
    peakPerMinute: requests * (Math.floor(MINUTE_MS / intervalMs) + 1),
  };
}

function slowed(pacing: Pacing, slowdown: number): Pacing {
  const intervalMs = pacing.configuredIntervalMs * slowdown;
  const requestsPerMinute = pacing.requestsPerMinute / slowdown;
  const maxAgeMs = slowdown > 1 ? Math.max(pacing.maxAgeMs, 3 * intervalMs) : pacing.maxAgeMs;
  return { ...pacing, intervalMs, maxAgeMs, requestsPerMinute, peakPerMinute: Math.ceil(requestsPerMinute) };
}
