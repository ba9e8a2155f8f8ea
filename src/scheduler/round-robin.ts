// Polls the targets of a collector in turn, evenly over its interval. A target can be due early. No clock, no I/O.
import { isDeepStrictEqual } from "node:util";
import type { Target } from "../collectors/collector.ts";
import type { Task } from "../collectors/task.ts";
import type { Outcome } from "../telemetry/self-counters.ts";
import type { PollTimes } from "./pacing.ts";

/** Common settings of the tasks of a round robin. */
export type TaskSettings = Omit<Task, "target" | keyof PollTimes>;

/** A target to poll before its slot: one that has moved, or another one while the budget has something to spare. */
interface Early {
  readonly kind: "moved" | "spare";
  /** Milliseconds, as all times here. */
  readonly at: number;
}

interface Place {
  readonly task: Task;
  /** Time of the last poll. Of a new target, an interval before its first slot. */
  readonly polledAt: number;
}

/** A task whose turn it is, and whether it was due early. */
export interface Turn {
  readonly task: Task;
  readonly early: Early | undefined;
}

// A target that has moved can move again at once, and its rows can wait for more than one block.
const PAUSE_MS = 60_000;
// A shorter interval has a shorter pause: this part of it.
const PAUSES = 5;

/** The targets of one collector on one network, in the order of their slots. Times are milliseconds on one clock. */
export class RoundRobin {
  readonly settings: TaskSettings;
  times: PollTimes;
  /** By the key of the target, in the order of their last polls, the oldest first. */
  #places = new Map<string, Place>();
  readonly #early = new Map<string, Early>();

  constructor(settings: TaskSettings, times: PollTimes) {
    this.settings = settings;
    this.times = times;
  }

  /** In the order of their next slots. */
  get tasks(): readonly Task[] {
    return [...this.#places.values()].map(({ task }) => task);
  }

  /** Time between two slots, so that every target has one per interval; Infinity without targets. */
  get slotMs(): number {
    return this.times.intervalMs / this.#places.size;
  }

  /** Time of the next poll of a task; undefined for one of another round robin. */
  dueAt({ collector, target }: Task): number | undefined {
    const place = collector === this.settings.collector ? this.#places.get(target.key) : undefined;
    return (
      place &&
      Math.min(place.polledAt + this.times.intervalMs, this.#early.get(target.key)?.at ?? Number.POSITIVE_INFINITY)
    );
  }

  /** The target that was polled longest ago; it moves to the end of the queue. */
  next(now: number): Turn | undefined {
    const [key] = this.#places.keys();
    return key === undefined ? undefined : this.#take(key, now);
  }

  /**
   * The first target that is due early, those that have moved before the others; it moves to the end of the queue,
   * which delays no other target.
   * @param hasSpare whether there is budget for targets that have not moved
   */
  nextEarly(now: number, hasSpare: boolean): Turn | undefined {
    const due = [...this.#early].filter(([, { at, kind }]) => at <= now && (hasSpare || kind === "moved"));
    const [key] = due.find(([, { kind }]) => kind === "moved") ?? due[0] ?? [];
    return key === undefined ? undefined : this.#take(key, now);
  }

  /** A target is due early: a pause after its last poll, or at once. Ignores targets that are not in the list. */
  hint(key: string, kind: Early["kind"], isAtOnce = false): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    const known = this.#early.get(key);
    const at = place.polledAt + (isAtOnce ? 0 : this.#pauseMs);
    this.#early.set(key, { kind: known?.kind === "moved" ? "moved" : kind, at: Math.min(at, known?.at ?? at) });
  }

  /**
   * A poll has ended. A target that was due early is so again if the poll failed, as often as configured, even if the
   * budget has increased the interval.
   * @param outcome undefined if the poll was not made
   */
  ended({ task, early }: Turn, outcome: Outcome | undefined): void {
    const { key } = task.target;
    const place = this.#places.get(key);
    if (place === undefined || early === undefined || outcome === "ok" || this.#early.has(key)) return;
    const wait = outcome === undefined ? this.#pauseMs : this.times.configuredIntervalMs;
    this.#early.set(key, { ...early, at: place.polledAt + wait });
  }

  /** Takes a new list and new times. Known targets keep their place in the queue; new ones are first. */
  update(targets: readonly Target[], times: PollTimes, now: number): void {
    this.times = times;
    const before = this.#places;
    const [added, wanted] = [new Map<string, Place>(), new Map(targets.map((target) => [target.key, target]))];
    for (const [slot, target] of targets.filter(({ key }) => !before.has(key)).entries()) {
      const polledAt = now - times.intervalMs + (slot * times.intervalMs) / targets.length;
      added.set(target.key, { task: { ...this.settings, ...times, target }, polledAt });
    }
    const kept = [...before].flatMap(([key, place]): [string, Place][] => {
      const target = wanted.get(key);
      if (target === undefined) this.#early.delete(key);
      if (target === undefined) return [];
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
    const early = this.#early.get(key);
    this.#early.delete(key);
    this.#places.delete(key);
    this.#places.set(key, { task, polledAt: now });
    return { task, early };
  }
}
