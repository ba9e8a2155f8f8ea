// Which failures deserve another try, and when.

/** How often and how fast one call is tried again. */
export interface RetryPolicy {
  /** Tries after the first. */
  readonly retries: number;
  /** Longest wait before the first retry, milliseconds; doubles with each. */
  readonly baseMs: number;
  /** Longest wait before any retry, milliseconds, unless the server asks for more. */
  readonly capMs: number;
}

/** Two retries, within at most 0.5 s and 1 s. */
export const DEFAULT_RETRY: RetryPolicy = { retries: 2, baseMs: 500, capMs: 5_000 };

/**
 * What may follow a failed attempt. `never`: the same would happen again. `at_once`: an idle connection was closed just as
 * the request was written; the server never saw it. `backoff`: the server or the way to it has a problem that may pass.
 * `pause`: as soon as the pause of the whole network is over, for which the budget makes it wait. `without_validator`: the
 * request was conditional and the server refused it; the same without a validator may work, and is tried once.
 */
export type Again = "never" | "at_once" | "backoff" | "pause" | "without_validator";

const PASSING_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Whether an answer of this status may become a good one by asking again. */
export function againAfterStatus(status: number): Again {
  if (status === 429) return "pause";
  return PASSING_STATUS.has(status) ? "backoff" : "never";
}

/**
 * Milliseconds to wait before the next try; undefined to give up. `failed` is the number of tries behind; what the server
 * asked for comes before the jittered, exponentially growing wait.
 */
export function retryDelay(
  policy: RetryPolicy,
  again: Again,
  failed: number,
  asked: number | undefined,
  random: () => number,
): number | undefined {
  if (again === "at_once") return 0;
  if (again === "never" || again === "without_validator" || failed > policy.retries) return undefined;
  if (again === "pause") return 0;
  return asked ?? Math.round(random() * Math.min(policy.capMs, policy.baseMs * 2 ** (failed - 1)));
}
