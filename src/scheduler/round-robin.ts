// Many targets of one collector, and whose turn it is: the one that has waited longest. Beside the turns there are hints: who is
// known to have moved, or to be behind, can be polled before its turn. No clock, no I/O.
import type { Task } from "../collectors/task.ts";

/** How often the targets of a collector are polled; changes when their number does. */
export interface Pace {
  /** Time in which every target is polled once. Milliseconds. */
  readonly intervalMs: number;
  /** That time as it was configured. */
  readonly wishedIntervalMs: number;
  /** Age at which values disappear. */
  readonly maxAgeMs: number;
}

/** What changed with a new list. */
export interface Renewal {
  /** Tasks that are polled no more. */
  readonly gone: readonly Task[];
  /** Tasks whose target is called or labelled otherwise: the same principal, another task. */
  readonly replaced: readonly { readonly before: Task; readonly after: Task }[];
}

/** Why a target is polled before its turn. */
export type Cause = "seen" | "behind";

// A principal that is seen all the time is polled so many times in its interval.
const MOST_HINTS_AN_INTERVAL = 5;

/** The targets of one collector on one network, in the order of their turns. */
export class Sweep {
  readonly network: string;
  readonly collector: string;
  #tasks: readonly Task[] = [];
  #pace: Pace;
  /** When each was taken last (milliseconds since any moment), the longest ago first. */
  readonly #turns = new Map<Task, number>();
  readonly #byKey = new Map<string, Task>();
  /** Who is to be polled before its turn, and not before when. */
  readonly #early = new Map<Task, number>();

  constructor(network: string, collector: string, pace: Pace) {
    this.network = network;
    this.collector = collector;
    this.#pace = pace;
  }

  /** In the order of the list. */
  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  /** In the order of their turns. */
  get order(): Iterable<Task> {
    return this.#turns.keys();
  }

  get pace(): Pace {
    return this.#pace;
  }

  /** Time between two turns, so that all have had theirs after the interval; Infinity without targets. Milliseconds. */
  get spacingMs(): number {
    return this.#pace.intervalMs / this.#tasks.length;
  }

  /** The task that has waited longest, which now waits behind all others. */
  take(now: number): Task | undefined {
    const [first] = this.#turns.keys();
    if (first !== undefined) this.#toBack(first, now);
    return first;
  }

  /** A target that should not wait for its turn; false when there is none of this key, or when it was known already. */
  hint(key: string, cause: Cause): boolean {
    const task = this.#byKey.get(key);
    if (task === undefined || this.#early.has(task)) return false;
    const pauseMs = cause === "behind" ? 0 : this.#pace.wishedIntervalMs / MOST_HINTS_AN_INTERVAL;
    this.#early.set(task, (this.#turns.get(task) ?? Number.NEGATIVE_INFINITY) + pauseMs);
    return true;
  }

  /** The first hinted task that may be polled now; it then waits behind all others, so that the turns of nobody come later. */
  takeEarly(now: number): Task | undefined {
    for (const [task, notBefore] of this.#early) {
      if (notBefore > now) continue;
      this.#toBack(task, now);
      return task;
    }
    return undefined;
  }

  /** Another list. Who stays keeps its turn, new ones come first: nothing is known of them yet. */
  renew(tasks: readonly Task[], pace: Pace): Renewal {
    const kept = new Set(tasks);
    const byKey = new Map(tasks.map((task) => [task.target.key, task]));
    const gone: Task[] = [];
    const replaced: { before: Task; after: Task }[] = [];
    const waiting: Task[] = [];
    const lastAt = new Map<string, number>();
    for (const [task, at] of this.#turns) {
      lastAt.set(task.target.key, at);
      const after = byKey.get(task.target.key);
      if (after !== undefined) waiting.push(after);
      if (kept.has(task)) continue;
      if (after === undefined) gone.push(task);
      else replaced.push({ before: task, after });
    }
    for (const known of [this.#turns, this.#byKey, this.#early]) known.clear();
    const newOnes = tasks.filter(({ target }) => !lastAt.has(target.key));
    for (const task of [...newOnes, ...waiting]) {
      this.#turns.set(task, lastAt.get(task.target.key) ?? Number.NEGATIVE_INFINITY);
      this.#byKey.set(task.target.key, task);
    }
    this.#tasks = tasks;
    this.#pace = pace;
    return { gone, replaced };
  }

  #toBack(task: Task, now: number): void {
    this.#turns.delete(task);
    this.#turns.set(task, now);
    this.#early.delete(task);
  }
}
