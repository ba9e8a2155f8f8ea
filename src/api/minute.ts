// The limit of the minute: a pure function of the requests that count.
import { sum } from "./budget-limits.ts";

// With a margin, because the clock of the server can be a little faster.
const MINUTE_MS = 61_000;

/** A request that was sent. Times are those of `Clock.elapsed`. */
export interface Sent {
  readonly priority: number;
  /** Time when it ended; undefined while it is in flight. */
  readonly endedAt?: number;
}

/** The limit of the minute, and the expected requests a minute of each priority (index 0 first). */
export interface MinuteLimit {
  readonly perMinute: number;
  readonly planned: readonly number[];
}

/**
 * Whether a request still counts. The server received it at some time before it ended, which a slow connection can
 * delay. So it counts for a minute from its end: then the server receives no more than `perMinute` in any minute.
 */
export const counts = ({ endedAt }: Sent, now: number): boolean => endedAt === undefined || endedAt + MINUTE_MS > now;

/**
 * Decides when a number of requests of a priority may be sent: now, or when enough have ceased to count, if no other
 * request is sent and those in flight end now. At most the capacity of the minute.
 *
 * Capacity is reserved by priority: a request of priority p may be sent only if, after it, the minute still has space
 * for the requests that are planned of all q < p and do not count yet. The reserve is at most `perMinute - 1`, so that
 * an empty minute admits any request: a plan that is too large delays lower priorities, but cannot lock them out.
 * @param sent the requests that count, in the order in which they ended, those in flight last
 * @returns the time, and the requests that may be sent now, which can be negative
 */
export function minute(
  { perMinute, planned }: MinuteLimit,
  sent: readonly Sent[],
  now: number,
  priority: number,
  requests = 1,
) {
  const byPriority: number[] = [];
  for (const one of sent) byPriority[one.priority] = (byPriority[one.priority] ?? 0) + 1;
  const higher = planned.slice(0, priority);
  const room = (used: number) => {
    const open = sum(higher.map((count, index) => Math.max(0, count - (byPriority[index] ?? 0))));
    return perMinute - used - Math.min(perMinute - 1, open);
  };
  const roomNow = room(sent.length);
  let at = now;
  for (const [index, { priority: freed, endedAt = now }] of sent.entries()) {
    if (room(sent.length - index) >= requests) break;
    byPriority[freed] = (byPriority[freed] ?? 0) - 1;
    at = endedAt + MINUTE_MS;
  }
  return { at, room: roomNow };
}
