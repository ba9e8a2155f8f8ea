// The document at /api/v1/status: the status with documented names and times, secrets masked. The page shows the same.
import { MINUTES_PER_MONTH } from "../api/budget-limits.ts";
import { formatSchedule } from "../scheduler/interval.ts";
import type { Failure } from "../storage/state.ts";
import { healthOf, problemsOf } from "../telemetry/health.ts";
import type { CollectorStatus, NetworkStatus, Status, TargetStatus, WindowUse } from "../telemetry/status.ts";

/** The running program. */
export interface Program {
  readonly version: string;
  /** Unix time, milliseconds. */
  readonly startedAt: number;
}

type Mask = (text: string) => string;

/** The document; docs/status.md describes it. Undefined fields are absent from the JSON. */
export type StatusJson = ReturnType<typeof statusJson>;
/** One network in the document. */
export type NetworkJson = ReturnType<typeof networkJson>;
/** One collector in the document. */
export type CollectorJson = ReturnType<typeof collectorJson>;
/** One target in the document. */
export type TargetJson = ReturnType<typeof targetJson>;

/** The status as a document. */
export function statusJson(status: Status, { version, startedAt }: Program, mask: Mask) {
  const { at, matched, selection, targets } = status;
  const problems = problemsOf(status);
  return {
    status: healthOf(status, problems),
    version,
    time: timeOf(at),
    started_at: timeOf(startedAt),
    uptime_seconds: secondsBetween(startedAt, at),
    problems: problems.map(({ network, subject, collector, message, since, until }) => ({
      network,
      subject,
      collector,
      message: mask(message),
      since: timeOf(since),
      until: timeOf(until),
    })),
    networks: status.networks.map((network) => networkJson(network, at, mask)),
    targets: {
      matched,
      page: selection.page,
      pages: Math.max(1, Math.ceil(matched / selection.limit)),
      limit: selection.limit,
      items: targets.map((target) => targetJson(target, at, mask)),
    },
  };
}

function networkJson({ report, pausedUntil, collectors }: NetworkStatus, now: number, mask: Mask) {
  const { outage, plannedPerMinute } = report;
  return {
    name: report.network,
    url: mask(report.origin),
    upstreams: report.upstreams.map(({ name, origin, proxy, isActive, isUp, tipHeight, lagBlocks, cause }) => ({
      name,
      url: mask(origin),
      proxy: proxy && mask(proxy),
      active: isActive,
      up: isUp,
      tip_height: tipHeight,
      lag_blocks: lagBlocks,
      cause: cause && { ...causeJson(cause, mask), since: timeOf(cause.since) },
    })),
    paused_until: timeOf(pausedUntil),
    longest_pause_seconds: report.longestPauseMs / 1000,
    outage: outage && {
      operation: outage.operation,
      ...causeJson(outage.cause, mask),
      since: timeOf(outage.since),
      next_probe_at: timeOf(outage.nextProbeAt),
    },
    budget: {
      minute: budgetJson(plannedPerMinute, report.minute),
      month: budgetJson(plannedPerMinute * MINUTES_PER_MONTH, report.month),
    },
    rate_limits: report.rateLimits.map(({ resetAt, seenAt, ...limit }) => ({
      ...limit,
      reset_at: timeOf(resetAt),
      seen_at: timeOf(seenAt),
    })),
    retired_operations: report.retired.map(({ operation, since, nextTryAt }) => ({
      name: operation,
      since: timeOf(since),
      next_try_at: timeOf(nextTryAt),
    })),
    collectors: collectors.map((collector) => collectorJson(collector, now, mask)),
  };
}

const budgetJson = (planned: number, use: WindowUse | undefined) => ({
  planned: Math.round(planned * 100) / 100,
  limit: use?.limit,
  used: use?.used,
  available: use?.remaining,
});

function collectorJson(collector: CollectorStatus, now: number, mask: Mask) {
  const {
    task,
    state,
    targets,
    counts,
    expired,
    oldestSuccessAt,
    nextAt,
    failingSince,
    unsupportedSince,
    lastFailure,
  } = collector;
  return {
    name: task.collector.name,
    state,
    schedule: formatSchedule(task.schedule),
    interval_seconds: task.intervalMs / 1000,
    stretch_ratio: task.intervalMs / task.configuredIntervalMs,
    max_age_seconds: task.maxAgeMs / 1000,
    targets: { total: targets.length, ...counts, expired },
    oldest_success_at: timeOf(oldestSuccessAt),
    age_seconds: oldestSuccessAt === undefined ? undefined : secondsBetween(oldestSuccessAt, now),
    next_poll_at: timeOf(nextAt),
    failing_since: timeOf(failingSince),
    unsupported_since: timeOf(unsupportedSince),
    last_error: errorJson(lastFailure, mask),
  };
}

function targetJson(target: TargetStatus, now: number, mask: Mask) {
  const { task, state, isExpired, nextAt } = target;
  const { lastSuccessAt, lastEndAt, failingSince, failuresInARow, unsupportedSince, lastFailure } = target;
  const { key, watched } = task.target;
  return {
    network: task.network,
    collector: task.collector.name,
    principal: key || undefined,
    name: watched && mask(watched.name),
    group: watched?.group ? mask(watched.group) : undefined,
    state,
    expired: isExpired,
    last_success_at: timeOf(lastSuccessAt),
    age_seconds: lastSuccessAt === undefined ? undefined : secondsBetween(lastSuccessAt, now),
    last_poll_at: timeOf(lastEndAt),
    next_poll_at: timeOf(nextAt),
    failing_since: timeOf(failingSince),
    failures_in_a_row: failuresInARow,
    unsupported_since: state === "unsupported" ? timeOf(unsupportedSince) : undefined,
    last_error: errorJson(lastFailure, mask),
  };
}

const causeJson = ({ reason, message }: Pick<Failure, "reason" | "message">, mask: Mask) => ({
  reason,
  message: mask(message),
});

const errorJson = (failure: Failure | undefined, mask: Mask) =>
  failure && { ...causeJson(failure, mask), at: timeOf(failure.at) };

// The clock can be set back.
const secondsBetween = (start: number, end: number) => Math.max(0, end - start) / 1000;

function timeOf(at: number): string;
function timeOf(at: number | undefined): string | undefined;
function timeOf(at: number | undefined): string | undefined {
  return at === undefined ? undefined : new Date(at).toISOString();
}
