// One poll: observe within the deadline, make samples at once, record what came of it. Never throws.
import type { Clock } from "../api/clock.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { Outcome } from "../metrics/own.ts";
import type { State } from "./state.ts";
import { StoreError } from "./store-error.ts";
import type { Task } from "./task.ts";

/** What the poller tells of each poll that ended. */
export interface Run {
  readonly task: Task;
  readonly outcome: Outcome;
  readonly reason: Reason | undefined;
  readonly seconds: number;
}

/** The part of a logger that the poller needs. */
export interface PollLog {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

interface Parts {
  readonly state: State;
  readonly clock: Clock;
  readonly log: PollLog;
  /** Aborted at shutdown: a poll that is stopped so is neither a success nor a failure. */
  readonly stop: AbortSignal;
  readonly onRun: (run: Run) => void;
}

/** Polls tasks, each at most once at a time. */
export class Poller {
  readonly #parts: Parts;
  readonly #running = new Set<Task>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Polls a task; resolves when the poll has ended, whatever came of it. */
  async poll(task: Task): Promise<void> {
    const { clock, stop, onRun } = this.#parts;
    if (stop.aborted) return;
    if (this.#running.has(task)) {
      onRun({ task, outcome: "skipped_overlap", reason: undefined, seconds: 0 });
      return;
    }
    this.#running.add(task);
    const startedAt = clock.now();
    const deadline = startedAt + task.timeoutMs;
    const ended = new AbortController();
    const late = new AbortController();
    clock
      .sleep(task.timeoutMs, ended.signal)
      .then(() => late.abort(new DOMException("the deadline of the poll passed", "TimeoutError")))
      .catch(() => undefined);
    try {
      const reason = await this.#observe(task, startedAt, deadline, AbortSignal.any([stop, late.signal]));
      if (reason === "stopped") return;
      onRun({ task, outcome: outcomeOf(reason), reason, seconds: (clock.now() - startedAt) / 1000 });
    } finally {
      ended.abort();
      this.#running.delete(task);
    }
  }

  async #observe(
    task: Task,
    now: number,
    deadline: number,
    signal: AbortSignal,
  ): Promise<Reason | "stopped" | undefined> {
    const { state, clock, log, stop } = this.#parts;
    const { collector, network, target, options } = task;
    const before = state.of(task);
    const fields = { network, collector: collector.name, ...(target.key === "" ? {} : { target: target.key }) };
    try {
      const api = task.client.forPoll({ priority: collector.priority, signal, deadline });
      const previous = before.observation;
      const observation = await untilAborted(
        collector.observe({ api, network, target, chain: task.chain?.(), previous, now, signal }, options),
        signal,
      );
      state.succeed(task, observation, collector.samples(observation, network, target), clock.now());
      if (before.failure !== undefined) {
        log.info({ ...fields, failedPolls: before.failuresInARow }, "poll recovered");
      } else log.debug(fields, "polled");
      return undefined;
    } catch (error) {
      if (stop.aborted) return "stopped";
      const reason = reasonOf(error, signal);
      const message = error instanceof Error ? error.message : String(error);
      state.fail(task, { reason, message, at: clock.now() });
      const failed = { ...fields, reason, error: message, ...(reason === "bug" ? { stack: stackOf(error) } : {}) };
      // Said once when it turns bad, and again when it turns bad in another way.
      if (before.failure?.reason === reason) log.debug(failed, "poll failed again");
      else log.warn(failed, "poll failed");
      return reason;
    }
  }
}

/**
 * A collector that forgets its signal must not hold its place for ever. One that minds it has a moment to say itself what
 * it was waiting for.
 */
function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const onAbort = () => setImmediate(() => setImmediate(() => reject(signal.reason)));
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

function reasonOf(error: unknown, signal: AbortSignal): Reason {
  if (error instanceof ApiError) return error.reason;
  if (error instanceof StoreError) return "state";
  return signal.aborted && error === signal.reason ? "timeout" : "bug";
}

function outcomeOf(reason: Reason | undefined): Outcome {
  if (reason === undefined) return "ok";
  if (reason === "budget") return "skipped_budget";
  return reason === "gone" ? "retired" : "error";
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);
