// How long a whole network is left alone after a 429.
import { type Headers, rateLimitReset, retryAfter } from "./retry-after.ts";

const FIRST_MS = 30_000;
const LONGEST_DOUBLED_MS = 600_000;

/**
 * The length of the pause after each 429: what `Retry-After` says, else what `ratelimit-reset` says, else 30 s doubled with
 * every further one up to ten minutes, of which a random quarter is taken off so that exporters do not come back together.
 * Never longer than `longestMs`: one wrong header must not stop a network for a day.
 */
export class Backoff {
  readonly #random: () => number;
  readonly #longestMs: number;
  #inARow = 0;

  constructor(random: () => number, longestMs: number) {
    this.#random = random;
    this.#longestMs = longestMs;
  }

  /**
   * Milliseconds to pause, 0 to the longest pause. A 429 that names no time while a pause is `running` was on its way before the pause
   * began and says nothing more: it neither doubles nor extends.
   */
  limited(headers: Headers, now: number, running: boolean): number {
    const asked = retryAfter(headers, now) ?? rateLimitReset(headers, now);
    if (asked !== undefined) return Math.min(this.#longestMs, asked);
    if (running) return 0;
    const full = Math.min(this.#longestMs, LONGEST_DOUBLED_MS, FIRST_MS * 2 ** Math.min(this.#inARow, 10));
    this.#inARow += 1;
    return Math.round(full * (1 - this.#random() / 4));
  }

  /** A good answer: the next pause is a first one again. */
  succeeded(): void {
    this.#inARow = 0;
  }
}
