// What networks, upstreams and reloads report, and the status that follows, with the names of the document at
// /api/v1/status. Times are Unix time in milliseconds, unknown values are undefined, and nothing is masked. Pure and
// linear in the number of targets: watch lists can be long, and scrapes must not wait for this.
import type { Client } from "../api/client.ts";
import type { Outage } from "../api/outages.ts";
import type { Task } from "../collectors/collector.ts";
import { type Failure, isExpired, type State, type TaskStatus } from "../store/state.ts";

/** States of a target whose first poll has ended, the worst first: a collector has the worst one of its targets. */
export const STATES = ["retired", "paused", "degraded", "unsupported", "active"] as const;
/** Every state of a target; it waits until its first poll ends. */
export const TARGET_STATES = [...STATES, "waiting"] as const;
type TargetState = (typeof TARGET_STATES)[number];

/** One window of a budget; requests. */
export interface WindowUse {
  /** Requests that the schedules need. */
  readonly planned: number;
  /** Undefined without a limit, like the next two. */
  readonly limit?: number;
  readonly used?: number;
  readonly available?: number;
}

/** One upstream of a network. */
export interface UpstreamReport {
  readonly name: string;
  /** Scheme, host and port: no path, because some providers put a token into it. */
  readonly url: string;
  readonly active: boolean;
  /** Undefined before the first contact. */
  readonly up: boolean | undefined;
  /** Blocks behind the highest known tip; undefined until the upstream reports its own. */
  readonly lag_blocks: number | undefined;
  /** Undefined while it is up. */
  readonly cause: Outage | undefined;
}

/** One network: its client state is that of the active upstream. */
export interface NetworkReport extends Pick<ReturnType<Client["snapshot"]>, "pausedUntil" | "outage"> {
  readonly name: string;
  /** `url` of the active upstream. */
  readonly url: string;
  /** In the order of the configuration. */
  readonly upstreams: readonly UpstreamReport[];
  readonly budget: { readonly minute: WindowUse; readonly month: WindowUse };
  /** Why the network is not polled; undefined while it is. */
  readonly blocked: Outage | undefined;
  /** Time by which every present target is polled for the first time, as planned when the newest one was added. */
  readonly first_polls_end_at: number;
}

/** The last reload of files. */
export interface ReloadReport {
  /** The first error, the number of errors, and the first failure in a row; absent after a success. */
  readonly failure?: { readonly message: string; readonly errors: number; readonly since: number };
}

/** Reloads of the configuration, of the files that it names, and of the web configuration; undefined without. */
export type ReloadReports = Readonly<Record<"configuration" | "files" | "web", ReloadReport | undefined>>;

/** The sources of the status. */
export interface StatusSources {
  readonly tasks: readonly Task[];
  readonly state: Pick<State, "of" | "observationOf">;
  readonly networks: readonly NetworkReport[];
  readonly now: number;
}

/** One target. */
export type TargetStatus = ReturnType<typeof targetStatus>;
/** One network, with its collectors in the order of the configuration. */
export type NetworkStatus = ReturnType<typeof networkStatuses>[number];
/** A target whose last poll failed. */
export type FailingTarget = TargetStatus & { readonly failing_since: number; readonly last_error: Failure };

/** The status of every network. */
export function networkStatuses(sources: StatusSources) {
  const tasksOf = Map.groupBy(sources.tasks, ({ network }) => network);
  return sources.networks.map((report) => {
    const pausedUntil = (report.pausedUntil ?? 0) > sources.now ? report.pausedUntil : undefined;
    const groups = [...Map.groupBy(tasksOf.get(report.name) ?? [], ({ collector }) => collector.name).values()].map(
      (tasks) => ({ tasks, targets: tasks.map((task) => targetStatus(task, pausedUntil !== undefined, sources)) }),
    );
    const targets = groups.flatMap((group) => group.targets);
    return {
      ...report,
      pausedUntil,
      collectors: groups.map(({ tasks: [task], targets }) => collectorStatus(task as Task, targets)),
      targets,
      failing: targets.filter(isFailing),
      /** Number of targets with a result, good or bad. */
      polled: targets.filter(({ state }) => state !== "waiting" && state !== "unsupported").length,
    };
  });
}

function targetStatus(task: Task, isPaused: boolean, { state, now }: StatusSources) {
  const { network, collector, target } = task;
  const status = state.of(task);
  const targetState = stateOf(status, isPaused);
  return {
    network,
    collector: collector.name,
    /** Undefined for the whole chain, like the next two. */
    principal: target.key || undefined,
    name: target.watched?.name,
    group: target.watched?.group || undefined,
    state: targetState,
    /** Older than the maximum age: the gauges are absent from the metrics. */
    expired: isExpired(task, status, now) && targetState !== "unsupported",
    last_success_at: status.lastSuccessAt,
    failing_since: status.failingSince,
    last_error: status.failure,
  };
}

function stateOf({ lastEndAt, failure, unsupportedSince }: TaskStatus, isPaused: boolean): TargetState {
  if (lastEndAt === undefined) return "waiting";
  if (unsupportedSince !== undefined && failure === undefined) return "unsupported";
  if (failure?.reason === "gone") return "retired";
  if (isPaused || failure?.reason === "rate_limited" || failure?.reason === "budget") return "paused";
  return failure === undefined ? "active" : "degraded";
}

function collectorStatus(task: Task, targets: readonly TargetStatus[]) {
  const counts = { total: targets.length, active: 0, degraded: 0, retired: 0, paused: 0, unsupported: 0, waiting: 0 };
  for (const { state } of targets) counts[state] += 1;
  const state: TargetState = STATES.find((one) => counts[one] > 0) ?? "waiting";
  return {
    name: task.collector.name,
    state,
    interval_seconds: task.intervalMs / 1000,
    stretch_ratio: task.intervalMs / task.configuredIntervalMs,
    max_age_seconds: task.maxAgeMs / 1000,
    targets: { ...counts, expired: targets.filter(({ expired }) => expired).length },
    /** Of the target that succeeded least recently. */
    last_success_at: earliest(targets.map((target) => target.last_success_at)),
    failing_since: earliest(targets.map((target) => target.failing_since)),
    last_error: latestError(targets),
  };
}

const isFailing = (target: TargetStatus): target is FailingTarget => target.failing_since !== undefined;

/** Whether an operator should look at a target: its last poll failed, or its values have expired. */
export const needsAttention = (target: TargetStatus): boolean => isFailing(target) || target.expired;

/** The earliest of the known times. */
export const earliest = (times: readonly (number | undefined)[]): number | undefined =>
  times.reduce((a, b) => (b === undefined || (a ?? b) < b ? a : b), undefined);

/** The latest error of targets. */
export const latestError = (targets: readonly Pick<TargetStatus, "last_error">[]): Failure | undefined =>
  targets
    .map(({ last_error }) => last_error)
    .reduce((a, b) => ((b?.at ?? 0) >= (a?.at ?? 0) ? (b ?? a) : a), undefined);
