// A task: the polls of one target of a collector on one network.
import type { Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { AnyCollector, Target, Views } from "./collector.ts";

/** Start times of polls: at an interval from the start of the process, or at the times of a cron expression (UTC). */
export type Schedule =
  | { readonly kind: "every"; readonly milliseconds: number }
  | { readonly kind: "cron"; readonly expression: string; readonly longestGapMilliseconds: number };

/** The outcome of a poll. */
export interface PollEnd {
  readonly collector: string;
  /** Undefined if it succeeded. */
  readonly reason: Reason | undefined;
  /** Error message; empty if it succeeded. */
  readonly message: string;
}

/** The part of an API client that a poll needs. */
export interface PollClient {
  /**
   * The API for one poll, from one server. `deadline` is the Unix time in milliseconds at which `signal` is aborted.
   * @param poll `counts`: the poll updates counters, which belong to one chain.
   * @throws ApiError when no server can be polled.
   */
  forPoll(poll: {
    readonly priority: number;
    readonly signal: AbortSignal;
    readonly deadline: number;
    readonly counts: boolean;
  }): Promise<StacksApi>;
  /**
   * Checks that the server of this API follows the chain of the state.
   * @throws ApiError `wrong_chain` or `empty` if it does not, or the error of the check.
   */
  checkChain(api: StacksApi): Promise<void>;
  /** Whether the server of this API is known to lag. */
  isLagging(api: StacksApi): boolean;
  /** Called when the poll that used this API has ended. */
  ended(api: StacksApi, end: PollEnd): void;
  /** Milliseconds until a number of requests of this priority can be sent. @param requests at least 1, the default */
  waitFor(priority: number, requests?: number): number;
}

/** One target of a collector on one network. */
export interface Task {
  readonly network: string;
  readonly collector: AnyCollector;
  readonly target: Target;
  /** What the collectors of the network offer now. */
  readonly views: () => Views;
  /** Validated settings of the collector. */
  readonly options: unknown;
  readonly client: PollClient;
  readonly schedule: Schedule;
  /** Whether its samples are left out: another shard exposes them, or only others need it. @default false */
  readonly isHidden?: boolean | undefined;
  /** Time between polls of this target; the longest one if it varies. */
  readonly intervalMs: number;
  /** The configured time between polls, which the budget can increase. */
  readonly configuredIntervalMs: number;
  /** Timeout of one poll. */
  readonly timeoutMs: number;
  /** Age at which values expire. */
  readonly maxAgeMs: number;
}
