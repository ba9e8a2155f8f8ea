// What is polled: one target of a collector on one network, with its settings.
import type { Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { ChainView } from "./chain/chain-view.ts";
import type { AnyCollector, Target } from "./collector.ts";

/** When polls start: on a grid that begins with the process, or at the times of a cron expression (UTC). */
export type Schedule =
  | { readonly kind: "every"; readonly milliseconds: number }
  | { readonly kind: "cron"; readonly expression: string; readonly longestGapMilliseconds: number };

/** How a poll ended. */
export interface PollEnd {
  readonly collector: string;
  /** Undefined when it succeeded. */
  readonly reason: Reason | undefined;
  /** Of the failure; empty when it succeeded. */
  readonly message: string;
}

/** The part of an API client that a poll needs. */
export interface PollClient {
  /**
   * The API for one poll, from one server; `deadline` is Unix time in milliseconds, `signal` is aborted then.
   * @param poll `counts`: the poll feeds counters, which must belong to the chain that they began with.
   * @throws ApiError when no server may be polled.
   */
  forPoll(poll: {
    readonly priority: number;
    readonly signal: AbortSignal;
    readonly deadline: number;
    readonly counts?: boolean;
  }): StacksApi | Promise<StacksApi>;
  /**
   * Checks that the server of this API follows the chain of the state, now.
   * @throws ApiError `wrong_chain` or `empty` when it does not; of a check that failed, what it failed with.
   */
  checkChain?(api: StacksApi): Promise<void>;
  /** Told how the poll that used this API ended. */
  ended?(api: StacksApi, end: PollEnd): void;
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

/** The target of a task as people call it; undefined for the whole chain. Not masked. */
export function nameOf({ target }: Task): string | undefined {
  return target.key === "" ? undefined : (target.watched?.name ?? target.key);
}

/** Identity of a task: owner of its samples, field of log lines. */
export function keyOf({ network, collector, target }: Task): string {
  return target.key === "" ? `${network}/${collector.name}` : `${network}/${collector.name}/${target.key}`;
}
