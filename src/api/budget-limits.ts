// The two limits of a budget: requests in any minute, and in any 31 days. `now` must not decrease.

const MINUTE_MS = 60_000;
// Two requests can reach the server a little closer to each other than they were admitted.
const WINDOW_MS = MINUTE_MS + 1000;
const HOUR_MS = 3_600_000;
const MONTH_MS = 31 * 24 * HOUR_MS;

// An even share of six hours: enough for a rush, and 0.8 % of the month.
const CAPACITY_MS = 6 * HOUR_MS;

/** A month of the budget has 31 days. */
export const MINUTES_PER_MONTH = MONTH_MS / MINUTE_MS;

// Rounding error of sums of floating-point numbers.
const TOLERANCE = 1e-6;

// Keeps the sum of many floating-point refills below the limit.
const SAFETY = 1 - 1e-9;

/** Requests of a budget; no limit of the month when `perMonth` is undefined. */
export interface WindowLimits {
  readonly perMinute: number;
  readonly perMonth?: number | undefined;
}

/**
 * The part of a budget for commands that run beside an exporter: a tenth, at least 1 request a minute. A budget of 1 a
 * minute leaves none.
 */
export const commandsPart = ({ perMinute, perMonth }: WindowLimits): WindowLimits => ({
  perMinute: perMinute < 2 ? 0 : Math.max(1, Math.floor(perMinute / 10)),
  perMonth: perMonth && Math.max(1, Math.floor(perMonth / 10)),
});

/** The part of a budget that an exporter uses: what commands leave of the minute, and the whole month. */
export const exporterPart = ({ perMinute, perMonth }: WindowLimits): WindowLimits => ({
  perMinute: perMinute - commandsPart({ perMinute }).perMinute,
  perMonth,
});

/** The smallest budget a minute of which an exporter may use this many requests. */
export function budgetFor(perMinute: number): number {
  let budget = Math.ceil(perMinute - TOLERANCE);
  while (exporterPart({ perMinute: budget }).perMinute < perMinute - TOLERANCE) budget += 1;
  return budget;
}

/** An admitted request. */
interface Admission {
  /** Milliseconds, in the time of `now`. */
  readonly at: number;
  readonly priority: number;
}

/**
 * A sliding window: in any 61 seconds at most `perMinute` requests are admitted, so that the server receives no more in
 * any 60.
 *
 * Capacity is reserved by priority: a request of priority p is admitted only if, after it, the window still has space
 * for the requests that are planned of all q < p and not yet admitted within the window. The reserve is at most
 * `perMinute - 1`, so that an empty window admits any request: a plan that is too large delays lower priorities, but
 * cannot lock them out while the others are idle.
 *
 * The queue relies on two facts: another admission never makes an admission possible earlier, and waiting never makes
 * it impossible again. So `earliest` is exact if nothing else is admitted, and a lower bound otherwise.
 */
export class MinuteWindow {
  readonly perMinute: number;
  /** Expected requests a minute of each priority (index 0 first). */
  planned: readonly number[];
  #admissions: Admission[] = [];
  /** Number of admissions by priority, because counting them for each request takes longer than the request. */
  readonly #counts: number[] = [];

  constructor(perMinute: number, planned: readonly number[] = []) {
    this.perMinute = Math.max(1, Math.floor(perMinute));
    this.planned = planned;
  }

  /** Admissions of the window, the oldest first. */
  admissions(now: number): readonly Admission[] {
    const firstAlive = this.#admissions.findIndex(({ at }) => at + WINDOW_MS > now);
    const expired = this.#admissions.splice(0, firstAlive === -1 ? this.#admissions.length : firstAlive);
    for (const { priority } of expired) this.#count(priority, -1);
    return this.#admissions;
  }

  /** Adds an admission that is not older than the others. */
  add(now: number, priority: number): Admission {
    const admission = { at: now, priority };
    this.#admissions.push(admission);
    this.#count(priority, 1);
    return admission;
  }

  /** Removes an admission for which nothing was sent. */
  remove(admission: Admission): void {
    const at = this.#admissions.lastIndexOf(admission);
    if (at === -1) return;
    this.#admissions.splice(at, 1);
    this.#count(admission.priority, -1);
  }

  /** Requests of this priority that may be admitted now; can be negative. */
  room(now: number, priority: number): number {
    const used = this.admissions(now).length;
    return this.perMinute - used - this.#reserve(priority, this.#counts);
  }

  /** Time when requests of this priority may be admitted if the queue is empty: `now`, or when enough have expired. */
  earliest(now: number, priority: number, requests = 1): number {
    const admissions = this.admissions(now);
    const counts = [...this.#counts];
    let used = admissions.length;
    let earliest = now;
    for (const admission of admissions) {
      if (used + this.#reserve(priority, counts) + requests <= this.perMinute) break;
      used -= 1;
      counts[admission.priority] = (counts[admission.priority] ?? 0) - 1;
      earliest = admission.at + WINDOW_MS;
    }
    return earliest;
  }

  #count(priority: number, more: number): void {
    this.#counts[priority] = (this.#counts[priority] ?? 0) + more;
  }

  #reserve(priority: number, counts: readonly number[]): number {
    const open = this.planned.slice(0, priority).map((planned, higher) => Math.max(0, planned - (counts[higher] ?? 0)));
    return Math.min(this.perMinute - 1, sum(open));
  }
}

/** The sum of numbers. */
export const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/**
 * A token bucket: in any 31 days at most `perMonth` requests are admitted.
 *
 * The bucket holds an even share of six hours (`capacity`, at least one) and is refilled evenly with
 * `perMonth - capacity` requests in 31 days. What is admitted within 31 days was in the bucket at their start or was
 * refilled during them: together at most `perMonth`. A log of every request of a month would return the unused rest of
 * quiet days, but would also allow a month's quota to be spent on its first day.
 */
export class MonthBucket {
  readonly perMonth: number;
  readonly capacity: number;
  /** Tokens taken since the start of the process. */
  taken = 0;
  readonly #refillPerMs: number;
  #tokens: number;
  #at: number;

  /** A new bucket is full. */
  constructor(perMonth: number, now: number) {
    this.perMonth = Math.max(1, Math.floor(perMonth));
    this.capacity = Math.max(1, Math.floor((this.perMonth * CAPACITY_MS) / MONTH_MS));
    this.#refillPerMs = ((this.perMonth - this.capacity) / MONTH_MS) * SAFETY;
    this.#tokens = this.capacity;
    this.#at = now;
  }

  /** Tokens now, including fractions. */
  tokens(now: number): number {
    return Math.min(this.capacity, this.#tokens + (now - this.#at) * this.#refillPerMs);
  }

  /** Continues with the tokens of an earlier process. */
  restore(tokens: number, at: number): void {
    this.#tokens = Math.min(this.capacity, tokens);
    this.#at = at;
  }

  /** Time when a request that must leave `reserve` tokens in the bucket may be admitted; Infinity for never. */
  earliest(now: number, reserve: number): number {
    const missing = 1 + Math.min(this.capacity - 1, reserve) - this.tokens(now);
    if (missing <= 0) return now;
    return this.#refillPerMs === 0 ? Number.POSITIVE_INFINITY : now + Math.ceil(missing / this.#refillPerMs);
  }

  /** Takes tokens; a negative number returns those of requests that were not sent. */
  take(now: number, tokens = 1): void {
    this.#tokens = Math.min(this.capacity, this.tokens(now) - tokens);
    this.#at = now;
    this.taken += tokens;
  }
}
