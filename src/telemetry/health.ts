// The health of the exporter, and its problems: each cause once, and since when.
import type { Reason } from "../api/errors.ts";
import { nameOf } from "../collectors/task.ts";
import { REASON_DETAILS } from "./incidents.ts";
import {
  type CollectorStatus,
  earliest,
  type FailingTarget,
  latestFailure,
  type NetworkStatus,
  type ReloadReport,
  type Status,
  type TargetStatus,
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

type Subject = "configuration" | "watch list" | "web configuration";

/** One problem. Times are Unix time in milliseconds. */
interface Problem {
  /** Undefined when it is of no network. */
  readonly network?: string;
  /** The subject, if it is not a network. */
  readonly subject?: Subject;
  /** Undefined for the whole network, or several collectors. */
  readonly collector?: string;
  /** Not masked. */
  readonly message: string;
  readonly since?: number | undefined;
  /** Time when the next request can be sent. */
  readonly until?: number | undefined;
}

/** The problems of the configuration and its files, then of each network and its collectors. */
export function problemsOf({ networks, reloads }: Status): readonly Problem[] {
  return [
    ...reloadProblem("configuration", reloads.configuration),
    ...reloadProblem("watch list", reloads.files),
    ...reloadProblem("web configuration", reloads.web),
    ...networks.flatMap((network) => (isDown(network) ? [downProblem(network)] : partialProblems(network))),
  ];
}

/** The health that follows from the problems. */
export function healthOf({ networks }: Status, problems: readonly Problem[]): Health {
  if (networks.some((network) => isDown(network) || wholeOutage(network.report) !== undefined)) return "down";
  if (problems.length > 0) return "degraded";
  return networks.some(({ collectors }) => collectors.some(({ counts }) => counts.waiting > 0)) ? "starting" : "ok";
}

function isDown({ report, collectors }: NetworkStatus): boolean {
  if (report.blocked !== undefined) return true;
  const polled = collectors
    .flatMap(({ targets }) => targets)
    .filter(({ lastEndAt, state }) => lastEndAt !== undefined && state !== "unsupported");
  return polled.length > 0 && polled.every(({ failure }) => failure !== undefined);
}

function reloadProblem(what: Subject, report: ReloadReport | undefined): Problem[] {
  if (report?.failure === undefined) return [];
  const { message, errors, since } = report.failure;
  const more = errors > 1 ? ` (and ${errors - 1} more)` : "";
  return [
    { subject: what, message: `the changed ${what} is not in use, the previous one is: ${message}${more}`, since },
  ];
}

/** A problem that the API client itself reports; it replaces those of the polls that fail for the same reason. */
type ClientProblem = Problem & { readonly reason: Reason };

function clientProblems({ pausedUntil, report }: NetworkStatus): ClientProblem[] {
  const { network } = report;
  const problems: ClientProblem[] = [];
  const outage = wholeOutage(report);
  if (outage !== undefined) {
    const { cause, since, nextProbeAt } = outage;
    const message = `${reasonText(cause.reason)}: ${cause.message}`;
    problems.push({ network, reason: cause.reason, message, since, until: nextProbeAt });
  }
  if (pausedUntil !== undefined) {
    problems.push({ network, reason: "rate_limited", message: "the API requested a pause (429)", until: pausedUntil });
  }
  return problems;
}

function downProblem(status: NetworkStatus): Problem {
  const { report, collectors } = status;
  const { network, blocked } = report;
  if (blocked !== undefined) {
    return { network, message: `${reasonText(blocked.reason)}: ${blocked.message}`, since: blocked.since };
  }
  const ofClient = clientProblems(status);
  const ofPolls = causesOf(collectors).filter((cause) => ofClient.every(({ reason }) => reason !== cause.reason));
  const causes = [...ofPolls.map(causeText), ...ofClient.map(({ message }) => message)].join("; ");
  const successes = collectors.flatMap(({ targets }) => targets.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? []));
  const since = successes.length === 0 ? undefined : successes.reduce((a, b) => Math.max(a, b));
  const message = `no valid response${since === undefined ? " since the start" : ""}: ${causes}`;
  return { network, message, since, until: ofClient.at(-1)?.until };
}

function partialProblems(status: NetworkStatus): Problem[] {
  const { network } = status.report;
  const ofClient = clientProblems(status);
  const reported = new Set(ofClient.map(({ reason }) => reason));
  const others = status.collectors.filter(
    ({ failing }) => failing.length === 0 || failing.some(({ failure }) => !reported.has(failure.reason)),
  );
  const groups = [...Map.groupBy(others, (collector) => sharedReason(collector) ?? collector).values()];
  return [
    ...ofClient.map(({ reason, ...problem }) => problem),
    ...groups.flatMap((group) =>
      group.length === 1 ? group.flatMap(collectorProblem) : [sharedProblem(network, group)],
    ),
  ];
}

/** The reason for which every target of a collector fails, when it is the only one and concerns the whole network. */
function sharedReason({ failing, expired, targets }: CollectorStatus): Reason | undefined {
  const [first] = failing;
  if (first === undefined || failing.length < targets.length || expired > 0) return undefined;
  const { reason } = first.failure;
  const isShared = REASON_DETAILS[reason].scope === "network" && failing.every((it) => it.failure.reason === reason);
  return isShared ? reason : undefined;
}

function sharedProblem(network: string, collectors: readonly CollectorStatus[]): Problem {
  const names = listText(collectors.map(({ task }) => task.collector.name));
  return {
    network,
    message: `${names}: ${causesOf(collectors).map(causeText).join("; ")}`,
    since: earliest(collectors.map(({ failingSince }) => failingSince)),
  };
}

function collectorProblem(collector: CollectorStatus): Problem[] {
  const { task, targets, failing, expired, failingSince } = collector;
  if (failing.length === 0 && expired === 0) return [];
  const total = targets.length;
  const parts = causesOf([collector]).map((cause) => {
    const names = namesText(cause.targets);
    const which = total === 1 ? names : `${cause.targets.length} of ${total} targets fail, ${names}`;
    return `${which === "" ? "" : `${which}: `}${causeText(cause)}`;
  });
  if (expired > 0) {
    const values = total === 1 ? "its values are" : `the values of ${expired} of ${total} targets are`;
    parts.push(`${values} older than their maximum age, and absent from the metrics`);
  }
  return [{ network: task.network, collector: task.collector.name, message: parts.join("; "), since: failingSince }];
}

/** A reason, and the targets whose last poll failed for it. */
interface Cause {
  readonly reason: Reason;
  readonly targets: readonly FailingTarget[];
}

/** One cause for each reason, the most frequent first. */
function causesOf(collectors: readonly CollectorStatus[]): Cause[] {
  const failing = collectors.flatMap((collector) => collector.failing);
  return [...Map.groupBy(failing, ({ failure }) => failure.reason)]
    .map(([reason, targets]) => ({ reason, targets }))
    .toSorted((a, b) => b.targets.length - a.targets.length);
}

/** `the API cannot be reached (network)`. */
const reasonText = (reason: Reason): string => `${REASON_DETAILS[reason].text} (${reason})`;

/** `the API cannot be reached (network): mempool_fees: connect ECONNREFUSED`. */
const causeText = ({ reason, targets }: Cause): string =>
  `${reasonText(reason)}: ${latestFailure(targets.map(({ failure }) => failure))?.message}`;

const MAX_NAMES = 3;

/** `treasury, vault, deposits and 7 more`; empty for the whole chain. */
function namesText(targets: readonly TargetStatus[]): string {
  const names = targets.flatMap(({ task }) => nameOf(task) ?? []);
  if (names.length <= MAX_NAMES) return listText(names);
  return `${names.slice(0, MAX_NAMES).join(", ")} and ${names.length - MAX_NAMES} more`;
}

/** `a, b and c`. */
const listText = (words: readonly string[]): string =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
