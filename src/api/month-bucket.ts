// How many requests may leave in any 31 days. Knows no queue and no clock.

const HOUR_MS = 3_600_000;
const MONTH_MS = 31 * 24 * HOUR_MS;

// Keeps the sum of many floating-point refills on the safe side of the limit.
const SAFETY = 1 - 1e-9;

/**
 * A token bucket: in any 31 days at most `perMonth` requests leave.
 *
 * The bucket holds about an hour's worth of requests (`capacity`, at least one) and is refilled evenly with
 * `perMonth - capacity` requests in 31 days. Whatever leaves within 31 days was in the bucket at their start or came in
 * during them, which together is at most `capacity + (perMonth - capacity)`. A log of every departure of a month would give
 * back the unused rest of quiet days, but also allow a month's quota to be spent on its first day.
 *
 * A bucket of which nothing is known is full. What is in it can be recorded, and taken up by the next process.
 */
export class MonthBucket {
  readonly perMonth: number;
  readonly capacity: number;
  readonly #refillPerMs: number;
  #tokens: number;
  #at: number;
  #taken = 0;

  /** @param restored what another bucket held, and when (in the time of `now`). */
  constructor(perMonth: number, now: number, restored?: { readonly tokens: number; readonly at: number }) {
    this.perMonth = Math.max(1, Math.floor(perMonth));
    this.capacity = Math.max(1, Math.floor((this.perMonth * HOUR_MS) / MONTH_MS));
    this.#refillPerMs = ((this.perMonth - this.capacity) / MONTH_MS) * SAFETY;
    this.#tokens = Math.min(this.capacity, restored?.tokens ?? this.capacity);
    this.#at = Math.min(now, restored?.at ?? now);
  }

  /** What is in the bucket now, parts of requests included. */
  record(now: number): { readonly tokens: number; readonly at: number } {
    return { tokens: this.#refilled(now), at: now };
  }

  /** Requests that could leave now, whole ones. */
  available(now: number): number {
    return Math.floor(this.#refilled(now));
  }

  /** Requests that have left since the start of the process. */
  get taken(): number {
    return this.#taken;
  }

  /** When a request that must leave `reserve` requests in the bucket may go if none goes before it; Infinity for never. */
  earliest(now: number, reserve: number): number {
    const missing = 1 + Math.min(this.capacity - 1, reserve) - this.#refilled(now);
    if (missing <= 0) return now;
    return this.#refillPerMs === 0 ? Number.POSITIVE_INFINITY : now + Math.ceil(missing / this.#refillPerMs);
  }

  /** Takes one request out. `now` must never go back. */
  take(now: number): void {
    this.#tokens = this.#refilled(now) - 1;
    this.#at = now;
    this.#taken += 1;
  }

  /** Puts back a request of which nothing was sent. `now` must never go back. */
  giveBack(now: number): void {
    this.#tokens = Math.min(this.capacity, this.#refilled(now) + 1);
    this.#at = now;
    this.#taken -= 1;
  }

  #refilled(now: number): number {
    return Math.min(this.capacity, this.#tokens + (now - this.#at) * this.#refillPerMs);
  }
}
