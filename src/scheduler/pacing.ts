// Computes the intervals of the targets of a network within the request budget. Pure.
import { budgetFor, CAPACITY_MS, exporterPart, MINUTES_PER_MONTH, sum, type WindowLimits } from "../api/budget.ts";
import { type AnyCollector, type PollTimes, targetsOf } from "../collectors/collector.ts";
import { collectorOf } from "../collectors/index.ts";
import type { CollectorConfig, NetworkConfig } from "../config/settings.ts";

const MINUTE_MS = 60_000;

// Share of the remaining budget that round robins plan with. The rest is for early polls.
const ROUND_ROBIN_SHARE = 0.8;

// A round takes up to four intervals while many targets move.
const MAX_AGE_INTERVALS = 5;

// Round robins always get a request in ten minutes.
const MIN_PER_MINUTE = 0.1;

/** The polls that a collector has to make. */
export interface Demand extends Pick<CollectorConfig, "intervalMs" | "maxAgeMs" | "isDefault" | "options"> {
  readonly collector: AnyCollector;
  /** Watched principals, or 1 for the whole chain. */
  readonly targets: number;
}

/** The interval of a collector, and its requests. */
export interface Pacing extends PollTimes, Demand {
  readonly requestsPerPoll: number;
  readonly requestsPerMinute: number;
  /** Most requests that can fall into one minute. */
  readonly peakPerMinute: number;
}

/** The polls of every collector of a network, also of those without targets. */
export function demandsOf(network: NetworkConfig): readonly Demand[] {
  return network.collectors.map((settings) => {
    const collector = collectorOf(settings.name);
    return { ...settings, collector, targets: targetsOf(collector, network, settings.options).length };
  });
}

/**
 * Fits polls into a budget. Collectors of the whole chain keep their interval. The round robins share the rest of the
 * budget, and are slowed down alike if it is not sufficient. Each group is in order of priority.
 */
export function pace(demands: readonly Demand[], budget: WindowLimits): readonly Pacing[] {
  const { wholeChain, roundRobins, wanted } = unpacedPolls(demands);
  const perMinuteOfMonth = (budget.perMonth ?? Number.POSITIVE_INFINITY) / MINUTES_PER_MONTH;
  const free = Math.min(
    leftByChain(wholeChain, budget),
    perMinuteOfMonth - sum(wholeChain.map(({ requestsPerMinute }) => requestsPerMinute)),
  );
  const slowdown = Math.max(1, wanted / (Math.max(free, MIN_PER_MINUTE) * ROUND_ROBIN_SHARE));
  return [...wholeChain, ...roundRobins.map((pacing) => slowed(pacing, slowdown))];
}

/**
 * The budget that polls need, with the part of commands: collectors of the whole chain and configured intervals are
 * kept, and every round robin makes progress.
 */
export function neededBudget(demands: readonly Demand[]): WindowLimits & { readonly perMonth: number } {
  const { wholeChain, roundRobins, wanted } = unpacedPolls(demands);
  const peak = sum(wholeChain.map(({ peakPerMinute }) => peakPerMinute));
  const steady = sum(wholeChain.map(({ requestsPerMinute }) => requestsPerMinute));
  const all = wanted / ROUND_ROBIN_SHARE;
  const isConfigured = roundRobins.some(({ targets, isDefault }) => targets > 0 && !isDefault);
  const rest = isConfigured ? all : Math.min(all, MIN_PER_MINUTE);
  return { perMinute: budgetFor(peak + rest), perMonth: (steady + rest) * MINUTES_PER_MONTH };
}

// Requests of the first poll of a target: for its list or its balance, and for what that has.
const FIRST_POLL = 2;
// Some polls end before the budget of the minute has room, and are repeated: the first polls of 30 and of 100 wallets
// took 1.25 times as long as their requests need.
const REPEATED = 1.5;

/**
 * Time in which every watched target is polled for the first time: as fast as an unused budget allows, and at most the
 * time in which later polls would send as many requests. Milliseconds.
 */
export function firstPollsMs(pacings: readonly Pacing[], budget: WindowLimits): number {
  const ofChain = pacings.filter(isOfChain);
  const ofTargets = pacings.filter(({ collector, targets }) => isRoundRobin(collector) && targets > 0);
  const requests = FIRST_POLL * sum(ofTargets.map(({ targets }) => targets));
  const perMinute = leftByChain(pacings, budget);
  const month = budget.perMonth === undefined ? undefined : budget.perMonth / MINUTES_PER_MONTH;
  const refill = (month ?? 0) - sum(ofChain.map(({ requestsPerMinute }) => requestsPerMinute));
  const minutes = Math.max(
    (REPEATED * requests) / Math.max(perMinute, MIN_PER_MINUTE),
    month === undefined ? 0 : (requests - (month * CAPACITY_MS) / MINUTE_MS) / Math.max(refill, MIN_PER_MINUTE),
  );
  const inSlots = ofTargets.map(({ intervalMs, requestsPerPoll }) => (intervalMs * FIRST_POLL) / requestsPerPoll);
  return Math.min(Math.max(0, ...inSlots), Math.ceil(minutes) * MINUTE_MS) + MINUTE_MS;
}

// Requests of the check of an upstream, which is made before all polls.
const UPSTREAM_CHECK = 2;

/** Most requests a minute by priority. Polls that fit into a small budget do not wait for a check, which is rare. */
export function peakByPriority(pacings: readonly Pacing[], budget: WindowLimits): number[] {
  const peaks = [Math.max(0, Math.min(UPSTREAM_CHECK, leftByChain(pacings, budget)))];
  for (const { collector, peakPerMinute } of pacings) {
    peaks[collector.priority] = (peaks[collector.priority] ?? 0) + peakPerMinute;
  }
  return Array.from(peaks, (peak) => peak ?? 0);
}

/** Whether a collector polls watched principals in turn. */
export const isRoundRobin = (collector: AnyCollector): boolean => collector.targets !== undefined;

const isOfChain = ({ collector }: Demand): boolean => !isRoundRobin(collector);

/** Requests a minute that the collectors of the whole chain leave. */
const leftByChain = (pacings: readonly Pacing[], budget: WindowLimits): number =>
  exporterPart(budget).perMinute - sum(pacings.filter(isOfChain).map(({ peakPerMinute }) => peakPerMinute));

function unpacedPolls(demands: readonly Demand[]) {
  const all = demands.map(unpaced).toSorted((a, b) => a.collector.priority - b.collector.priority);
  const wholeChain = all.filter(isOfChain);
  const roundRobins = all.filter(({ collector }) => isRoundRobin(collector));
  return { wholeChain, roundRobins, wanted: sum(roundRobins.map(({ requestsPerMinute }) => requestsPerMinute)) };
}

function unpaced(demand: Demand): Pacing {
  const { collector, options, targets, intervalMs } = demand;
  const requestsPerPoll = collector.requestsPerPoll?.(options, intervalMs / 1000) ?? 1;
  const requests = targets * requestsPerPoll;
  return {
    ...demand,
    requestsPerPoll,
    configuredIntervalMs: intervalMs,
    requestsPerMinute: (requests * MINUTE_MS) / intervalMs,
    peakPerMinute: requests * (Math.floor(MINUTE_MS / intervalMs) + 1),
  };
}

function slowed(pacing: Pacing, slowdown: number): Pacing {
  const intervalMs = pacing.configuredIntervalMs * slowdown;
  const requestsPerMinute = pacing.requestsPerMinute / slowdown;
  const maxAgeMs = slowdown > 1 ? Math.max(pacing.maxAgeMs, MAX_AGE_INTERVALS * intervalMs) : pacing.maxAgeMs;
  return { ...pacing, intervalMs, maxAgeMs, requestsPerMinute, peakPerMinute: Math.ceil(requestsPerMinute) };
}
