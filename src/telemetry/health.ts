// The health of the exporter, and its problems: one for each cause, and since when.
import type { Reason } from "../api/errors.ts";
import { nameOf } from "../collectors/task.ts";
import { REASON_DETAILS } from "./incidents.ts";
import {
  type CollectorStatus,
  earliest,
  type FailingTarget,
  latestFailure,
  type NetworkStatus,
  type Status,
  wholeOutage,
} from "./status.ts";

/**
 * The health of the exporter; the worst network counts.
 * - `ok`: the last poll of every target succeeded.
 * - `starting`: no problem, but some targets wait for their first poll.
 * - `degraded`: there is a problem, but the last poll of at least one target of every network succeeded.
 * - `down`: in a network the last poll of every target failed, no request gets a response (some targets are polled only
 *   once an hour), or its chain keeps it from being polled.
 */
export type Health = "ok" | "starting" | "degraded" | "down";

/** One problem. Times are Unix time in milliseconds. */
interface Problem {
  /** Undefined when it is of no network. */
  readonly network?: string;
  /** The subject, if it is not a network. */
  readonly subject?: string;
  /** Undefined for the whole network, or several collectors. */
  readonly collector?: string | undefined;
  /** Not masked. */
  readonly message: string;
  readonly since?: number | undefined;
  /** Time when the next request can be sent. */
  readonly until?: number | undefined;
}

/** The problems of the configuration and its files, then of each network. */
export function problemsOf({ networks, reloads }: Pick<Status, "networks" | "reloads">): readonly Problem[] {
  const { configuration, files, web } = reloads;
  const subjects = { configuration, "watch list": files, "web configuration": web };
  const ofFiles = Object.entries(subjects).flatMap(([subject, report]): Problem[] => {
    if (report?.failure === undefined) return [];
    const { message, errors, since } = report.failure;
    const more = errors > 1 ? ` (and ${errors - 1} more)` : "";
    return [
      { subject, message: `the changed ${subject} is not in use, the previous one is: ${message}${more}`, since },
    ];
  });
  return [...ofFiles, ...networks.flatMap(networkProblems)];
}

/** The health that follows from the problems. */
export function healthOf({ networks }: Pick<Status, "networks">, problems: readonly Problem[]): Health {
  if (networks.some(isDown)) return "down";
  if (problems.length > 0) return "degraded";
  return networks.some(({ collectors }) => collectors.some(({ counts }) => counts.waiting > 0)) ? "starting" : "ok";
}

function isDown({ report, collectors }: NetworkStatus): boolean {
  if (report.blocked !== undefined || wholeOutage(report) !== undefined) return true;
  const polled = collectors
    .flatMap(({ targets }) => targets)
    .filter(({ lastEndAt, state }) => lastEndAt !== undefined && state !== "unsupported");
  return polled.length > 0 && polled.every(({ failure }) => failure !== undefined);
}

function networkProblems({ report, pausedUntil, collectors }: NetworkStatus): Problem[] {
  const { network, blocked } = report;
  const outage = wholeOutage(report);
  const problems: (Problem & { readonly reason: Reason })[] = [];
  if (blocked !== undefined) problems.push({ network, ...blocked, message: causeText(blocked) });
  if (outage !== undefined) {
    const { cause, since, nextProbeAt } = outage;
    problems.push({ network, reason: cause.reason, message: causeText(cause), since, until: nextProbeAt });
  }
  if (pausedUntil !== undefined) {
    problems.push({ network, reason: "rate_limited", message: "the API requested a pause (429)", until: pausedUntil });
  }
  // The polls that fail for these reasons have the same cause.
  const reported = new Set(problems.map(({ reason }) => reason));
  const failing = collectors.flatMap((collector) => collector.failing).filter((it) => !reported.has(it.failure.reason));
  const causes = Map.groupBy(failing, ({ task, failure: { reason } }) =>
    REASON_DETAILS[reason].scope === "network" ? reason : `${reason} ${task.collector.name}`,
  );
  return [
    ...problems.map(({ reason, ...problem }) => problem),
    ...[...causes.values()].map((targets) => failureProblem(targets, collectors)),
    ...collectors.flatMap(expiryProblem),
  ];
}

/** The problem of targets that fail for one cause. */
function failureProblem(failing: readonly FailingTarget[], collectors: readonly CollectorStatus[]): Problem {
  const affected = collectors.flatMap(({ task: { collector, network }, targets }) => {
    const names = failing.filter(({ task }) => task.collector === collector).map(({ task }) => nameOf(task));
    return names.length === 0 ? [] : [{ collector: collector.name, network, names, total: targets.length }];
  });
  const [{ network, collector, names, total }, ...others] = affected as [(typeof affected)[number]];
  const who =
    others.length > 0
      ? listText(affected.map((it) => `${it.collector}${it.total > 1 ? ` (${it.names.length} of ${it.total})` : ""}`))
      : [total > 1 ? `${names.length} of ${total} targets fail` : "", listText(names)]
          .filter((text) => text !== "")
          .join(", ");
  const failure = latestFailure(failing.map((target) => target.failure)) as FailingTarget["failure"];
  return {
    network,
    collector: others.length > 0 ? undefined : collector,
    message: `${who === "" ? "" : `${who}: `}${causeText(failure)}`,
    since: earliest(failing.map(({ failingSince }) => failingSince)),
  };
}

/** The problem of values that have expired although no poll failed. */
function expiryProblem({ task, targets }: CollectorStatus): Problem[] {
  const late = targets.filter(({ failure, isExpired }) => isExpired && failure === undefined).length;
  if (late === 0) return [];
  const values = targets.length === 1 ? "its values are" : `the values of ${late} of ${targets.length} targets are`;
  const message = `${values} older than their maximum age, and absent from the metrics`;
  return [{ network: task.network, collector: task.collector.name, message }];
}

/** `the API cannot be reached (network): mempool_fees: connect ECONNREFUSED`. */
const causeText = ({ reason, message }: { readonly reason: Reason; readonly message: string }): string =>
  `${REASON_DETAILS[reason].text} (${reason}): ${message}`;

const MAX_NAMES = 3;

/** `a, b and c`, or `a, b, c and 7 more`. */
function listText(words: readonly (string | undefined)[]): string {
  const names = words.filter((word) => word !== undefined);
  const last = names.length > MAX_NAMES ? `${names.length - MAX_NAMES} more` : names[names.length - 1];
  const first = names.slice(0, Math.min(MAX_NAMES, names.length - 1));
  return first.length === 0 ? (last ?? "") : `${first.join(", ")} and ${last}`;
}
