// Limits the rate of requests with a token bucket, as `rate_limit` of the web configuration sets it.
import type { WebConfig } from "../config/web-config.ts";

/** Admits requests: at most `burst` at once, and one more after each interval. */
export class RequestRate {
  readonly #now: () => number;
  #limit: WebConfig["rateLimit"];
  #tokens = 0;
  #filledAt = 0;

  /** @param now milliseconds of a clock that is never set back */
  constructor(limit: WebConfig["rateLimit"], now = () => performance.now()) {
    this.#now = now;
    this.take(limit);
  }

  /** Replaces the limit. The bucket starts full, unless the limit is the same. */
  take(limit: WebConfig["rateLimit"]): void {
    if (limit?.intervalMs === this.#limit?.intervalMs && limit?.burst === this.#limit?.burst) return;
    this.#limit = limit;
    this.#tokens = limit?.burst ?? 0;
    this.#filledAt = this.#now();
  }

  /** Takes one request: the seconds until the next one is admitted if this one is not; otherwise undefined. */
  refusal(): number | undefined {
    if (this.#limit === undefined) return undefined;
    const { intervalMs, burst } = this.#limit;
    const now = this.#now();
    this.#tokens = Math.min(burst, this.#tokens + (now - this.#filledAt) / intervalMs);
    this.#filledAt = now;
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) * intervalMs) / 1000);
    this.#tokens -= 1;
    return undefined;
  }
}
