// One poll: observes within the deadline, makes the samples, records the outcome. Never throws.
import { MOVED_PRIORITY, SPARE_PRIORITY } from "../api/budget.ts";
import { type Clock, withTimeout } from "../api/clock.ts";
import { ApiError, type Reason } from "../api/errors.ts";
import type { AnyCollector, Task, Views } from "../collectors/collector.ts";
import { MISMATCHES } from "../ledger/audit.ts";
import { StateFileError } from "../store/open.ts";
import type { State } from "../store/state.ts";
import { causeOf, type Incidents, type PollLog } from "../telemetry/incidents.ts";
import { events, type Instruments } from "../telemetry/self-metrics.ts";
import type { UpstreamApi, Upstreams } from "../upstreams/upstreams.ts";

/** Dependencies of a poller. */
export interface PollerOptions {
  readonly state: State;
  readonly client: Pick<Upstreams, "forPoll" | "active">;
  /** What the collectors of the network offer now. */
  readonly views: () => Views;
  readonly clock: Clock;
  readonly log: PollLog;
  /** Aborted at shutdown, which ends a poll without an outcome. */
  readonly stop: AbortSignal;
  /** Series that one poll may add for label values of the API. */
  readonly spareSeries: () => number;
  readonly incidents: Incidents;
  readonly instruments: Instruments;
  readonly onEnd: () => void;
  /**
   * Called after a successful poll, when its samples are exposed.
   * @param isFirst whether no poll of the task has succeeded before
   */
  readonly onObserved: (task: Task, observation: unknown, isFirst: boolean) => void;
}

/**
 * Why a task is polled now. `due`: on schedule. `overdue`: on schedule, after it has waited for the budget. `moved`:
 * early, because the target has moved. `spare`: early for another cause.
 */
export type PollKind = "due" | "overdue" | "moved" | "spare";

/** How a poll has ended; `none`: it was not made, or cancelled. */
export type Outcome = "ok" | "failed" | "none";

const UNSUPPORTED = "the server lacks the operation; it is requested again every hour";

/** The priority of a poll. */
export function priorityOf({ priority }: Pick<AnyCollector, "priority">, kind: PollKind): number {
  if (kind === "due") return priority;
  return kind === "spare" ? SPARE_PRIORITY : Math.min(priority, MOVED_PRIORITY);
}

/** Polls tasks, each at most once at a time. */
export class Poller {
  readonly #options: PollerOptions;
  readonly #running = new Map<Task, AbortController>();

  constructor(options: PollerOptions) {
    this.#options = options;
  }

  /**
   * Polls a task; resolves when the poll has ended. Without a poll: while another one of the task runs, after the
   * stop, and early if the budget has nothing left.
   */
  async poll(task: Task, kind: PollKind = "due"): Promise<Outcome> {
    const { clock, stop, instruments, onEnd } = this.#options;
    if (stop.aborted || this.#running.has(task)) return "none";
    const cancel = new AbortController();
    this.#running.set(task, cancel);
    const cancelled = AbortSignal.any([stop, cancel.signal]);
    const end = await withTimeout(clock, task.timeoutMs, cancelled, (signal) =>
      this.#observe(task, kind, cancelled, signal),
    ).finally(() => this.#running.delete(task));
    if (end === "none") return end;
    onEnd();
    const labels = { network: task.network, collector: task.collector.name };
    instruments.add(events.runs, labels);
    if (end === "ok") return end;
    if (end !== "unsupported") instruments.add(events.failures, { ...labels, reason: end });
    return "failed";
  }

  /** Cancels the running poll of a task that is no longer polled. */
  cancel(task: Task): void {
    this.#options.incidents.end(task);
    this.#running.get(task)?.abort(new DOMException("the target is no longer watched", "AbortError"));
  }

  async #observe(
    task: Task,
    kind: PollKind,
    cancelled: AbortSignal,
    signal: AbortSignal,
  ): Promise<Outcome | "unsupported" | Reason> {
    const { state, client, views, clock, log, incidents, instruments, spareSeries, onObserved } = this.#options;
    const { collector, network, target, options } = task;
    const now = clock.now();
    const labels = { network, collector: collector.name };
    // Both the name of the watch list and the principal, to search for.
    const fields = { ...labels, target: target.key || undefined, name: target.watched?.name };
    let api: UpstreamApi | undefined;
    try {
      const deadline = clock.elapsed() + task.timeoutMs;
      const turn = state.begin(task);
      const counts = collector.counts !== undefined && collector.isOfPresent !== true;
      const poll = { priority: priorityOf(collector, kind), signal, deadline, counts };
      const bound = await client.forPoll(poll);
      api = bound;
      const spare = spareSeries();
      const observation = await collector.observe(
        {
          api,
          target,
          now,
          previous: turn.previous,
          ...views(),
          checkIdentity: () => bound.checkChain(),
          onAudit: ({ mismatches, isClean }) => {
            for (const kind of MISMATCHES)
              instruments.add(events.auditMismatches, { ...labels, kind }, mismatches[kind]);
            if (isClean) instruments.set(events.cleanAudit, labels, clock.now() / 1000);
          },
          note: (text) => log.warn(fields, text),
        },
        options,
      );
      if (cancelled.aborted) return "none";
      const { failuresInARow, lastSuccessAt } = state.of(task);
      turn.succeed(observation, clock.now(), spare);
      bound.ended(collector.name);
      const incident = incidents.end(task);
      if (incident === undefined) log.debug(fields, "polled");
      else log.info({ ...fields, ...incident, failedPolls: failuresInARow }, "poll recovered");
      onObserved(task, observation, lastSuccessAt === undefined);
      return "ok";
    } catch (error) {
      if (cancelled.aborted) return "none";
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof ApiError && error.isUnsupported) {
        const isNew = incidents.begin(task, causeOf("unsupported", collector.name));
        log[isNew ? "info" : "debug"]({ ...fields, error: message }, UNSUPPORTED);
        state.unsupported(task, clock.now());
        return "unsupported";
      }
      if (error instanceof StateFileError && error.isDamage) state.stopCounting(error);
      const reason = reasonOf(error, signal);
      if ((kind === "moved" || kind === "spare") && reason === "budget") {
        log.debug(fields, "no budget left for an early poll");
        return "none";
      }
      state.fail(task, { reason, message, at: clock.now() });
      api?.ended(collector.name, { reason, message });
      const stack = reason === "bug" && error instanceof Error ? { stack: error.stack } : {};
      // Logged once for each cause, with the first target that has it. The check of the upstream has logged another
      // chain, for all collectors.
      const cause = `${causeOf(reason, collector.name, target.key)} ${api?.upstream ?? client.active.name}`;
      const isNew = incidents.begin(task, cause) && reason !== "wrong_chain";
      log[isNew ? "warn" : "debug"]({ ...fields, reason, error: message, ...stack }, "poll failed");
      return reason;
    }
  }
}

function reasonOf(error: unknown, signal: AbortSignal): Reason {
  if (error instanceof ApiError) return error.reason;
  if (error instanceof StateFileError) return "state";
  return signal.aborted && error === signal.reason ? "timeout" : "bug";
}
