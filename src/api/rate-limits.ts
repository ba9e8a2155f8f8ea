// What the gateway says of its quotas, remembered per window.
import { type Headers, rateLimitReset } from "./retry-after.ts";

const WINDOWS = ["default", "second", "minute", "month"] as const;

/** Name of a quota window; `default` is that of the headers without a name. */
export type RateLimitWindow = (typeof WINDOWS)[number];

/** A quota as last seen in response headers. */
export interface RateLimit {
  readonly window: RateLimitWindow;
  /** Requests per window. */
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** When the window ends, Unix time in milliseconds. */
  readonly resetAt: number | undefined;
  /** When the headers arrived, Unix time in milliseconds. */
  readonly seenAt: number;
}

/**
 * Reads `ratelimit-{limit,remaining,reset}` (`default`) and `x-ratelimit-{limit,remaining}-stacks-{second,minute,month}`.
 * Windows that the headers do not mention are left out.
 */
export function readRateLimits(headers: Headers, now: number): readonly RateLimit[] {
  return WINDOWS.flatMap((window) => {
    const [before, after] = window === "default" ? ["ratelimit-", ""] : ["x-ratelimit-", `-stacks-${window}`];
    const limit = count(headers.get(`${before}limit${after}`));
    const remaining = count(headers.get(`${before}remaining${after}`));
    if (limit === undefined && remaining === undefined) return [];
    const reset = window === "default" ? rateLimitReset(headers, now) : undefined;
    return [{ window, limit, remaining, resetAt: reset === undefined ? undefined : now + reset, seenAt: now }];
  });
}

// A quota that no answer has confirmed for so long says nothing any more.
const VALID_MS = 5 * 60_000;

/** The latest of every window. */
export class RateLimits {
  readonly #latest = new Map<RateLimitWindow, RateLimit>();

  /** Takes note of whatever an answer says. */
  note(headers: Headers, now: number): void {
    for (const seen of readRateLimits(headers, now)) this.#latest.set(seen.window, seen);
  }

  /** What was seen lately, window by window. */
  snapshot(now: number): readonly RateLimit[] {
    return [...this.#latest.values()].filter(({ seenAt }) => now - seenAt < VALID_MS);
  }
}

// `limit` may carry its policy behind the number: "50, 50;w=60".
function count(header: string | undefined): number | undefined {
  const digits = header?.match(/^\s*(\d{1,15})\s*(?:[,;]|$)/)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
