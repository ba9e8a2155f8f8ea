// One poll: observe within the deadline, make samples at once, record what came of it. Never throws.
import { SPARE_PRIORITY } from "../api/budget.ts";
import type { Clock } from "../api/clock.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { Target } from "../collectors/collector.ts";
import type { Task } from "../collectors/task.ts";
import type { State } from "../storage/state.ts";
import { StateFileError } from "../storage/state-file-error.ts";
import { Incidents, type PollLog } from "../telemetry/incidents.ts";
import type { Outcome } from "../telemetry/self-metrics.ts";

/** What the poller tells of each poll that ended. */
export interface Run {
  readonly task: Task;
  readonly outcome: Outcome;
  readonly reason: Reason | undefined;
  readonly seconds: number;
}

interface Parts {
  readonly state: State;
  readonly clock: Clock;
  readonly log: PollLog;
  /** Aborted at shutdown: a poll that is stopped so is neither a success nor a failure. */
  readonly stop: AbortSignal;
  /** Series that one poll may add for label values from the wire. @default no limit */
  readonly spareSeries?: () => number;
  /** Where failures with one cause meet. @default those of this poller only */
  readonly incidents?: Incidents;
  readonly onRun: (run: Run) => void;
  /** Told of every good poll, when its samples are on the page. */
  readonly onObserved?: (task: Task, observation: unknown) => void;
}

/** Polls tasks, each at most once at a time. */
export class Poller {
  readonly #parts: Parts;
  readonly #running = new Map<Task, AbortController>();
  readonly #incidents: Incidents;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#incidents = parts.incidents ?? new Incidents();
  }

  /**
   * Polls a task; resolves when the poll has ended, whatever came of it. A poll before its turn takes only what others leave
   * of the budget; when that is nothing, it is as if it had not been tried.
   */
  async poll(task: Task, isEarly = false): Promise<void> {
    const { clock, stop, onRun } = this.#parts;
    if (stop.aborted) return;
    if (this.#running.has(task)) {
      onRun({ task, outcome: "skipped_overlap", reason: undefined, seconds: 0 });
      return;
    }
    const dropped = new AbortController();
    this.#running.set(task, dropped);
    const startedAt = clock.now();
    const deadline = startedAt + task.timeoutMs;
    const ended = new AbortController();
    const late = new AbortController();
    clock
      .sleep(task.timeoutMs, ended.signal)
      .then(() => late.abort(new DOMException("the deadline of the poll passed", "TimeoutError")))
      .catch(() => undefined);
    try {
      const reason = await this.#observe(task, isEarly, startedAt, deadline, [stop, dropped.signal, late.signal]);
      if (reason === "stopped") return;
      onRun({ task, outcome: outcomeOf(reason), reason, seconds: (clock.now() - startedAt) / 1000 });
    } finally {
      ended.abort();
      this.#running.delete(task);
    }
  }

  /** Ends the running poll of a task that is polled no more, as a stop would: neither success nor failure. */
  drop(task: Task): void {
    this.#incidents.end(task);
    this.#running.get(task)?.abort(new DOMException("the target is watched no more", "AbortError"));
  }

  async #observe(
    task: Task,
    isEarly: boolean,
    now: number,
    deadline: number,
    [stop, dropped, late]: readonly [AbortSignal, AbortSignal, AbortSignal],
  ): Promise<Reason | "stopped" | undefined> {
    const { state, clock, log } = this.#parts;
    const signal = AbortSignal.any([stop, dropped, late]);
    const { collector, network, target, options } = task;
    const fields = { network, collector: collector.name, ...targetFields(target) };
    let before = state.of(task);
    let api: StacksApi | undefined;
    try {
      const priority = isEarly ? SPARE_PRIORITY : collector.priority;
      const counts = collector.durable !== undefined;
      const admitted = task.client.forPoll({ priority, signal, deadline, counts });
      api = admitted instanceof Promise ? await untilAborted(admitted, signal) : admitted;
      // A new chain can have been accepted meanwhile.
      before = state.of(task);
      const previous = before.observation;
      const spareSeries = this.#parts.spareSeries?.() ?? Number.POSITIVE_INFINITY;
      const bound = api;
      const surroundings = {
        chain: task.chain?.(),
        isFollowed: task.chain !== undefined,
        checkIdentity: () => task.client.checkChain?.(bound) ?? Promise.resolve(),
        note: (text: string) => log.warn(fields, text),
      };
      const observation = await untilAborted(
        collector.observe({ api, network, target, ...surroundings, previous, now, spareSeries, signal }, options),
        signal,
      );
      // The chain has been replaced by another one meanwhile.
      if (state.of(task) !== before) return "stopped";
      if (dropped.aborted) return "stopped";
      state.succeed(task, observation, collector.samples(observation, network, target), clock.now());
      task.client.ended?.(api, { collector: collector.name, reason: undefined, message: "" });
      const over = this.#incidents.end(task);
      if (over !== undefined) log.info({ ...fields, ...over, failedPolls: before.failuresInARow }, "poll recovered");
      else log.debug(fields, "polled");
      this.#parts.onObserved?.(task, observation);
      return undefined;
    } catch (error) {
      if (stop.aborted || dropped.aborted) return "stopped";
      const reason = reasonOf(error, signal);
      const message = error instanceof Error ? error.message : String(error);
      if (isEarly && reason === "budget") {
        log.debug(fields, "no budget left for a poll before its turn");
        return "stopped";
      }
      state.fail(task, { reason, message, at: clock.now() });
      if (api !== undefined) task.client.ended?.(api, { collector: collector.name, reason, message });
      const failed = { ...fields, reason, error: message, ...(reason === "bug" ? { stack: stackOf(error) } : {}) };
      // Logged once for each cause, with the first target that has it.
      if (this.#incidents.add(task, reason)) log.warn(failed, "poll failed");
      else log.debug(failed, "poll failed again, or for the cause of others");
      return reason;
    }
  }
}

// By the name of the watch list, which is what people know, and by the principal, which can be searched for.
function targetFields({ key, watched }: Target): object {
  return key === "" ? {} : { target: key, ...(watched === undefined ? {} : { name: watched.name }) };
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
  if (error instanceof StateFileError) return "state";
  return signal.aborted && error === signal.reason ? "timeout" : "bug";
}

function outcomeOf(reason: Reason | undefined): Outcome {
  if (reason === undefined) return "ok";
  if (reason === "budget") return "skipped_budget";
  return reason === "gone" ? "retired" : "error";
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);
