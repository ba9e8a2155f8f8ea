// The limit of the month, as a token bucket: pure functions of its limit and its state.
//
// The bucket holds an even share of six hours (`capacity`, at least one) and is refilled evenly with
// `perMonth - capacity` requests in 31 days. What is sent within 31 days was in the bucket at their start or was
// refilled during them: together at most `perMonth`. A log of every request of a month would return the unused rest of
// quiet days, but would also allow a month's quota to be spent on its first day.

const HOUR_MS = 3_600_000;
/** A month of the budget. */
export const MONTH_MS = 31 * 24 * HOUR_MS;
// Enough for a rush, and 0.8 % of the month.
const CAPACITY_MS = 6 * HOUR_MS;
// Keeps the sum of many floating-point refills below the limit.
const SAFETY = 1 - 1e-9;

/** The limit of the month. */
export interface MonthLimit {
  readonly perMonth: number;
  readonly capacity: number;
  readonly refillPerMs: number;
}

/** Tokens at a time, in milliseconds of `Clock.elapsed`. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/** The bucket of a number of requests in any 31 days. */
export function monthLimit(requests: number): MonthLimit {
  const perMonth = Math.max(1, Math.floor(requests));
  const capacity = Math.max(1, Math.floor((perMonth * CAPACITY_MS) / MONTH_MS));
  return { perMonth, capacity, refillPerMs: ((perMonth - capacity) / MONTH_MS) * SAFETY };
}

/** Tokens now, including fractions. `now` must not decrease. */
export const tokensAt = ({ capacity, refillPerMs }: MonthLimit, { tokens, at }: Bucket, now: number): number =>
  Math.min(capacity, tokens + (now - at) * refillPerMs);

/** Time when a request that must leave `reserve` tokens in the bucket may be sent; Infinity for never. */
export function monthFreeAt(limit: MonthLimit, bucket: Bucket, now: number, reserve: number): number {
  const missing = 1 + Math.min(limit.capacity - 1, reserve) - tokensAt(limit, bucket, now);
  if (missing <= 0) return now;
  return limit.refillPerMs === 0 ? Number.POSITIVE_INFINITY : now + Math.ceil(missing / limit.refillPerMs);
}
