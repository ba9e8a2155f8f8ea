// Polls the targets of a collector in turn, evenly over its interval. A target can be due early. No clock, no I/O.
import { isDeepStrictEqual } from "node:util";
import type { Target } from "../collectors/collector.ts";
import type { Task } from "../collectors/task.ts";
import type { Outcome } from "../telemetry/self-counters.ts";
import type { PollTimes } from "./pacing.ts";

/** Common settings of the tasks of a round robin. */
export type TaskSettings = Omit<Task, "target" | keyof PollTimes>;

/** Changes by a new list of targets. */
export interface Changes {
  readonly added: readonly Task[];
  /** Tasks that are no longer polled. */
  readonly removed: readonly Task[];
  /** Tasks of targets with a new name or new labels. */
  readonly replaced: readonly { readonly before: Task; readonly after: Task }[];
}

/** A target to poll before its slot: one that has moved, or another one while the budget has something to spare. */
interface Early {
  readonly kind: "moved" | "spare";
  /** Milliseconds, as all times here. */
  readonly at: number;
  /** A poll has begun since. */
  readonly isPolled: boolean;
}

// A target that has moved can move again at once, and its rows can wait for more than one block.
const PAUSE_MS = 60_000;
// A shorter interval has a shorter pause: this part of it.
const PAUSES = 5;

/** The targets of one collector on one network, in the order of their slots. Times are milliseconds on one clock. */
export class RoundRobin {
  readonly settings: TaskSettings;
  /** In the order of the list. */
  tasks: readonly Task[] = [];
  times: PollTimes;
  /** Time of the last poll of each, the oldest first. Of a new one, an interval before its first slot. */
  readonly #queue = new Map<Task, number>();
  readonly #byKey = new Map<string, Task>();
  readonly #early = new Map<Task, Early>();

  constructor(settings: TaskSettings, times: PollTimes) {
    this.settings = settings;
    this.times = times;
  }

  /** Time between two slots, so that every target has one per interval; Infinity without targets. */
  get slotMs(): number {
    return this.times.intervalMs / this.tasks.length;
  }

  /** Time of the next poll of a task; undefined for one of another round robin. */
  dueAt(task: Task): number | undefined {
    const polledAt = this.#queue.get(task);
    if (polledAt === undefined) return undefined;
    return Math.min(polledAt + this.times.intervalMs, this.#early.get(task)?.at ?? Number.POSITIVE_INFINITY);
  }

  /** The task that was polled longest ago; it moves to the end of the queue. */
  next(now: number): Task | undefined {
    const [first] = this.#queue.keys();
    if (first !== undefined) this.#polled(first, now);
    return first;
  }

  /**
   * The first target that is due early, those that have moved before the others; it moves to the end of the queue,
   * which delays no other target.
   * @param hasSpare whether there is budget for targets that have not moved
   */
  nextEarly(now: number, hasSpare: boolean): { readonly task: Task; readonly kind: Early["kind"] } | undefined {
    const due = [...this.#early].filter(([, { at, kind }]) => at <= now && (hasSpare || kind === "moved"));
    const [task, early] = due.find(([, { kind }]) => kind === "moved") ?? due[0] ?? [];
    if (task === undefined || early === undefined) return undefined;
    this.#polled(task, now);
    return { task, kind: early.kind };
  }

  /** A target is due early: a pause after its last poll, or at once. Ignores targets that are not in the list. */
  hint(key: string, kind: Early["kind"], isAtOnce = false): void {
    const task = this.#byKey.get(key);
    if (task === undefined) return;
    const known = this.#early.get(task);
    const at = (this.#queue.get(task) ?? 0) + (isAtOnce ? 0 : this.#pauseMs);
    const isMoved = kind === "moved" || (known?.kind === "moved" && !known.isPolled);
    this.#early.set(task, { kind: isMoved ? "moved" : kind, at: Math.min(at, known?.at ?? at), isPolled: false });
  }

  /** A poll has ended. A target that is due early stays so until a poll that began then succeeds. */
  ended(task: Task, outcome: Outcome | undefined): void {
    const early = this.#early.get(task);
    if (early?.isPolled !== true) return;
    if (outcome === "ok") this.#early.delete(task);
    if (outcome === undefined) this.#early.set(task, { ...early, at: (this.#queue.get(task) ?? 0) + this.#pauseMs });
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
  update(tasks: readonly Task[], times: PollTimes, now: number): Changes {
    const before = new Map(this.#byKey);
    const polledAt = new Map([...this.#queue].map(([{ target }, at]) => [target.key, at]));
    const early = new Map([...this.#early].map(([{ target }, one]) => [target.key, one]));
    for (const known of [this.#queue, this.#byKey, this.#early]) known.clear();
    [this.tasks, this.times] = [tasks, times];
    for (const task of tasks) this.#byKey.set(task.target.key, Object.assign(task, times));
    const added = tasks.filter(({ target }) => !before.has(target.key));
    for (const [slot, task] of added.entries()) this.#queue.set(task, now - times.intervalMs + slot * this.slotMs);
    const replaced: { before: Task; after: Task }[] = [];
    for (const [key, at] of polledAt) {
      const [old, after, one] = [before.get(key), this.#byKey.get(key), early.get(key)];
      if (old === undefined || after === undefined) continue;
      this.#queue.set(after, at);
      if (one !== undefined) this.#early.set(after, one);
      if (after !== old) replaced.push({ before: old, after });
    }
    return { added, removed: [...before.values()].filter(({ target }) => !this.#byKey.has(target.key)), replaced };
  }

  get #pauseMs(): number {
    return Math.min(PAUSE_MS, this.times.configuredIntervalMs / PAUSES);
  }

  // If the poll fails, it is repeated as often as configured, even if the budget has increased the interval.
  #polled(task: Task, now: number): void {
    this.#queue.delete(task);
    this.#queue.set(task, now);
    const early = this.#early.get(task);
    const at = now + this.times.configuredIntervalMs;
    if (early !== undefined) this.#early.set(task, { ...early, at, isPolled: true });
  }
}
