// The health of the exporter, and its problems: one for each cause, and since when.
import type { Reason } from "../api/errors.ts";
import type { Failure } from "../store/state.ts";
import { REASON_DETAILS } from "./incidents.ts";
import type { ReloadReports } from "./reports.ts";
import { earliest, type FailingTarget, latestError, type NetworkStatus } from "./status.ts";

/**
 * The health of the exporter; the worst network counts.
 * - `ok`: the last poll of every target succeeded.
 * - `starting`: no problem, but some targets wait for their first poll.
 * - `degraded`: there is a problem, but the last poll of at least one target of every network succeeded.
 * - `down`: in a network the last poll of every target failed, no request gets a response (some targets are polled only
 *   once an hour), or its chain keeps it from being polled.
 */
export type Health = "ok" | "starting" | "degraded" | "down";

/** One problem. Messages are not masked; times are Unix time in milliseconds. */
export interface Problem {
  /** Undefined when it is of no network. */
  readonly network?: string;
  /** The subject, if it is not a network. */
  readonly subject?: string;
  /** Undefined for the whole network, or several collectors. */
  readonly collector?: string | undefined;
  readonly message: string;
  readonly since?: number | undefined;
  /** Time when the next request can be sent. */
  readonly until?: number | undefined;
}

/** The problems of the configuration and its files, then of each network. */
export function problemsOf(networks: readonly NetworkStatus[], reloads: ReloadReports): readonly Problem[] {
  const subjects = {
    configuration: reloads.configuration,
    "watch list": reloads.files,
    "web configuration": reloads.web,
  };
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
export function healthOf(networks: readonly NetworkStatus[], problems: readonly Problem[]): Health {
  const isDown = ({ blocked, outage, polled, failing }: NetworkStatus) =>
    blocked !== undefined || outage !== undefined || (polled > 0 && failing.length === polled);
  if (networks.some(isDown)) return "down";
  if (problems.length > 0) return "degraded";
  return networks.some(({ targets }) => targets.some(({ state }) => state === "waiting")) ? "starting" : "ok";
}

function networkProblems({ name: network, blocked, outage, pausedUntil, failing, collectors, targets }: NetworkStatus) {
  // The polls that fail for one of these reasons have the same cause.
  const whole = new Map<Reason, Problem>();
  if (blocked !== undefined) {
    whole.set(blocked.reason, { network, message: causeText(blocked), since: blocked.since });
  }
  if (outage !== undefined) {
    const { cause, since, nextProbeAt: until } = outage;
    whole.set(cause.reason, { network, message: causeText(cause), since, until });
  }
  if (pausedUntil !== undefined) {
    whole.set("rate_limited", { network, message: "the API requested a pause (429)", until: pausedUntil });
  }
  const others = failing.filter(({ last_error }) => !whole.has(last_error.reason));
  const causes = Map.groupBy(others, ({ collector, last_error }) => {
    const { scope } = REASON_DETAILS[last_error.reason];
    return `${last_error.reason} ${scope === "network" ? "" : collector}`;
  });
  const expired = Map.groupBy(
    targets.filter((target) => target.expired && target.failing_since === undefined),
    ({ collector }) => collector,
  );
  const totalOf = (collector: string) => collectors.find(({ name }) => name === collector)?.targets.total ?? 0;
  return [
    ...whole.values(),
    ...[...causes.values()].map((targets) => failureProblem(network, targets, totalOf)),
    ...[...expired].map(([collector, { length }]): Problem => {
      const total = totalOf(collector);
      const values = total === 1 ? "its values are" : `the values of ${length} of ${total} targets are`;
      return { network, collector, message: `${values} older than their maximum age, and absent from the metrics` };
    }),
  ];
}

/** The problem of targets that fail for one cause. */
function failureProblem(
  network: string,
  failing: readonly FailingTarget[],
  totalOf: (collector: string) => number,
): Problem {
  const affected = [...Map.groupBy(failing, ({ collector }) => collector)].map(([collector, targets]) => {
    const total = totalOf(collector);
    return { collector, targets, total, share: total > 1 ? `${targets.length} of ${total}` : "" };
  });
  const [{ collector, targets, share }, ...others] = affected as [(typeof affected)[number]];
  const names = targets.flatMap(({ name, principal }) => name ?? principal ?? []);
  const who =
    others.length > 0
      ? [listText(affected.map((one) => (one.share === "" ? one.collector : `${one.collector} (${one.share})`)))]
      : [...(share === "" ? [] : [`${share} targets fail`]), ...(names.length === 0 ? [] : [listText(names)])];
  const cause = causeText(latestError(failing) as Failure);
  return {
    network,
    collector: others.length > 0 ? undefined : collector,
    message: who.length === 0 ? cause : `${who.join(", ")}: ${cause}`,
    since: earliest(failing, "failing_since"),
  };
}

/** `the API cannot be reached (network): mempool_fees: connect ECONNREFUSED`. */
const causeText = ({ reason, message }: { readonly reason: Reason; readonly message: string }): string =>
  `${REASON_DETAILS[reason].text} (${reason}): ${message}`;

const MAX_NAMES = 3;
const LIST = new Intl.ListFormat("en-GB");

/** `a, b and c`, or `a, b, c and 7 more`. */
const listText = (names: readonly string[]): string =>
  LIST.format(names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES), `${names.length - MAX_NAMES} more`] : names);
