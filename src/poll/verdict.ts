// Whether all is right, and if not, what is wrong and since when: the first thing that anybody wants to know.
import type { CollectorStatus, NetworkStatus, Status } from "./status.ts";

/** How the exporter is as a whole, with the meaning for the documentation. The worst of all networks counts. */
export const VERDICTS = {
  ok: "every target was polled, and its last poll succeeded",
  starting: "nothing is wrong, and some targets were not polled yet",
  degraded: "something is wrong, and every network has a target whose last poll succeeded",
  down: "a network has no target whose last poll succeeded",
} as const;

/** Key of `VERDICTS`. */
export type Verdict = keyof typeof VERDICTS;

/** One thing that is wrong. Times are Unix time in milliseconds. */
export interface Problem {
  readonly network: string;
  /** Undefined when it is the whole network. */
  readonly collector: string | undefined;
  /** Not masked. */
  readonly message: string;
  readonly since: number | undefined;
  /** When it passes by itself. */
  readonly until: number | undefined;
}

/** What is wrong, networks before their collectors. */
export function problemsOf({ networks }: Status): readonly Problem[] {
  return networks.flatMap((network) => [
    ...downProblem(network),
    ...pauseProblem(network),
    ...network.collectors.flatMap((collector) => [...collectorProblem(network, collector)]),
  ]);
}

/** The verdict that goes with the problems. */
export function verdictOf({ networks }: Status, problems: readonly Problem[]): Verdict {
  if (networks.some(isDown)) return "down";
  if (problems.length > 0) return "degraded";
  return networks.some(({ collectors }) => collectors.some(({ targets }) => targets.waiting > 0)) ? "starting" : "ok";
}

/** Whether polls of the network have ended, and all of them failed. */
export function isDown({ collectors }: NetworkStatus): boolean {
  const polled = collectors.reduce((sum, { total, targets }) => sum + total - targets.waiting, 0);
  const failing = collectors.reduce((sum, collector) => sum + collector.failing, 0);
  return polled > 0 && failing === polled;
}

function* downProblem(network: NetworkStatus): Iterable<Problem> {
  if (!isDown(network)) return;
  const successes = network.collectors.flatMap(({ newestSuccessAt }) => newestSuccessAt ?? []);
  const since = successes.length === 0 ? undefined : Math.max(...successes);
  const message = since === undefined ? "no valid answer since the start" : "no valid answer";
  yield { network: network.report.network, collector: undefined, message, since, until: undefined };
}

function* pauseProblem({ report, pausedUntil }: NetworkStatus): Iterable<Problem> {
  if (pausedUntil === undefined) return;
  const message = "the server asked to wait (429): no request leaves before";
  yield { network: report.network, collector: undefined, message, since: undefined, until: pausedUntil };
}

function* collectorProblem({ report }: NetworkStatus, collector: CollectorStatus): Iterable<Problem> {
  const { task, failing, expired, total, failingSince, lastFailure } = collector;
  if (failing === 0 && expired === 0) return;
  const fails = failing > 0 && lastFailure !== undefined ? `${lastFailure.reason}: ${lastFailure.message}` : undefined;
  const parts = [
    fails === undefined
      ? undefined
      : total === 1
        ? fails
        : `${failing} of ${total} targets fail, the last with ${fails}`,
    expired === 0
      ? undefined
      : `${total === 1 ? "its values are" : `the values of ${expired} of ${total} targets are`} older than their maximum age, and gone`,
  ];
  yield {
    network: report.network,
    collector: task.collector.name,
    message: parts.filter((part) => part !== undefined).join("; "),
    since: failingSince,
    until: undefined,
  };
}
