// Limits the rate of requests with a token bucket, as `rate_limit` of the web configuration sets it.
import type { WebConfig } from "../config/web-config.ts";

/** Admits requests: at most `burst` at once, and one more after each interval. */
export class RequestRate {
  readonly #limit: NonNullable<WebConfig["rateLimit"]>;
  readonly #now: () => number;
  /** Time when the bucket is full again. */
  #fullAt = 0;

  /** @param now milliseconds of a clock that is never set back */
  constructor(limit: WebConfig["rateLimit"], now = () => performance.now()) {
    this.#limit = limit ?? { intervalMs: 0, burst: 1 };
    this.#now = now;
  }

  /** Takes one request: the seconds until the next one is admitted if this one is not; otherwise undefined. */
  refusal(): number | undefined {
    const { intervalMs, burst } = this.#limit;
    const now = this.#now();
    const fullAt = Math.max(this.#fullAt, now) + intervalMs;
    const waitMs = fullAt - now - burst * intervalMs;
    if (waitMs > 0) return Math.ceil(waitMs / 1000);
    this.#fullAt = fullAt;
    return undefined;
  }
}
