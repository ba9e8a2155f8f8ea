// A sliding window: at most `perMinute` requests in any 60 seconds, with capacity reserved by priority. Knows no queue.

const MINUTE_MS = 60_000;

/** An admitted request. */
export interface Admission {
  /** Milliseconds, in the time of `now`. */
  readonly at: number;
  readonly priority: number;
}

/**
 * In any 60 seconds at most `perMinute` requests are admitted.
 *
 * Capacity is reserved by priority: `planned[q]` requests a minute are expected of priority q. A request of priority
 * p is admitted only if, after it, the window still has space for the requests that are planned of all q < p and not
 * yet admitted within the window. The reserve is at most `perMinute - 1`, so that an empty window admits any request:
 * a plan that is too large delays lower priorities, but cannot lock them out while the others are idle.
 *
 * The queue relies on two facts: another admission never makes an admission possible earlier, and waiting never makes
 * it impossible again. So `earliest` is exact if nothing else is admitted, and a lower bound otherwise.
 */
export class MinuteWindow {
  readonly perMinute: number;
  /** Expected requests a minute of each priority (index 0 first). */
  planned: readonly number[];
  #admissions: Admission[] = [];

  constructor(perMinute: number, planned: readonly number[] = []) {
    this.perMinute = Math.max(1, Math.floor(perMinute));
    this.planned = planned;
  }

  /** Admissions of the last 60 seconds, the oldest first. */
  admissions(now: number): readonly Admission[] {
    const firstAlive = this.#admissions.findIndex(({ at }) => at + MINUTE_MS > now);
    if (firstAlive > 0) this.#admissions.splice(0, firstAlive);
    if (firstAlive === -1) this.#admissions = [];
    return this.#admissions;
  }

  /** Adds an admission. `now` must never go back. */
  add(now: number, priority: number): Admission {
    const admission = { at: now, priority };
    this.admissions(now);
    this.#admissions.push(admission);
    return admission;
  }

  /** Removes an admission for which nothing was sent. */
  remove(admission: Admission): void {
    this.#admissions = this.#admissions.filter((one) => one !== admission);
  }

  /** Requests of this priority that may be admitted now; can be negative. */
  room(now: number, priority: number): number {
    const admissions = this.admissions(now);
    return this.perMinute - admissions.length - this.#reserve(priority, countByPriority(admissions));
  }

  /** When a request of this priority may be admitted if no other is before it: `now`, or when enough have expired. */
  earliest(now: number, priority: number): number {
    const admissions = this.admissions(now);
    const counts = countByPriority(admissions);
    let used = admissions.length;
    let earliest = now;
    for (const admission of admissions) {
      if (used + this.#reserve(priority, counts) + 1 <= this.perMinute) break;
      used -= 1;
      counts[admission.priority] = (counts[admission.priority] ?? 0) - 1;
      earliest = admission.at + MINUTE_MS;
    }
    return earliest;
  }

  #reserve(priority: number, counts: readonly number[]): number {
    const open = this.planned.slice(0, priority).map((planned, higher) => Math.max(0, planned - (counts[higher] ?? 0)));
    return Math.min(this.perMinute - 1, sum(open));
  }
}

/** The sum of numbers. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

function countByPriority(admissions: readonly Admission[]): number[] {
  const counts: number[] = [];
  for (const { priority } of admissions) counts[priority] = (counts[priority] ?? 0) + 1;
  return counts;
}
