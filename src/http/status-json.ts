// The document at /api/v1/status: the status with documented names and times. The page shows the same.
import { MINUTES_PER_MONTH } from "../api/budget-limits.ts";
import { formatSchedule } from "../scheduler/interval.ts";
import type { TaskStatus } from "../store/state.ts";
import { healthOf, problemsOf } from "../telemetry/health.ts";
import type { CollectorStatus, NetworkStatus, Status, TargetStatus, WindowUse } from "../telemetry/status.ts";

/** The running program. */
export interface Program {
  readonly version: string;
  /** Unix time, milliseconds. */
  readonly startedAt: number;
}

/** The document; docs/status.md describes it. Undefined fields are absent from the JSON. */
export type StatusJson = ReturnType<typeof documentOf>;
/** One network in the document. */
export type NetworkJson = ReturnType<typeof networkJson>;
/** One collector in the document. */
export type CollectorJson = ReturnType<typeof collectorJson>;
/** One target in the document. */
export type TargetJson = ReturnType<typeof targetJson>;

/** The status as a document, in which every text is masked. */
export function statusJson(status: Status, program: Program, mask: (text: string) => string): StatusJson {
  const text = JSON.stringify(documentOf(status, program), (_, value: unknown) =>
    typeof value === "string" ? mask(value) : value,
  );
  return JSON.parse(text) as StatusJson;
}

function documentOf(status: Status, { version, startedAt }: Program) {
  const { at, networks, matched, selection, targets } = status;
  const problems = problemsOf(status);
  return {
    status: healthOf(status, problems),
    version,
    time: timeOf(at),
    started_at: timeOf(startedAt),
    problems: problems.map((problem) => ({
      ...problem,
      since: timeOf(problem.since),
      until: timeOf(problem.until),
    })),
    networks: networks.map(networkJson),
    targets: {
      matched,
      page: selection.page,
      pages: Math.max(1, Math.ceil(matched / selection.limit)),
      limit: selection.limit,
      items: targets.map(targetJson),
    },
  };
}

function networkJson({ report, collectors }: NetworkStatus) {
  const { network, origin, upstreams, minute, month, plannedPerMinute } = report;
  return {
    name: network,
    url: origin,
    upstreams: upstreams.map(({ name, origin, proxy, isActive, isUp, tipHeight, lagBlocks, cause }) => ({
      name,
      url: origin,
      proxy,
      active: isActive,
      up: isUp,
      tip_height: tipHeight,
      lag_blocks: lagBlocks,
      cause: cause && { ...cause, since: timeOf(cause.since) },
    })),
    budget: {
      minute: budgetJson(plannedPerMinute, minute),
      month: budgetJson(plannedPerMinute * MINUTES_PER_MONTH, month),
    },
    collectors: collectors.map(collectorJson),
  };
}

const budgetJson = (planned: number, use: WindowUse | undefined) => ({
  planned: Math.round(planned * 100) / 100,
  limit: use?.limit,
  used: use?.used,
  available: use?.remaining,
});

function collectorJson(collector: CollectorStatus) {
  const { task, state, targets, counts, expired, oldestSuccessAt, nextAt } = collector;
  return {
    name: task.collector.name,
    state,
    schedule: formatSchedule(task.schedule),
    interval_seconds: task.intervalMs / 1000,
    stretch_ratio: task.intervalMs / task.configuredIntervalMs,
    max_age_seconds: task.maxAgeMs / 1000,
    targets: { total: targets.length, ...counts, expired },
    last_success_at: timeOf(oldestSuccessAt),
    next_poll_at: timeOf(nextAt),
    ...failureJson(collector),
  };
}

function targetJson(target: TargetStatus) {
  const { task, state, isExpired, nextAt, lastSuccessAt, lastEndAt, failuresInARow } = target;
  const { key, watched } = task.target;
  return {
    network: task.network,
    collector: task.collector.name,
    principal: key || undefined,
    name: watched?.name,
    group: watched?.group || undefined,
    state,
    expired: isExpired,
    last_success_at: timeOf(lastSuccessAt),
    last_poll_at: timeOf(lastEndAt),
    next_poll_at: timeOf(nextAt),
    failures_in_a_row: failuresInARow,
    ...failureJson(target),
  };
}

const failureJson = (of: Pick<TaskStatus, "failingSince" | "unsupportedSince" | "lastFailure">) => ({
  failing_since: timeOf(of.failingSince),
  unsupported_since: timeOf(of.unsupportedSince),
  last_error: of.lastFailure && { ...of.lastFailure, at: timeOf(of.lastFailure.at) },
});

function timeOf(at: number): string;
function timeOf(at: number | undefined): string | undefined;
function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
