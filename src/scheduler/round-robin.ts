// Round robin: polls many targets of one collector in turn, evenly over its interval. A target with known activity
// can be polled early. No clock, no I/O.
import { isDeepStrictEqual } from "node:util";
import type { Target } from "../collectors/collector.ts";
import type { Task } from "../collectors/task.ts";
import type { HintCause } from "../telemetry/self-counters.ts";
import type { PollTimes } from "./pacing.ts";

/** Common settings of the tasks of a round robin. */
export type TaskSettings = Omit<Task, "target" | keyof PollTimes>;

/** Changes by a new list of targets. */
export interface Changes {
  /** Tasks that are no longer polled. */
  readonly removed: readonly Task[];
  /** Tasks of targets with a new name or new labels. */
  readonly replaced: readonly { readonly before: Task; readonly after: Task }[];
}

// A target that has moved can move again at once, and its rows can wait for more than one block.
const PAUSE_MS = 60_000;
// Most early polls of a target in its interval that fail. No pause is longer than it would be for these.
const MAX_FAILURES = 5;

/** A target to poll early. Milliseconds on any clock. */
interface Hint {
  readonly cause: HintCause;
  /** Time of the hint. */
  readonly at: number;
  readonly notBefore: number;
}

/** The targets of one collector on one network, in the order of their slots. */
export class RoundRobin {
  readonly settings: TaskSettings;
  /** In the order of the list. */
  tasks: readonly Task[] = [];
  times: PollTimes;
  /** Time of the last poll of each (milliseconds on any clock), the oldest first. */
  readonly #queue = new Map<Task, number>();
  readonly #byKey = new Map<string, Task>();
  /** The targets to poll early, until a poll that began after the hint has succeeded. */
  readonly #hints = new Map<Task, Hint>();

  constructor(settings: TaskSettings, times: PollTimes) {
    this.settings = settings;
    this.times = times;
  }

  /** In the order of their slots. */
  get queue(): Iterable<Task> {
    return this.#queue.keys();
  }

  /** Time between two slots, so that every target has one per interval; Infinity without targets. Milliseconds. */
  get slotMs(): number {
    return this.times.intervalMs / this.tasks.length;
  }

  /** The task that was polled longest ago; it moves to the end of the queue. */
  next(now: number): Task | undefined {
    const [first] = this.#queue.keys();
    if (first !== undefined) this.#moveToEnd(first, now);
    return first;
  }

  /** Requests an early poll; false when the target is not in the list, or has such a hint already. */
  hint(key: string, cause: HintCause, now: number): boolean {
    const task = this.#byKey.get(key);
    if (task === undefined) return false;
    const polledAt = this.#queue.get(task) ?? Number.NEGATIVE_INFINITY;
    const notBefore = polledAt + (cause === "behind" ? 0 : Math.min(PAUSE_MS, this.#pauseOfFailuresMs));
    const known = this.#hints.get(task);
    const isPending = known !== undefined && known.at > polledAt;
    const hasMoved = isPending && known.cause === "moved";
    this.#hints.set(task, {
      cause: hasMoved ? "moved" : cause,
      at: now,
      notBefore: isPending ? Math.min(known.notBefore, notBefore) : notBefore,
    });
    return !isPending || (cause === "moved" && !hasMoved);
  }

  /**
   * The first target that can be polled early now, those that have moved before the others; it moves to the end of the
   * queue, which delays no other target.
   * @param hasSpare whether there is budget for targets that have not moved
   */
  nextEarly(now: number, hasSpare: boolean): { readonly task: Task; readonly cause: HintCause } | undefined {
    let early: readonly [Task, Hint] | undefined;
    for (const entry of this.#hints) {
      const [, { cause, notBefore }] = entry;
      if (notBefore > now) continue;
      if (cause === "moved") {
        early = entry;
        break;
      }
      if (hasSpare) early ??= entry;
    }
    if (early === undefined) return undefined;
    const [task, hint] = early;
    this.#moveToEnd(task, now);
    return { task, cause: hint.cause };
  }

  /** Records a successful poll, which ends the hints before it. */
  succeeded(key: string): void {
    const task = this.#byKey.get(key);
    const hint = task && this.#hints.get(task);
    if (task === undefined || hint === undefined) return;
    if (hint.at <= (this.#queue.get(task) ?? Number.NEGATIVE_INFINITY)) this.#hints.delete(task);
  }

  /** The tasks for a list of targets: those there are, and new ones for new or changed targets. */
  tasksFor(targets: readonly Target[]): readonly Task[] {
    return targets.map((target) => {
      const known = this.#byKey.get(target.key);
      return known !== undefined && isDeepStrictEqual(known.target, target)
        ? known
        : { ...this.settings, ...this.times, target };
    });
  }

  /** Applies a new list and new times. Known targets keep their place in the queue; new ones are first. */
  update(tasks: readonly Task[], times: PollTimes): Changes {
    const kept = new Set(tasks);
    const byKey = new Map(tasks.map((task) => [task.target.key, task]));
    const removed: Task[] = [];
    const replaced: { before: Task; after: Task }[] = [];
    const waiting: [Task, number][] = [];
    const hinted: [Task, Hint][] = [];
    for (const [before, at] of this.#queue) {
      const after = byKey.get(before.target.key);
      if (after === undefined) removed.push(before);
      else {
        waiting.push([after, at]);
        const hint = this.#hints.get(before);
        if (hint !== undefined) hinted.push([after, hint]);
        if (!kept.has(before)) replaced.push({ before, after });
      }
    }
    const added = tasks.filter(({ target }) => !this.#byKey.has(target.key));
    for (const known of [this.#queue, this.#byKey, this.#hints]) known.clear();
    for (const task of added) this.#queue.set(task, Number.NEGATIVE_INFINITY);
    for (const [task, at] of waiting) this.#queue.set(task, at);
    for (const [task, hint] of hinted) this.#hints.set(task, hint);
    for (const [key, task] of byKey) this.#byKey.set(key, task);
    this.tasks = tasks;
    this.times = times;
    for (const task of tasks) Object.assign(task, times);
    return { removed, replaced };
  }

  get #pauseOfFailuresMs(): number {
    return this.times.configuredIntervalMs / MAX_FAILURES;
  }

  // A hint stays, for the case that the poll fails.
  #moveToEnd(task: Task, now: number): void {
    this.#queue.delete(task);
    this.#queue.set(task, now);
    const hint = this.#hints.get(task);
    if (hint !== undefined) this.#hints.set(task, { ...hint, notBefore: now + this.#pauseOfFailuresMs });
  }
}
