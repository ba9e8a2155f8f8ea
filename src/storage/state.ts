// What is known of every task: its last good observation, how its last poll went, when its values grow too old.
import type { Reason } from "../api/errors.ts";
import { keyOf, type Task } from "../collectors/task.ts";
import type { Exposition } from "../exposition/exposition.ts";
import type { Sample } from "../exposition/family.ts";
import type { Store } from "./store.ts";

/** Why a poll failed. `message` is masked before it is shown anywhere. */
export interface Failure {
  readonly reason: Reason;
  readonly message: string;
  /** Unix time, milliseconds. */
  readonly at: number;
}

/** How a task stands. Times are Unix time in milliseconds. */
export interface Standing {
  readonly observation: unknown;
  readonly lastSuccessAt: number | undefined;
  readonly lastEndAt: number | undefined;
  /** The failure of the last poll; undefined when it succeeded. */
  readonly failure: Failure | undefined;
  /** The last failure there was, whatever came after it. */
  readonly lastFailure: Failure | undefined;
  /** Failed polls in a row. */
  readonly failuresInARow: number;
  /** When the first of them ended; undefined when the last poll succeeded. */
  readonly failingSince: number | undefined;
}

const UNKNOWN: Standing = {
  observation: undefined,
  lastSuccessAt: undefined,
  lastEndAt: undefined,
  failure: undefined,
  lastFailure: undefined,
  failuresInARow: 0,
  failingSince: undefined,
};

/** The standing of all tasks; hands their samples to the exposition and takes them away when they are too old. */
export class State {
  readonly #exposition: Exposition;
  readonly #standings = new Map<Task, Standing>();
  readonly #store: Store | undefined;
  #nextExpiry = Number.POSITIVE_INFINITY;

  /** @param store where observations outlive the process; undefined: nowhere. */
  constructor(exposition: Exposition, store?: Store) {
    this.#exposition = exposition;
    this.#store = store;
  }

  /**
   * Continues a task where the last process stopped: its totals are shown, its other values once a poll confirms them. A
   * saved observation that gives no samples is set aside.
   * @throws StoreError when the state file cannot be used.
   */
  restore(task: Task): void {
    const observation = this.#store?.load(task);
    if (observation === undefined) return;
    try {
      this.#exposition.set(keyOf(task), task.collector.samples(observation, task.network, task.target));
    } catch (error) {
      this.#store?.setAside(task, error instanceof Error ? error.message : String(error));
      return;
    }
    this.#exposition.expire(keyOf(task));
    this.#standings.set(task, { ...UNKNOWN, observation });
  }

  /** How the task stands. */
  of(task: Task): Standing {
    return this.#standings.get(task) ?? UNKNOWN;
  }

  /** Records a good poll; throws, and records nothing, when a sample is invalid or the observation cannot be saved. */
  succeed(task: Task, observation: unknown, samples: Iterable<Sample>, at: number): void {
    const list = [...samples];
    // Saved before anybody sees it: a total that was scraped can never be taken back by a crash.
    this.#store?.save(task, observation, at);
    try {
      this.#exposition.set(keyOf(task), list);
    } catch (error) {
      this.#store?.save(task, this.of(task).observation, at);
      throw error;
    }
    const { lastFailure } = this.of(task);
    this.#standings.set(task, { ...UNKNOWN, observation, lastSuccessAt: at, lastEndAt: at, lastFailure });
    this.#nextExpiry = Math.min(this.#nextExpiry, at + task.maxAgeMs);
  }

  /** Records a failed poll; the observation stays what it was. */
  fail(task: Task, failure: Failure): void {
    const before = this.of(task);
    this.#standings.set(task, {
      ...before,
      lastEndAt: failure.at,
      failure,
      lastFailure: failure,
      failuresInARow: before.failuresInARow + 1,
      failingSince: before.failingSince ?? failure.at,
    });
  }

  /** Forgets a task that is polled no more; its samples leave the page. */
  forget(task: Task): void {
    this.#standings.delete(task);
    this.#exposition.remove(keyOf(task));
  }

  /** Starts a task anew: nothing is known of it, and its samples leave the page. What is saved is not touched. */
  reset(task: Task): void {
    // An object of its own: a poll that began before can tell that its observation is of the past.
    this.#standings.set(task, { ...UNKNOWN });
    this.#exposition.remove(keyOf(task));
  }

  /** Another task for the same target: it stands as the one before did. */
  replace(before: Task, after: Task): void {
    const standing = this.#standings.get(before);
    this.#standings.delete(before);
    if (standing !== undefined) this.#standings.set(after, standing);
  }

  /** Looks at the age of everything anew: maximum ages have changed. */
  reckonAges(): void {
    this.#nextExpiry = Number.NEGATIVE_INFINITY;
  }

  /** Takes away every value that is older than its maximum age. Cheap while nothing is due. */
  expire(now: number): void {
    if (now < this.#nextExpiry) return;
    this.#nextExpiry = Number.POSITIVE_INFINITY;
    for (const [task, { lastSuccessAt }] of this.#standings) {
      if (lastSuccessAt === undefined) continue;
      const expiry = lastSuccessAt + task.maxAgeMs;
      if (now >= expiry) this.#exposition.expire(keyOf(task));
      else this.#nextExpiry = Math.min(this.#nextExpiry, expiry);
    }
  }
}
