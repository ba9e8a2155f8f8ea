// Polls the targets of a collector in turn, evenly over its interval. A target can be due early. No clock, no I/O.
import { isDeepStrictEqual } from "node:util";
import type { PollTimes, Target, Task } from "../collectors/collector.ts";
import type { Outcome } from "./poller.ts";

/** Common settings of the tasks of a collector. */
export type TaskSettings = Omit<Task, "target" | keyof PollTimes>;

/**
 * Why to poll a target before its slot. `moved`: it has moved, was never polled, or failed in an outage that is over.
 * `spare`: another cause, while the budget has something to spare.
 */
type Early = "moved" | "spare";

interface Place {
  readonly task: Task;
  /** Time of the last poll. Of a new target, an interval before its first slot. */
  readonly polledAt: number;
}

/** A task whose turn it is, and why it was due early if it was. */
export interface Turn {
  readonly task: Task;
  readonly early: Early | undefined;
}

// A target that has moved can move again at once, and its rows can wait for more than one block.
const PAUSE_MS = 60_000;
// A shorter interval has a shorter pause: this part of it.
const PAUSES = 5;
// Sooner than StacksCollectorFailing fires.
const RETRY_MS = 5 * PAUSE_MS;

/** The targets of one collector on one network, in the order of their slots. Times are milliseconds on one clock. */
export class RoundRobin {
  readonly settings: TaskSettings;
  times: PollTimes = { intervalMs: Number.POSITIVE_INFINITY, configuredIntervalMs: 0, maxAgeMs: 0 };
  /** By the key of the target, in the order of their last polls, the oldest first. */
  #places = new Map<string, Place>();
  readonly #early = new Map<string, { readonly kind: Early; readonly at: number }>();
  readonly #failed = new Set<string>();

  /** It has no targets yet. */
  constructor(settings: TaskSettings) {
    this.settings = settings;
  }

  /** In the order of their next slots. */
  get tasks(): readonly Task[] {
    return [...this.#places.values()].map(({ task }) => task);
  }

  /** Time between two slots, so that every target has one per interval; Infinity without targets. */
  get slotMs(): number {
    return this.times.intervalMs / this.#places.size;
  }

  /** The target that was polled longest ago; it moves to the end of the queue. */
  next(now: number): Turn | undefined {
    const [key] = this.#places.keys();
    return key === undefined ? undefined : this.#take(key, now);
  }

  /**
   * The first target that is due early, those that have moved before the others; it moves to the end of the queue,
   * which delays no other target.
   * @param hasRoom whether there is budget for an early poll of this kind
   */
  nextEarly(now: number, hasRoom: (kind: Early) => boolean): Turn | undefined {
    for (const wanted of ["moved", "spare"] as const) {
      // After a start, every target is due.
      for (const [key, { kind, at }] of this.#early)
        if (kind === wanted && at <= now) return hasRoom(wanted) ? this.#take(key, now) : undefined;
    }
    return undefined;
  }

  /** A target is due early: a pause after its last poll, or at once. Ignores targets that are not in the list. */
  hint(key: string, kind: Early, isAtOnce = false): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    const known = this.#early.get(key);
    const at = place.polledAt + (isAtOnce ? 0 : this.#pauseMs);
    this.#early.set(key, { kind: known?.kind === "moved" ? "moved" : kind, at: Math.min(at, known?.at ?? at) });
  }

  /** The present amount of a target with a limit has changed. */
  hintLimited(key: string): void {
    const place = this.#places.get(key);
    if (place !== undefined && hasLimit(place.task.target)) this.hint(key, "moved");
  }

  /** An outage is over: the targets whose last poll failed are due at once. */
  retry(): void {
    for (const key of this.#failed) this.hint(key, "moved", true);
  }

  /**
   * A poll has ended. A target is due early after its first failure. One that has moved is after each failure, and one
   * that was due early for another cause after a poll that was not made.
   */
  ended({ task, early }: Turn, outcome: Outcome): void {
    const { key } = task.target;
    const place = this.#places.get(key);
    const isNew = outcome === "failed" && !this.#failed.has(key);
    if (outcome === "failed" && place !== undefined) this.#failed.add(key);
    else if (outcome === "ok") this.#failed.delete(key);
    const isDue = isNew || early === "moved" || (early === "spare" && outcome === "none");
    if (place === undefined || outcome === "ok" || this.#early.has(key) || !isDue) return;
    // As often as configured, even if the budget has increased the interval.
    const again = isNew ? Math.min(RETRY_MS, this.times.configuredIntervalMs) : this.times.configuredIntervalMs;
    const wait = outcome === "none" ? this.#pauseMs : again;
    this.#early.set(key, { kind: early ?? "spare", at: place.polledAt + wait });
  }

  /**
   * Takes a new list and new times. Known targets keep their place in the queue. New principals are first, and due at
   * once: those with limits before the others, and then group by group.
   */
  update(targets: readonly Target[], { intervalMs, configuredIntervalMs, maxAgeMs }: PollTimes, now: number): void {
    const times = { intervalMs, configuredIntervalMs, maxAgeMs };
    this.times = times;
    const before = this.#places;
    const [added, wanted] = [new Map<string, Place>(), new Map(targets.map((target) => [target.key, target]))];
    for (const [slot, target] of targets
      .filter(({ key }) => !before.has(key))
      .toSorted(byUrgency)
      .entries()) {
      if (target.watched !== undefined) this.#early.set(target.key, { kind: "moved", at: now });
      const polledAt = now - times.intervalMs + (slot * times.intervalMs) / targets.length;
      added.set(target.key, { task: { ...this.settings, ...times, target }, polledAt });
    }
    const kept = [...before].flatMap(([key, place]): [string, Place][] => {
      const target = wanted.get(key);
      if (target === undefined) {
        this.#early.delete(key);
        this.#failed.delete(key);
        return [];
      }
      const isSame = isDeepStrictEqual(place.task.target, target);
      const task = isSame ? Object.assign(place.task, times) : { ...place.task, ...times, target };
      return [[key, { ...place, task }]];
    });
    this.#places = new Map([...added, ...kept]);
  }

  get #pauseMs(): number {
    return Math.min(PAUSE_MS, this.times.configuredIntervalMs / PAUSES);
  }

  #take(key: string, now: number): Turn {
    const { task } = this.#places.get(key) as Place;
    const early = this.#early.get(key)?.kind;
    this.#early.delete(key);
    this.#places.delete(key);
    this.#places.set(key, { task, polledAt: now });
    return { task, early };
  }
}

const hasLimit = ({ watched }: Target) => watched?.minBalance !== undefined || watched?.maxOutflow !== undefined;

const byUrgency = (a: Target, b: Target): number =>
  Number(hasLimit(b)) - Number(hasLimit(a)) || (a.watched?.group ?? "").localeCompare(b.watched?.group ?? "");
