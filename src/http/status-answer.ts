// From what is known to what is shown: names and times of the documented shape, secrets masked. The page is made from it too.
import type { Outage } from "../api/circuit.ts";
import { formatSchedule } from "../scheduler/interval.ts";
import type { Failure } from "../storage/state.ts";
import { problemsOf, verdictOf } from "../telemetry/health.ts";
import { MINUTES_PER_MONTH, type WindowUse } from "../telemetry/report.ts";
import type { CollectorStatus, NetworkStatus, Status, TargetStatus } from "../telemetry/status.ts";
import type { StatusAnswer } from "./status-shape.ts";
import { upstreamOf } from "./status-upstreams.ts";

/** What is running, and since when (Unix time, milliseconds). */
export interface Program {
  readonly version: string;
  readonly startedAt: number;
}

type Mask = (text: string) => string;
type NetworkAnswer = StatusAnswer["networks"][number];
type CollectorAnswer = NetworkAnswer["collectors"][number];
type TargetAnswer = StatusAnswer["targets"]["items"][number];

/** The status as it leaves the process. */
export function answerOf(status: Status, { version, startedAt }: Program, mask: Mask): StatusAnswer {
  const { at, matched, selection, targets } = status;
  const problems = problemsOf(status);
  return {
    status: verdictOf(status, problems),
    version,
    time: timeOf(at),
    started_at: timeOf(startedAt),
    uptime_seconds: secondsFrom(startedAt, at),
    problems: problems.map(({ network, collector, message, since, until }) => ({
      ...(network === undefined ? {} : { network }),
      ...(collector === undefined ? {} : { collector }),
      message: mask(message),
      ...timesOf({ since, until }),
    })),
    networks: status.networks.map((network) => networkOf(network, at, mask)),
    targets: {
      matched,
      page: selection.page,
      pages: Math.max(1, Math.ceil(matched / selection.limit)),
      limit: selection.limit,
      items: targets.map((target) => targetOf(target, at, mask)),
    },
  };
}

function networkOf({ report, pausedUntil, collectors }: NetworkStatus, now: number, mask: Mask): NetworkAnswer {
  const { network, origin, upstreams, minute, month, plannedPerMinute } = report;
  const { longestPauseMs, outage, retired, rateLimits } = report;
  return {
    name: network,
    url: mask(origin),
    upstreams: upstreams.map((upstream) => upstreamOf(upstream, mask)),
    ...timesOf({ paused_until: pausedUntil }),
    longest_pause_seconds: longestPauseMs / 1000,
    ...(outage === undefined ? {} : { outage: outageOf(outage, mask) }),
    budget: {
      minute: windowOf(plannedPerMinute, minute),
      month: windowOf(plannedPerMinute * MINUTES_PER_MONTH, month),
    },
    rate_limits: rateLimits.map(({ window, limit, remaining, resetAt, seenAt }) => ({
      window,
      ...(limit === undefined ? {} : { limit }),
      ...(remaining === undefined ? {} : { remaining }),
      ...timesOf({ reset_at: resetAt }),
      seen_at: timeOf(seenAt),
    })),
    retired_operations: retired.map(({ operation, since, nextTryAt }) => ({
      name: operation,
      since: timeOf(since),
      next_try_at: timeOf(nextTryAt),
    })),
    collectors: collectors.map((collector) => collectorOf(collector, now, mask)),
  };
}

function outageOf({ operation, cause, since, nextProbeAt }: Outage, mask: Mask): NetworkAnswer["outage"] {
  return {
    ...(operation === undefined ? {} : { operation }),
    reason: cause.reason,
    message: mask(cause.message),
    since: timeOf(since),
    next_probe_at: timeOf(nextProbeAt),
  };
}

function collectorOf(collector: CollectorStatus, now: number, mask: Mask): CollectorAnswer {
  const { task, state, targets, total, expired, oldestSuccessAt, nextAt, failingSince, lastFailure } = collector;
  return {
    name: task.collector.name,
    state,
    schedule: formatSchedule(task.schedule),
    interval_seconds: task.intervalMs / 1000,
    stretch_ratio: task.intervalMs / task.wishedIntervalMs,
    max_age_seconds: task.maxAgeMs / 1000,
    targets: { total, ...targets, expired },
    ...timesOf({ oldest_success_at: oldestSuccessAt }),
    ...ageOf(oldestSuccessAt, now),
    ...timesOf({ next_poll_at: nextAt, failing_since: failingSince }),
    ...errorOf(lastFailure, mask),
  };
}

function targetOf({ task, standing, state, isExpired, nextAt }: TargetStatus, now: number, mask: Mask): TargetAnswer {
  const { key, watched } = task.target;
  const { lastSuccessAt, lastEndAt, failingSince, failuresInARow, lastFailure } = standing;
  return {
    network: task.network,
    collector: task.collector.name,
    ...(key === "" ? {} : { principal: key }),
    ...(watched === undefined ? {} : { name: mask(watched.name) }),
    ...(watched === undefined || watched.group === "" ? {} : { group: mask(watched.group) }),
    state,
    expired: isExpired,
    ...timesOf({ last_success_at: lastSuccessAt }),
    ...ageOf(lastSuccessAt, now),
    ...timesOf({ last_poll_at: lastEndAt, next_poll_at: nextAt, failing_since: failingSince }),
    failures_in_a_row: failuresInARow,
    ...errorOf(lastFailure, mask),
  };
}

const windowOf = (planned: number, use: WindowUse | undefined) => ({
  planned: Math.round(planned * 100) / 100,
  ...(use === undefined ? {} : { limit: use.limit, used: use.used, available: use.remaining }),
});

const errorOf = (failure: Failure | undefined, mask: Mask) =>
  failure === undefined
    ? {}
    : { last_error: { reason: failure.reason, message: mask(failure.message), at: timeOf(failure.at) } };

const ageOf = (since: number | undefined, now: number) =>
  since === undefined ? {} : { age_seconds: secondsFrom(since, now) };

// A clock can be set back.
const secondsFrom = (since: number, now: number) => Math.max(0, now - since) / 1000;

const timeOf = (at: number) => new Date(at).toISOString();

// Only what there is.
function timesOf<Key extends string>(times: Readonly<Record<Key, number | undefined>>): { [Name in Key]?: string } {
  const known = Object.entries<number | undefined>(times).filter(
    (entry): entry is [Key, number] => entry[1] !== undefined,
  );
  return Object.fromEntries(known.map(([key, at]) => [key, timeOf(at)])) as { [Name in Key]?: string };
}
