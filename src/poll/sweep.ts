// Many targets of one collector, and whose turn it is: the one that has waited longest. No clock, no I/O.
import type { Task } from "./task.ts";

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

/** The targets of one collector on one network, in the order of their turns. */
export class Sweep {
  readonly network: string;
  readonly collector: string;
  #tasks: readonly Task[] = [];
  #pace: Pace;
  readonly #turns = new Set<Task>();

  constructor(network: string, collector: string, pace: Pace) {
    this.network = network;
    this.collector = collector;
    this.#pace = pace;
  }

  /** In the order of the list. */
  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  get pace(): Pace {
    return this.#pace;
  }

  /** Time between two turns, so that all have had theirs after the interval; Infinity without targets. Milliseconds. */
  get spacingMs(): number {
    return this.#pace.intervalMs / this.#tasks.length;
  }

  /** The task that has waited longest, which now waits behind all others. */
  take(): Task | undefined {
    const [first] = this.#turns;
    if (first !== undefined) this.#toBack(first);
    return first;
  }

  /** Another list. Who stays keeps its turn, new ones come first: nothing is known of them yet. */
  renew(tasks: readonly Task[], pace: Pace): Renewal {
    const kept = new Set(tasks);
    const byKey = new Map(tasks.map((task) => [task.target.key, task]));
    const gone: Task[] = [];
    const replaced: { before: Task; after: Task }[] = [];
    const waiting: Task[] = [];
    for (const task of this.#turns) {
      const after = byKey.get(task.target.key);
      if (after !== undefined) waiting.push(after);
      if (kept.has(task)) continue;
      if (after === undefined) gone.push(task);
      else replaced.push({ before: task, after });
    }
    this.#turns.clear();
    const known = new Set(waiting);
    for (const task of tasks) if (!known.has(task)) this.#turns.add(task);
    for (const task of waiting) this.#turns.add(task);
    this.#tasks = tasks;
    this.#pace = pace;
    return { gone, replaced };
  }

  #toBack(task: Task): void {
    this.#turns.delete(task);
    this.#turns.add(task);
  }
}
