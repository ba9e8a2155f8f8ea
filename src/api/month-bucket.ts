// A token bucket: at most `perMonth` requests in any 31 days. Knows no queue.

const HOUR_MS = 3_600_000;
const MONTH_MS = 31 * 24 * HOUR_MS;

// Keeps the sum of many floating-point refills below the limit.
const SAFETY = 1 - 1e-9;

/**
 * In any 31 days at most `perMonth` requests are admitted.
 *
 * The bucket holds about an hour's worth of requests (`capacity`, at least one) and is refilled evenly with
 * `perMonth - capacity` requests in 31 days. What is admitted within 31 days was in the bucket at their start or was
 * refilled during them: together at most `perMonth`. A log of every request of a month would return the unused rest of
 * quiet days, but would also allow a month's quota to be spent on its first day.
 *
 * A new bucket is full, unless it is restored from the record of an earlier one.
 */
export class MonthBucket {
  readonly perMonth: number;
  readonly capacity: number;
  readonly #refillPerMs: number;
  #tokens: number;
  #at: number;
  #taken = 0;

  /** @param restored record of an earlier bucket, in the time of `now`. */
  constructor(perMonth: number, now: number, restored?: { readonly tokens: number; readonly at: number }) {
    this.perMonth = Math.max(1, Math.floor(perMonth));
    this.capacity = Math.max(1, Math.floor((this.perMonth * HOUR_MS) / MONTH_MS));
    this.#refillPerMs = ((this.perMonth - this.capacity) / MONTH_MS) * SAFETY;
    this.#tokens = Math.min(this.capacity, restored?.tokens ?? this.capacity);
    this.#at = Math.min(now, restored?.at ?? now);
  }

  /** Tokens now, including fractions. */
  record(now: number): { readonly tokens: number; readonly at: number } {
    return { tokens: this.#refilled(now), at: now };
  }

  /** Whole tokens now. */
  available(now: number): number {
    return Math.floor(this.#refilled(now));
  }

  /** Tokens taken since the start of the process. */
  get taken(): number {
    return this.#taken;
  }

  /** When a request that must leave `reserve` tokens in the bucket may be admitted; Infinity for never. */
  earliest(now: number, reserve: number): number {
    const missing = 1 + Math.min(this.capacity - 1, reserve) - this.#refilled(now);
    if (missing <= 0) return now;
    return this.#refillPerMs === 0 ? Number.POSITIVE_INFINITY : now + Math.ceil(missing / this.#refillPerMs);
  }

  /** Takes a token. `now` must never go back. */
  take(now: number): void {
    this.#add(-1, now);
  }

  /** Returns the token of a request that was not sent. `now` must never go back. */
  giveBack(now: number): void {
    this.#add(1, now);
  }

  #add(tokens: number, now: number): void {
    this.#tokens = Math.min(this.capacity, this.#refilled(now) + tokens);
    this.#at = now;
    this.#taken -= tokens;
  }

  #refilled(now: number): number {
    return Math.min(this.capacity, this.#tokens + (now - this.#at) * this.#refillPerMs);
  }
}
