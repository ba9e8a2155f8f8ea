// Whether all is right, and if not, what is wrong and since when: the first thing that anybody wants to know.
import type { Reason } from "../api/errors.ts";
import { type Cause, causeText, listText, mergeCauses, namesText, reasonText } from "./causes.ts";
import { REASON_SCOPE } from "./reasons.ts";
import type { WatchListReport } from "./report.ts";
import type { CollectorStatus, NetworkStatus, Status } from "./status.ts";

/** How the exporter is as a whole, with the meaning for the documentation. The worst of all networks counts. */
export const VERDICTS = {
  ok: "every target was polled, and its last poll succeeded",
  starting: "nothing is wrong, and some targets were not polled yet",
  degraded: "something is wrong, and every network has a target whose last poll succeeded",
  down: "a network has no target whose last poll succeeded, or is not polled because of its chain",
} as const;

/** Key of `VERDICTS`. */
export type Verdict = keyof typeof VERDICTS;

/** One thing that is wrong. Times are Unix time in milliseconds. */
export interface Problem {
  /** Undefined when it is no network, but the watch lists. */
  readonly network: string | undefined;
  /** Undefined when it is the whole network, or several collectors. */
  readonly collector: string | undefined;
  /** Not masked. */
  readonly message: string;
  readonly since: number | undefined;
  /** When it passes by itself. */
  readonly until: number | undefined;
}

/** What is wrong, each cause once: the watch lists, then each network and its collectors. */
export function problemsOf({ networks, watchList }: Status): readonly Problem[] {
  return [
    ...watchListProblem(watchList),
    ...networks.flatMap((network) => [...(isDown(network) ? [downProblem(network)] : partialProblems(network))]),
  ];
}

/** The verdict that goes with the problems. */
export function verdictOf({ networks }: Status, problems: readonly Problem[]): Verdict {
  if (networks.some(isDown)) return "down";
  if (problems.length > 0) return "degraded";
  return networks.some(({ collectors }) => collectors.some(({ targets }) => targets.waiting > 0)) ? "starting" : "ok";
}

/** Whether the network gives no data: nothing of it is polled, or all polls that have ended failed. */
export function isDown(network: NetworkStatus): boolean {
  return network.report.blocked !== undefined || hasFailed(network);
}

function hasFailed({ collectors }: NetworkStatus): boolean {
  const polled = collectors.reduce((sum, { total, targets }) => sum + total - targets.waiting, 0);
  const failing = collectors.reduce((sum, collector) => sum + collector.failing, 0);
  return polled > 0 && failing === polled;
}

const causesOf = (collectors: readonly CollectorStatus[]) => mergeCauses(collectors.flatMap(({ causes }) => causes));

function* watchListProblem(watchList: WatchListReport | undefined): Iterable<Problem> {
  const { refusal } = watchList ?? {};
  if (refusal === undefined) return;
  const more = refusal.mistakes > 1 ? ` (and ${refusal.mistakes - 1} more)` : "";
  const message = `the changed watch list is not in force, the one before is: ${refusal.mistake}${more}`;
  yield { network: undefined, collector: undefined, message, since: refusal.at, until: undefined };
}

/** What the client of an API knows of the whole network, told once in place of the polls that fail for that reason. */
interface Trouble extends Pick<Problem, "message" | "since" | "until"> {
  readonly reason: Reason;
}

function* troublesOf({ pausedUntil, report: { outage } }: NetworkStatus): Iterable<Trouble> {
  if (outage !== undefined && outage.operation === undefined) {
    const { cause, since, nextProbeAt } = outage;
    const message = `${reasonText(cause.reason)}: ${cause.message}; one request asks again`;
    yield { reason: cause.reason, message, since, until: nextProbeAt };
  }
  if (pausedUntil !== undefined) {
    const message = "the API asked to wait (429), and no request leaves before";
    yield { reason: "rate_limited", message, since: undefined, until: pausedUntil };
  }
}

function downProblem(status: NetworkStatus): Problem {
  const { report, collectors } = status;
  const { network, blocked } = report;
  if (blocked !== undefined) {
    const message = `${reasonText(blocked.reason)}: ${blocked.message}`;
    return { network, collector: undefined, message, since: blocked.since, until: undefined };
  }
  const troubles = [...troublesOf(status)];
  const others = causesOf(collectors).filter((cause) => troubles.every(({ reason }) => reason !== cause.reason));
  const causes = [...others.map(causeText), ...troubles.map(({ message }) => message)].join("; ");
  const successes = collectors.flatMap(({ newestSuccessAt }) => newestSuccessAt ?? []);
  const since = successes.length === 0 ? undefined : Math.max(...successes);
  const message = `no valid answer${since === undefined ? " since the start" : ""}: ${causes}`;
  return { network, collector: undefined, message, since, until: troubles.at(-1)?.until };
}

function* partialProblems(status: NetworkStatus): Iterable<Problem> {
  const { network } = status.report;
  const told = new Set<Reason>();
  for (const { reason, message, since, until } of troublesOf(status)) {
    told.add(reason);
    yield { network, collector: undefined, message, since, until };
  }
  const others = status.collectors.filter(
    ({ failing, causes }) => failing === 0 || causes.some(({ reason }) => !told.has(reason)),
  );
  const groups = Map.groupBy(others, (collector) => commonReason(collector) ?? collector);
  for (const group of groups.values()) {
    const [first] = group;
    if (first !== undefined && group.length === 1) yield* collectorProblem(network, first);
    else yield sharedProblem(network, group);
  }
}

/** The reason for which every target of a collector fails, when it is the only one and concerns a whole network. */
function commonReason({ causes: [first], expired, total }: CollectorStatus): Cause["reason"] | undefined {
  if (first === undefined || first.targets < total || expired > 0) return undefined;
  return REASON_SCOPE[first.reason] === "network" ? first.reason : undefined;
}

function sharedProblem(network: string, collectors: readonly CollectorStatus[]): Problem {
  const names = listText(collectors.map(({ task }) => task.collector.name));
  const causes = causesOf(collectors);
  return {
    network,
    collector: undefined,
    message: `${names}: ${causes.map(causeText).join("; ")}`,
    since: Math.min(...causes.map(({ since }) => since)),
    until: undefined,
  };
}

function* collectorProblem(network: string, collector: CollectorStatus): Iterable<Problem> {
  const { task, causes, expired, total, failingSince } = collector;
  if (causes.length === 0 && expired === 0) return;
  const fails = causes.map((cause) => {
    const names = namesText(cause);
    const targets = total === 1 ? names : `${cause.targets} of ${total} targets fail, ${names}`;
    return `${targets === "" ? "" : `${targets}: `}${causeText(cause)}`;
  });
  const gone =
    expired === 0
      ? []
      : [
          `${total === 1 ? "its values are" : `the values of ${expired} of ${total} targets are`} older than their maximum age, and gone`,
        ];
  yield {
    network,
    collector: task.collector.name,
    message: [...fails, ...gone].join("; "),
    since: failingSince,
    until: undefined,
  };
}
