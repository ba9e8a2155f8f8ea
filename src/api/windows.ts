// The two limits of a budget, as pure functions: a sliding minute, and a month as a token bucket.
import { MINUTES_PER_MONTH, sum } from "./budget-limits.ts";

// With a margin, because the clock of the server can be a little faster.
const MINUTE_MS = 61_000;
const MONTH_MS = MINUTES_PER_MONTH * 60_000;
/** What the bucket of a month holds, as the time of its even share: 0.8 % of it, enough for a rush. Milliseconds. */
export const CAPACITY_MS = 6 * 3_600_000;
// Keeps the sum of many floating-point refills below the limit.
const SAFETY = 1 - 1e-9;

/** A request that was sent. Times are those of `Clock.elapsed`. */
export interface Sent {
  readonly priority: number;
  /** Time when it ended; undefined while it is in flight. */
  endedAt?: number;
}

/**
 * Whether a request still counts. The server received it at some time before it ended, which a slow connection can
 * delay. So it counts for a minute from its end: then the server receives no more than `perMinute` in any minute.
 */
export const counts = ({ endedAt }: Sent, now: number): boolean => endedAt === undefined || endedAt + MINUTE_MS > now;

/**
 * The requests of a priority that may be sent now, and the time when a number of them may be sent, if no other request
 * is sent and those in flight end now.
 *
 * Capacity is reserved: priority p and lower ones use at most what is neither planned nor used of any q < p, and at
 * least one request, so that a plan that is too large delays them, but cannot lock them out.
 * @param planned expected requests a minute of each priority, 0 first
 * @param sent the requests that count
 */
export function minute(
  perMinute: number,
  planned: readonly number[],
  sent: readonly Sent[],
  now: number,
  priority: number,
  requests = 1,
) {
  // What a priority uses beyond its plan does not take the reserve of another one.
  const reserved = planned
    .slice(0, priority)
    .map((count, q) => Math.max(count, sent.filter((one) => one.priority === q).length));
  const unreserved = Math.max(1, Math.floor(perMinute - sum(reserved)));
  const windows = [
    { capacity: perMinute, used: sent },
    { capacity: unreserved, used: sent.filter((one) => one.priority >= priority) },
  ].map(({ capacity, used }) => {
    const ended = used.map(({ endedAt = now }) => endedAt).sort((a, b) => a - b);
    const excess = ended.length + Math.min(requests, unreserved) - capacity;
    return { room: capacity - ended.length, at: (ended[excess - 1] ?? now - MINUTE_MS) + MINUTE_MS };
  });
  return {
    room: Math.min(...windows.map(({ room }) => room)),
    at: Math.max(...windows.map(({ at }) => at)),
  };
}

/** Tokens at a time, in milliseconds of `Clock.elapsed`. */
export interface Bucket {
  readonly tokens: number;
  readonly at: number;
}

/**
 * The bucket of a month. It holds an even share of six hours (`capacity`, at least one) and is refilled evenly with
 * `perMonth - capacity` requests in 31 days. What is sent within 31 days was in the bucket at their start or was
 * refilled during them: together at most `perMonth`. A log of every request of a month would return the unused rest of
 * quiet days, but would also allow a month's quota to be spent on its first day.
 */
export function month(perMonth: number) {
  const capacity = Math.max(1, Math.floor((perMonth * CAPACITY_MS) / MONTH_MS));
  const refillPerMs = ((perMonth - capacity) / MONTH_MS) * SAFETY;
  const tokensAt = ({ tokens, at }: Bucket, now: number) => Math.min(capacity, tokens + (now - at) * refillPerMs);
  return {
    capacity,
    /** Tokens now, including fractions. `now` must not decrease. */
    tokensAt,
    /** Time when a request that must leave `reserve` tokens in the bucket may be sent; Infinity for never. */
    freeAt: (bucket: Bucket, now: number, reserve: number): number => {
      const missing = 1 + Math.min(capacity - 1, reserve) - tokensAt(bucket, now);
      return missing <= 0 ? now : now + Math.ceil(missing / refillPerMs);
    },
  };
}
