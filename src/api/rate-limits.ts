// Rate limits that the server reports: its quotas, when to retry, and how long a 429 pauses the network.

/** Response headers, names in lower case. */
export type Headers = ReadonlyMap<string, string>;

// A server may name any time; a wait of more than a day is more likely an error.
const LONGEST_WAIT_MS = 24 * 3_600_000;
const SHORTEST_WAIT_MS = 1_000;

// `Date.parse` accepts nearly anything, such as "-5" (a year), hence the strict forms of RFC 9110.
const HTTP_DATE =
  /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*, \d{2}[ -][A-Z][a-z]{2}[ -]\d{2}(\d{2})? \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Milliseconds to wait by `Retry-After`, as seconds or as a date; at least 1 s, at most a day. Undefined when the
 * header is absent or invalid. A date counts from the `Date` of the response if present: the two clocks may differ.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  if (/^\d+(\.\d+)?$/.test(value)) return bounded(Number(value) * 1000);
  const date = httpDate(value);
  return date === undefined ? undefined : bounded(date - (httpDate(headers.get("date") ?? "") ?? now));
}

/**
 * Milliseconds until the current rate-limit window ends, by `ratelimit-reset`: seconds left, or a Unix time in
 * seconds or milliseconds. The size decides, because gateways and documents disagree. Bounded as above.
 */
export function rateLimitReset(headers: Headers, now: number): number | undefined {
  const value = headers.get("ratelimit-reset")?.trim() ?? "";
  if (!/^\d+(\.\d+)?$/.test(value)) return undefined;
  const number = Number(value);
  if (number > 1e12) return bounded(number - now);
  return bounded(number > 1e9 ? number * 1000 - now : number * 1000);
}

/** The time of a date in a header. Unix time, milliseconds; undefined if it is invalid. */
export function httpDate(text: string): number | undefined {
  const time = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

const bounded = (milliseconds: number): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, Math.ceil(milliseconds)));

const FIRST_PAUSE_MS = 30_000;
const LONGEST_DOUBLED_MS = 600_000;

/** The rate limits of one server. */
export class RateLimits {
  readonly #random: () => number;
  readonly #longestPauseMs: number;
  #pausesInARow = 0;

  /** @param longestPauseMs no pause is longer: one wrong header must not stop a network for a day. */
  constructor(random: () => number, longestPauseMs: number) {
    this.#random = random;
    this.#longestPauseMs = longestPauseMs;
  }

  /**
   * Milliseconds that a 429 pauses the network: by `Retry-After`, else by `ratelimit-reset`, else 30 s, doubled with
   * every further 429 up to ten minutes, minus a random quarter so that exporters do not return all at once. A 429
   * without a time that arrives while the network `isPaused` was in flight when the pause began: it neither doubles
   * nor extends the pause.
   */
  pauseAfter(headers: Headers, now: number, isPaused: boolean): number {
    const requested = retryAfter(headers, now) ?? rateLimitReset(headers, now);
    if (requested !== undefined) return Math.min(this.#longestPauseMs, requested);
    if (isPaused) return 0;
    const doubled = FIRST_PAUSE_MS * 2 ** Math.min(this.#pausesInARow, 10);
    this.#pausesInARow += 1;
    const full = Math.min(this.#longestPauseMs, LONGEST_DOUBLED_MS, doubled);
    return Math.round(full * (1 - this.#random() / 4));
  }

  /** A valid response: the next pause is a first one again. */
  succeeded(): void {
    this.#pausesInARow = 0;
  }
}
