// The status of networks, collectors and targets, derived from the task state and the reports of the API clients.
// Pure and linear in the number of targets: watch lists can be long, and scrapes must not wait for this.
import type { Client } from "../api/client.ts";
import type { Reason } from "../api/errors.ts";
import type { Task } from "../collectors/task.ts";
import type { Failure, State, TaskStatus } from "../store/state.ts";
import { STATES, WAITING } from "./self-metrics.ts";

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
  readonly since: number;
}

/** One upstream of a network. */
export interface UpstreamReport {
  readonly name: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Scheme, host and port of the proxy; undefined without one. */
  readonly proxy: string | undefined;
  readonly isActive: boolean;
  /** Undefined before the first contact. */
  readonly isUp: boolean | undefined;
  /** Undefined until the upstream reports its tip. */
  readonly tipHeight: number | undefined;
  /** Blocks behind the highest known tip; undefined until the upstream reports its tip. */
  readonly lagBlocks: number | undefined;
  /** Undefined while it is up. */
  readonly cause: BlockedReport | undefined;
}

/** One network: its client state is that of the active upstream. */
export interface NetworkReport extends Pick<ReturnType<Client["snapshot"]>, "pausedUntil" | "outage" | "retired"> {
  readonly network: string;
  /** Scheme, host and port of the active upstream: no path, because some providers put a token into it. */
  readonly origin: string;
  /** In the order of the configuration. */
  readonly upstreams: readonly UpstreamReport[];
  /** Why the network is not polled; undefined while it is. */
  readonly blocked: BlockedReport | undefined;
  readonly minute: WindowUse;
  /** Undefined without a monthly limit. */
  readonly month: WindowUse | undefined;
  readonly plannedPerMinute: number;
  /** Every operation that the collectors may call. */
  readonly operations: readonly string[];
}

/** The outage in which no request of a network gets a response; undefined while there is none. */
export const wholeOutage = ({ outage }: Pick<NetworkReport, "outage">) =>
  outage?.operation === undefined ? outage : undefined;

/** The last reload of files. */
export interface ReloadReport {
  /**
   * The first error (not masked), the number of errors, and the Unix time (ms) of the first failure in a row; absent
   * after a success.
   */
  readonly failure?: { readonly message: string; readonly errors: number; readonly since: number };
}

/** The last reloads. */
export interface ReloadReports {
  /** Undefined without a file. */
  readonly configuration: ReloadReport | undefined;
  /** Report on the files that the configuration names; undefined if there are none. */
  readonly files: ReloadReport | undefined;
  /** Report on the web configuration and the files that it names; undefined without a web configuration. */
  readonly web: ReloadReport | undefined;
}

/** The state of a target; waiting until its first poll ends. */
export type TargetState = (typeof TARGET_STATES)[number];

/** Every state of a target. */
export const TARGET_STATES = [...STATES, WAITING] as const;

// A collector has the worst state of its targets.
const WORST_FIRST = ["retired", "paused", "degraded", "unsupported", "active", WAITING] as const;

/** One target. Times are Unix time in milliseconds. */
export interface TargetStatus extends TaskStatus {
  readonly task: Task;
  readonly state: TargetState;
  /** Older than the maximum age: the gauges are absent from the metrics. */
  readonly isExpired: boolean;
  /** Time when the next poll is due, not before the end of a pause; undefined when none is scheduled. */
  readonly nextAt: number | undefined;
}

/** A target whose last poll failed. */
export interface FailingTarget extends TargetStatus {
  readonly failure: Failure;
}

/** One collector on one network. */
export type CollectorStatus = ReturnType<typeof collectorStatus>;

/** One network, with its collectors in the order of the configuration. */
export type NetworkStatus = ReturnType<typeof networkStatuses>[number];

/** The sources of the status. */
export interface StatusSources {
  readonly tasks: readonly Task[];
  readonly state: State;
  readonly networks: readonly NetworkReport[];
  /** Time when the next poll of a task is due. Unix time, milliseconds. */
  readonly dueAt: (task: Task) => number | undefined;
  readonly now: number;
}

/** The status of every network. */
export function networkStatuses({ tasks, state, networks, dueAt, now }: StatusSources) {
  const tasksOf = Map.groupBy(tasks, ({ network }) => network);
  return networks.map((report) => {
    const pausedUntil = (report.pausedUntil ?? 0) > now ? report.pausedUntil : undefined;
    const targets = (tasksOf.get(report.network) ?? []).map((task): TargetStatus => {
      const status = state.of(task);
      const due = dueAt(task);
      const targetIs = targetState(status, pausedUntil !== undefined);
      const isOld = status.lastSuccessAt !== undefined && now >= status.lastSuccessAt + task.maxAgeMs;
      return {
        ...status,
        task,
        state: targetIs,
        isExpired: isOld && targetIs !== "unsupported",
        unsupportedSince: targetIs === "unsupported" ? status.unsupportedSince : undefined,
        nextAt: due === undefined ? undefined : Math.max(due, pausedUntil ?? 0),
      };
    });
    const collectors = [...Map.groupBy(targets, ({ task }) => task.collector.name).values()].map(collectorStatus);
    return { report, /** End of the current pause; Unix time, milliseconds. */ pausedUntil, collectors };
  });
}

function targetState({ lastEndAt, failure, unsupportedSince }: TaskStatus, isPaused: boolean): TargetState {
  if (lastEndAt === undefined) return WAITING;
  if (unsupportedSince !== undefined && failure === undefined) return "unsupported";
  if (failure?.reason === "gone") return "retired";
  if (isPaused || failure?.reason === "rate_limited" || failure?.reason === "budget") return "paused";
  return failure === undefined ? "active" : "degraded";
}

function collectorStatus(targets: readonly TargetStatus[]) {
  const [{ task }] = targets as [TargetStatus];
  const counts = { active: 0, degraded: 0, retired: 0, paused: 0, unsupported: 0, waiting: 0 };
  for (const { state } of targets) counts[state] += 1;
  const failing = targets.filter((target): target is FailingTarget => target.failure !== undefined);
  const failures = failing.length > 0 ? failing.map(({ failure }) => failure) : targets.map((it) => it.lastFailure);
  const state = WORST_FIRST.find((one) => counts[one] > 0) ?? WAITING;
  return {
    /** Any of its tasks: they differ only in the target. */
    task,
    state,
    targets,
    counts,
    failing,
    /** Targets whose values have expired. */
    expired: targets.filter(({ isExpired }) => isExpired).length,
    /** Last success of the target that succeeded least recently. */
    oldestSuccessAt: earliest(targets.map(({ lastSuccessAt }) => lastSuccessAt)),
    nextAt: earliest(targets.map(({ nextAt }) => nextAt)),
    failingSince: earliest(failing.map(({ failingSince }) => failingSince)),
    /** Since when the server lacks its operation; undefined while a target has another state. */
    unsupportedSince: state === "unsupported" ? earliest(targets.map((it) => it.unsupportedSince)) : undefined,
    /** The latest failure, preferably one that lasts. */
    lastFailure: latestFailure(failures),
  };
}

/** The earliest of the known times. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const least = times.reduce<number>((a, b = Number.POSITIVE_INFINITY) => Math.min(a, b), Number.POSITIVE_INFINITY);
  return Number.isFinite(least) ? least : undefined;
}

/** The latest of the failures. */
export const latestFailure = (failures: readonly (Failure | undefined)[]): Failure | undefined =>
  failures.reduce((last, one) => ((one?.at ?? 0) >= (last?.at ?? 0) ? (one ?? last) : last), undefined);

/** Filters of the listed targets; an absent filter matches every target. */
export interface Selection {
  readonly network?: string | undefined;
  readonly collector?: string | undefined;
  readonly state?: TargetState | undefined;
  /** Part of a name, group or principal, ignoring case. */
  readonly text?: string | undefined;
  /** From 1. */
  readonly page: number;
  /** Targets per page. */
  readonly limit: number;
}

/** The status of the exporter, with one page of the selected targets. */
export type Status = ReturnType<typeof statusOf>;

/** The status now. */
export function statusOf(sources: StatusSources, reloads: ReloadReports, selection: Selection) {
  const { network, collector, state, text = "", page, limit } = selection;
  const networks = networkStatuses(sources);
  const selected = networks
    .flatMap(({ collectors }) => collectors)
    .filter(({ task }) => task.network === (network ?? task.network))
    .filter(({ task }) => task.collector.name === (collector ?? task.collector.name))
    .flatMap(({ targets }) => targets)
    .filter((target) => target.state === (state ?? target.state) && matches(target.task, text.toLowerCase()))
    .sort((a, b) => rankOf(a) - rankOf(b) || (a.lastSuccessAt ?? 0) - (b.lastSuccessAt ?? 0));
  return {
    /** Unix time, milliseconds. */
    at: sources.now,
    networks,
    reloads,
    selection,
    /** Number of selected targets on all pages. */
    matched: selected.length,
    /** The selected targets of the page: those that need attention first, then the oldest data, then waiting ones. */
    targets: selected.slice((page - 1) * limit, page * limit),
  };
}

const matches = ({ target: { key, watched } }: Task, text: string): boolean =>
  [key, watched?.name, watched?.group].some((field = "") => field.toLowerCase().includes(text));

/** Whether an operator should look at a target: its last poll failed, or its values have expired. */
export const needsAttention = ({ failure, isExpired }: TargetStatus): boolean => failure !== undefined || isExpired;

const rankOf = (target: TargetStatus): number => (needsAttention(target) ? 0 : target.state === WAITING ? 2 : 1);
