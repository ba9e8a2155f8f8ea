// The health of the exporter, and its problems: one for each cause, and since when.
import { REASONS, type Reason } from "../api/errors.ts";
import type { Failure } from "../store/state.ts";
import { causeOf } from "./incidents.ts";
import {
  earliest,
  type FailingTarget,
  latestError,
  type NetworkStatus,
  needsAttention,
  type ReloadReports,
} from "./status.ts";

/** The health of the exporter; the worst network counts. docs/status.md describes the values. */
export type Health = "ok" | "starting" | "degraded" | "down";

/** One problem of a network, or of what cannot be reloaded. Not masked; `since` is undefined during a pause. */
export interface Problem {
  readonly subject: string;
  readonly message: string;
  readonly since: number | undefined;
}

/** The problems of the configuration and its files, then of each network. */
export function problemsOf(networks: readonly NetworkStatus[], reloads: ReloadReports): readonly Problem[] {
  const files = { configuration: reloads.configuration, "watch list": reloads.files, "web configuration": reloads.web };
  const ofFiles = Object.entries(files).flatMap(([subject, report]): Problem[] => {
    if (report?.failure === undefined) return [];
    const { message, errors, since } = report.failure;
    const more = errors > 1 ? ` (and ${errors - 1} more)` : "";
    return [{ subject, message: `the change is refused, and the previous one stays in use: ${message}${more}`, since }];
  });
  return [...ofFiles, ...networks.flatMap(networkProblems)];
}

/** The health that follows from the problems. */
export function healthOf(networks: readonly NetworkStatus[], problems: readonly Problem[]): Health {
  const targets = networks.flatMap((network) => network.targets);
  const isDown = ({ blocked, outage, polled, failing }: NetworkStatus) =>
    blocked !== undefined || outage !== undefined || (polled > 0 && failing.length === polled);
  if (networks.some(isDown)) return "down";
  if (problems.length > 0 || targets.some(needsAttention)) return "degraded";
  return targets.some(({ state }) => state === "waiting") ? "starting" : "ok";
}

function networkProblems({ name: subject, blocked, outage, pausedUntil, failing }: NetworkStatus): Problem[] {
  const pause = pausedUntil && {
    reason: "rate_limited" as const,
    message: `no request is sent before ${new Date(pausedUntil).toISOString()}`,
    since: undefined,
  };
  const whole = [blocked, outage, pause].filter((one) => !!one);
  const others = failing.filter(({ last_error }) => !whole.some(({ reason }) => reason === last_error.reason));
  const causes = Map.groupBy(others, ({ collector, last_error }) => causeOf(last_error.reason, collector));
  return [
    ...whole.map((cause) => ({ subject, message: causeText(cause), since: cause.since })),
    ...[...causes.values()].map((targets) => ({
      subject,
      message: `${namesOf(targets)}: ${causeText(latestError(targets) as Failure)}`,
      since: earliest(targets.map((target) => target.failing_since)),
    })),
  ];
}

/** `mempool_fees: connect ECONNREFUSED (network: no connection, …)`. */
const causeText = ({ reason, message }: { readonly reason: Reason; readonly message: string }): string =>
  `${message} (${reason}: ${REASONS[reason]})`;

const MAX_NAMES = 3;

/** `fees, blocks`, or `addresses of treasury, payroll, faucet and 7 more`. */
function namesOf(targets: readonly FailingTarget[]): string {
  const names = targets.map(({ collector, name }) => (name === undefined ? collector : `${collector} of ${name}`));
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${names.slice(0, MAX_NAMES).join(", ")}${more}`;
}
