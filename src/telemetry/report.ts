// What the exporter says about itself, made from the state of the polls and of the API clients. Pure.
import type { Outage } from "../api/circuit.ts";
import type { Reason } from "../api/errors.ts";
import type { RateLimit } from "../api/rate-limits.ts";
import type { Retired } from "../api/retirement.ts";
import type { Task } from "../collectors/task.ts";
import type { Sample } from "../exposition/family.ts";
import type { Standing, State } from "../storage/state.ts";
import type { StoreFacts } from "../storage/store.ts";
import * as own from "./self-metrics.ts";

/** One window of a budget; requests. */
export interface WindowUse {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
}

/** Why an upstream, or a whole network, cannot be used. */
export interface BlockedReport {
  readonly reason: Reason;
  /** Not masked. */
  readonly message: string;
  /** Unix time, milliseconds. */
  readonly since: number;
}

/** One server of a network. */
export interface UpstreamReport {
  readonly name: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly isActive: boolean;
  /** Undefined before the first contact. */
  readonly isUp: boolean | undefined;
  /** Undefined until it was told. */
  readonly tipHeight: number | undefined;
  /** Blocks behind the highest known tip; undefined until its own tip was told. */
  readonly lagBlocks: number | undefined;
  /** Undefined while it is up. */
  readonly cause: BlockedReport | undefined;
}

/** What the clients of a network say. Budget, pause, retired operations and quotas are those of the active upstream. Times are Unix time in milliseconds. */
export interface NetworkReport {
  readonly network: string;
  /** Scheme, host and port of the active upstream: no path, because some providers put a token into it. */
  readonly origin: string;
  /** In the order of the configuration. */
  readonly upstreams: readonly UpstreamReport[];
  /** Why nothing is polled; undefined while the network is polled. */
  readonly blocked: BlockedReport | undefined;
  readonly minute: WindowUse;
  /** Undefined when the month is not limited. */
  readonly month: WindowUse | undefined;
  readonly plannedPerMinute: number;
  readonly pausedUntil: number | undefined;
  /** Longest pause that a 429 can cause. Milliseconds. */
  readonly longestPauseMs: number;
  /** What does not answer now: the whole server, or one operation. */
  readonly outage: Outage | undefined;
  /** Every operation that may be asked. */
  readonly operations: readonly string[];
  /** Those of them that are retired. */
  readonly retired: readonly Retired[];
  /** Quotas of the server, as its headers last said. */
  readonly rateLimits: readonly RateLimit[];
}

/** How the last reading of the watch list went. */
export interface WatchListReport {
  readonly isGood: boolean;
  /** When one was good. Unix time, milliseconds. */
  readonly lastGoodAt: number;
  /** What was wrong with it, and since when: the first mistake, and how many there are. Not masked. */
  readonly refusal?: { readonly at: number; readonly mistake: string; readonly mistakes: number };
}

/** What is reported beside the polls. */
export interface Surroundings {
  readonly networks: readonly NetworkReport[];
  readonly versions: { readonly version: string; readonly node: string };
  /** Undefined when nothing of it is in a file. */
  readonly watchList: WatchListReport | undefined;
}

/** Length of the month that budgets reckon with. */
export const MINUTES_PER_MONTH = 31 * 24 * 60;

/** The state that a collector is in, once its first poll has ended. */
export function stateOf({ failure }: Standing, isPaused: boolean): own.State {
  if (failure?.reason === "gone") return "retired";
  if (isPaused || failure?.reason === "rate_limited" || failure?.reason === "budget") return "paused";
  return failure === undefined ? "active" : "degraded";
}

/** Of one collector on one network: all its targets together. */
function* collectorSamples(tasks: readonly Task[], state: State, isPaused: boolean): Iterable<Sample> {
  const [first] = tasks;
  if (first === undefined) return;
  const labels = { network: first.network, collector: first.collector.name };
  yield own.interval.at(labels, first.intervalMs / 1000);
  yield own.stretch.at(labels, first.intervalMs / first.wishedIntervalMs);
  yield own.maxAge.at(labels, first.maxAgeMs / 1000);
  const standings = tasks.map((task) => state.of(task));
  const ended = standings.filter(({ lastEndAt }) => lastEndAt !== undefined);
  const inState = ended.map((standing) => stateOf(standing, isPaused));
  for (const one of own.STATES) {
    yield own.targets.at({ ...labels, state: one }, inState.filter((present) => present === one).length);
  }
  yield own.targets.at({ ...labels, state: "waiting" }, standings.length - ended.length);
  if (ended.length === 0) return;
  yield own.success.at(labels, ended.every(({ failure }) => failure === undefined) ? 1 : 0);
  // The oldest: what is true of it is true of all.
  const successes = standings.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? []);
  const oldest = successes.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY);
  if (successes.length > 0) yield own.lastSuccess.at(labels, oldest / 1000);
  const present = WORST_FIRST.find((one) => inState.includes(one));
  for (const one of own.STATES) yield own.state.at({ ...labels, state: one }, one === present ? 1 : 0);
}

/** Of many targets, the collector is in the state that somebody has to look at first. */
export const WORST_FIRST: readonly own.State[] = ["retired", "paused", "degraded", "active"];

function* networkSamples(report: NetworkReport, now: number): Iterable<Sample> {
  const { network } = report;
  for (const [window, use, planned] of [
    ["minute", report.minute, report.plannedPerMinute],
    ["month", report.month, report.plannedPerMinute * MINUTES_PER_MONTH],
  ] as const) {
    const labels = { network, window };
    yield own.budgetPlanned.at(labels, planned);
    if (use === undefined) continue;
    yield own.budgetLimit.at(labels, use.limit);
    yield own.budgetUsed.at(labels, use.used);
    yield own.budgetRemaining.at(labels, use.remaining);
  }
  if (report.pausedUntil !== undefined && report.pausedUntil > now)
    yield own.pauseEnd.at({ network }, report.pausedUntil / 1000);
  for (const operation of report.operations) {
    const isRetired = report.retired.some((retired) => retired.operation === operation);
    yield own.retiredOperations.at({ network, operation }, isRetired ? 1 : 0);
  }
  for (const { window, limit, remaining } of report.rateLimits) {
    if (limit !== undefined) yield own.ratelimitLimit.at({ network, window }, limit);
    if (remaining !== undefined) yield own.ratelimitRemaining.at({ network, window }, remaining);
  }
}

function* upstreamSamples({ network, upstreams }: NetworkReport): Iterable<Sample> {
  for (const { name, isActive, isUp, lagBlocks } of upstreams) {
    const labels = { network, upstream: name };
    yield own.upstreamActive.at(labels, isActive ? 1 : 0);
    if (isUp !== undefined) yield own.upstreamUp.at(labels, isUp ? 1 : 0);
    if (lagBlocks !== undefined) yield own.upstreamLag.at(labels, lagBlocks);
  }
}

/** Samples of everything in `own` that is no instrument. */
export function* report(
  tasks: readonly Task[],
  state: State,
  { networks, versions, watchList }: Surroundings,
  now: number,
): Iterable<Sample> {
  yield own.buildInfo.at({ version: versions.version, node_version: versions.node }, 1);
  if (watchList !== undefined) {
    yield own.watchListSuccessful.at({}, watchList.isGood ? 1 : 0);
    yield own.watchListSuccess.at({}, watchList.lastGoodAt / 1000);
  }
  for (const network of networks) {
    const isPaused = network.pausedUntil !== undefined && network.pausedUntil > now;
    const standings = tasks
      .filter((task) => task.network === network.network)
      .map((task) => [task, state.of(task)] as const);
    const ended = standings.filter(([, { lastEndAt }]) => lastEndAt !== undefined);
    if (ended.length > 0) {
      const isUp = ended.some(([, { failure }]) => failure === undefined);
      yield own.up.at({ network: network.network }, isUp ? 1 : 0);
    }
    const collectors = Map.groupBy(
      standings.map(([task]) => task),
      ({ collector }) => collector.name,
    );
    for (const group of collectors.values()) yield* collectorSamples(group, state, isPaused);
    yield* networkSamples(network, now);
    yield* upstreamSamples(network);
  }
}

/** Samples of the state file. */
export function* storeSamples(facts: StoreFacts): Iterable<Sample> {
  const { isRestored, lastWriteAt, failures, setAside, lastSetAsideAt } = facts;
  yield own.stateRestored.at({}, isRestored ? 1 : 0);
  if (lastWriteAt !== undefined) yield own.stateWritten.at({}, lastWriteAt / 1000);
  yield own.stateFailures.at({}, failures);
  yield own.stateRowsSetAside.at({}, setAside);
  if (lastSetAsideAt !== undefined) yield own.stateSetAside.at({}, lastSetAsideAt / 1000);
}
