// Round robin: polls many targets of one collector in turn, evenly over its interval. A target with known activity
// can be polled early. No clock, no I/O.
import { isDeepStrictEqual } from "node:util";
import type { Target } from "../collectors/collector.ts";
import type { Task } from "../collectors/task.ts";
import type { HintCause } from "../telemetry/self-metrics.ts";
import type { PollTimes } from "./pacing.ts";

/** What the tasks of a round robin have in common. */
export type TaskSettings = Omit<Task, "target" | keyof PollTimes>;

/** Changes by a new list of targets. */
export interface Changes {
  /** Tasks that are not polled any more. */
  readonly removed: readonly Task[];
  /** Tasks of targets with a new name or new labels. */
  readonly replaced: readonly { readonly before: Task; readonly after: Task }[];
}

// Most early polls of a target in its interval, however often it is seen.
const MOST_HINTS_AN_INTERVAL = 5;

/** The targets of one collector on one network, in the order of their slots. */
export class RoundRobin {
  readonly settings: TaskSettings;
  /** In the order of the list. */
  tasks: readonly Task[] = [];
  times: PollTimes;
  /** When each was polled last (milliseconds on any clock), the longest ago first. */
  readonly #queue = new Map<Task, number>();
  readonly #byKey = new Map<string, Task>();
  /** Targets to poll early, and the earliest time for it. */
  readonly #early = new Map<Task, number>();

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

  /** Requests an early poll; false when the target is not in the list, or has a hint already. */
  hint(key: string, cause: HintCause): boolean {
    const task = this.#byKey.get(key);
    if (task === undefined || this.#early.has(task)) return false;
    const pauseMs = cause === "behind" ? 0 : this.times.configuredIntervalMs / MOST_HINTS_AN_INTERVAL;
    this.#early.set(task, (this.#queue.get(task) ?? Number.NEGATIVE_INFINITY) + pauseMs);
    return true;
  }

  /** The first task that can be polled early now; it moves to the end of the queue, which delays no other target. */
  nextEarly(now: number): Task | undefined {
    for (const [task, notBefore] of this.#early) {
      if (notBefore > now) continue;
      this.#moveToEnd(task, now);
      return task;
    }
    return undefined;
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

  /** Takes another list and other times. Known targets keep their place in the queue; new ones come first. */
  update(tasks: readonly Task[], times: PollTimes): Changes {
    const kept = new Set(tasks);
    const byKey = new Map(tasks.map((task) => [task.target.key, task]));
    const removed: Task[] = [];
    const replaced: { before: Task; after: Task }[] = [];
    const waiting: [Task, number][] = [];
    for (const [before, at] of this.#queue) {
      const after = byKey.get(before.target.key);
      if (after === undefined) removed.push(before);
      else {
        waiting.push([after, at]);
        if (!kept.has(before)) replaced.push({ before, after });
      }
    }
    const added = tasks.filter(({ target }) => !this.#byKey.has(target.key));
    for (const known of [this.#queue, this.#byKey, this.#early]) known.clear();
    for (const task of added) this.#queue.set(task, Number.NEGATIVE_INFINITY);
    for (const [task, at] of waiting) this.#queue.set(task, at);
    for (const [key, task] of byKey) this.#byKey.set(key, task);
    this.tasks = tasks;
    this.times = times;
    for (const task of tasks) Object.assign(task, times);
    return { removed, replaced };
  }

  #moveToEnd(task: Task, now: number): void {
    this.#queue.delete(task);
    this.#queue.set(task, now);
    this.#early.delete(task);
  }
}
