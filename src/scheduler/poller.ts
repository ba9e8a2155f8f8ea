// One poll: observes within the deadline, makes the samples, records the outcome. Never throws.
import { MOVED_PRIORITY, SPARE_PRIORITY } from "../api/budget.ts";
import { type Clock, withTimeout } from "../api/clock.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { Target } from "../collectors/collector.ts";
import type { AuditReport } from "../collectors/lists/audited.ts";
import type { Task } from "../collectors/task.ts";
import type { State } from "../store/state.ts";
import { StateFileError } from "../store/state-file-error.ts";
import type { Incidents, PollLog } from "../telemetry/incidents.ts";
import type { Outcome } from "../telemetry/self-counters.ts";

/** Dependencies of a poller. */
interface PollerOptions {
  readonly state: State;
  readonly clock: Clock;
  readonly log: PollLog;
  /** Aborted at shutdown, which ends a poll without an outcome. */
  readonly stop: AbortSignal;
  /** Series that one poll may add for label values of the API. */
  readonly spareSeries: () => number;
  readonly incidents: Incidents;
  /** Called when a poll has ended, or was skipped. */
  readonly onRun: (run: {
    readonly task: Task;
    readonly outcome: Outcome;
    readonly reason: Reason | undefined;
  }) => void;
  /** Called when what a task has counted is compared with its list. */
  readonly onAudit: (task: Task, report: AuditReport) => void;
  /** Called after a successful poll, when its samples are exposed. */
  readonly onObserved: (task: Task, observation: unknown) => void;
}

const UNSUPPORTED = "the server lacks the operation, as older versions do; it is requested again every hour";

/**
 * Why a task is polled now. `due`: on schedule. `overdue`: on schedule, after it has waited for the budget. `moved`:
 * early, because the target has moved. `spare`: early for another cause.
 */
export type PollKind = "due" | "overdue" | "moved" | "spare";

function priorityOf({ collector: { priority } }: Task, kind: PollKind): number {
  if (kind === "due") return priority;
  return kind === "spare" ? SPARE_PRIORITY : Math.min(priority, MOVED_PRIORITY);
}

/** Polls tasks, each at most once at a time. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #running = new Map<Task, AbortController>();
  /** Collectors whose operation the server lacks, as `network/collector`: logged once for all of their targets. */
  readonly #unsupported = new Set<string>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /**
   * Polls a task; resolves with the outcome when the poll has ended. An early poll for which the budget has nothing
   * left, and one that was cancelled, have none.
   */
  async poll(task: Task, kind: PollKind = "due"): Promise<Outcome | undefined> {
    const { clock, stop, onRun } = this.#options;
    if (stop.aborted) return undefined;
    if (this.#running.has(task)) {
      onRun({ task, outcome: "skipped_overlap", reason: undefined });
      return "skipped_overlap";
    }
    const cancel = new AbortController();
    this.#running.set(task, cancel);
    try {
      const either = AbortSignal.any([stop, cancel.signal]);
      const reason = await withTimeout(clock, task.timeoutMs, either, (signal) =>
        this.#observe(task, kind, cancel.signal, signal),
      );
      if (reason === "cancelled") return undefined;
      const outcome = reason === "unsupported" ? reason : outcomeOf(reason);
      onRun({ task, outcome, reason: reason === "unsupported" ? undefined : reason });
      return outcome;
    } finally {
      this.#running.delete(task);
    }
  }

  /** Cancels the running poll of a task that is no longer polled. */
  cancel(task: Task): void {
    this.#options.incidents.end(task);
    this.#running.get(task)?.abort(new DOMException("the target is no longer watched", "AbortError"));
  }

  async #observe(
    task: Task,
    kind: PollKind,
    cancel: AbortSignal,
    signal: AbortSignal,
  ): Promise<Reason | "cancelled" | "unsupported" | undefined> {
    const { state, clock, log, stop, incidents, spareSeries, onObserved, onAudit } = this.#options;
    const { collector, network, target, options, client } = task;
    const now = clock.now();
    const fields = { network, collector: collector.name, ...targetFields(target) };
    let api: StacksApi | undefined;
    try {
      const priority = priorityOf(task, kind);
      const turn = state.begin(task);
      const counts = collector.isDurable === true;
      const poll = { priority, signal, deadline: now + task.timeoutMs, counts };
      const bound = await untilAborted(client.forPoll(poll), signal);
      api = bound;
      const spare = spareSeries();
      const observing = collector.observe(
        {
          api,
          target,
          now,
          previous: turn.previous,
          chain: task.chain?.(),
          isFollowed: task.chain !== undefined,
          mined: task.mined?.(),
          waiting: task.waiting?.(),
          checkIdentity: () => client.checkChain(bound),
          onAudit: (report) => onAudit(task, report),
          note: (text) => log.warn(fields, text),
        },
        options,
      );
      const observation = await untilAborted(observing, signal);
      if (cancel.aborted) return "cancelled";
      const { failuresInARow } = state.of(task);
      turn.succeed(observation, clock.now(), spare);
      client.ended(api, { collector: collector.name, reason: undefined, message: "" });
      const incident = incidents.end(task);
      if (this.#unsupported.delete(`${network}/${collector.name}`))
        log.info(fields, "the server has the operation now");
      if (incident === undefined) log.debug(fields, "polled");
      else log.info({ ...fields, ...incident, failedPolls: failuresInARow }, "poll recovered");
      onObserved(task, observation);
      return undefined;
    } catch (error) {
      if (stop.aborted || cancel.aborted) return "cancelled";
      if (error instanceof ApiError && error.isUnsupported) {
        if (!this.#unsupported.has(`${network}/${collector.name}`))
          log.info({ ...fields, error: error.message }, UNSUPPORTED);
        this.#unsupported.add(`${network}/${collector.name}`);
        state.unsupported(task, clock.now());
        incidents.end(task);
        return "unsupported";
      }
      const reason = reasonOf(error, signal);
      const message = error instanceof Error ? error.message : String(error);
      if ((kind === "moved" || kind === "spare") && reason === "budget") {
        log.debug(fields, "no budget left for an early poll");
        return "cancelled";
      }
      state.fail(task, { reason, message, at: clock.now() });
      if (api !== undefined) client.ended(api, { collector: collector.name, reason, message });
      const stack = reason === "bug" && error instanceof Error ? { stack: error.stack } : {};
      const failure = { ...fields, reason, error: message, ...stack };
      // Logged once for each cause, with the first target that has it.
      // The check of the upstream has logged it, for all collectors.
      if (incidents.add(task, reason) && reason !== "wrong_chain") log.warn(failure, "poll failed");
      else log.debug(failure, "poll failed again, or for the cause of other targets");
      return reason;
    }
  }
}

// Both the name of the watch list and the principal, to search for.
function targetFields({ key, watched }: Target): object {
  return key === "" ? {} : { target: key, ...(watched === undefined ? {} : { name: watched.name }) };
}

/**
 * Rejects when the signal is aborted, also when the work ignores it. Work that fails at once with its own error wins.
 */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => setImmediate(() => setImmediate(() => reject(signal.reason)));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function reasonOf(error: unknown, signal: AbortSignal): Reason {
  if (error instanceof ApiError) return error.reason;
  if (error instanceof StateFileError) return "state";
  return signal.aborted && error === signal.reason ? "timeout" : "bug";
}

function outcomeOf(reason: Reason | undefined): Outcome {
  if (reason === undefined) return "ok";
  if (reason === "budget") return "skipped_budget";
  return reason === "gone" ? "retired" : "error";
}
