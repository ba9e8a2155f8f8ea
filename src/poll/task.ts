// What is polled: one target of a collector on one network, with its settings.
import type { StacksApi } from "../api/operation.ts";
import type { AnyCollector, ChainView, Target } from "../collectors/collector.ts";
import type { Schedule } from "./interval.ts";

/** The part of an API client that a poll needs. */
export interface PollClient {
  /** The API for one poll; `deadline` is Unix time in milliseconds, `signal` is aborted then. */
  forPoll(poll: { readonly priority: number; readonly signal: AbortSignal; readonly deadline: number }): StacksApi;
  /** Milliseconds until a request of this priority may leave. @default at once */
  waitFor?(priority: number): number;
}

/** One target of a collector on one network. */
export interface Task {
  readonly network: string;
  readonly collector: AnyCollector;
  readonly target: Target;
  /** What is known of the network's chain now; left out when nothing follows it. */
  readonly chain?: (() => ChainView | undefined) | undefined;
  /** Checked settings of the collector. */
  readonly options: unknown;
  readonly client: PollClient;
  readonly schedule: Schedule;
  /** Time between polls of this target, the longest when they are not even. */
  readonly intervalMs: number;
  /** That time as it was configured; the budget can make it longer. */
  readonly wishedIntervalMs: number;
  /** Longest duration of one poll. */
  readonly timeoutMs: number;
  /** Age at which values disappear. */
  readonly maxAgeMs: number;
}

/** Identity of a task: owner of its samples, field of log lines. */
export function keyOf({ network, collector, target }: Task): string {
  return target.key === "" ? `${network}/${collector.name}` : `${network}/${collector.name}/${target.key}`;
}
