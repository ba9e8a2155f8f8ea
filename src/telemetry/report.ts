// Reports of the API clients of a network and of the watch list loader. Times are Unix time in milliseconds.
import type { Outage } from "../api/circuit.ts";
import type { Reason } from "../api/errors.ts";
import type { RateLimit } from "../api/rate-limits.ts";
import type { Retired } from "../api/retirement.ts";

/** Length of a month in budgets. */
export const MINUTES_PER_MONTH = 31 * 24 * 60;

/** One window of a budget; requests. */
export interface WindowUse {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
}

/** Why an upstream, or a whole network, cannot be used. */
export interface BlockedReport {
  readonly reason: Reason;
  /** Not masked. */
  readonly message: string;
  readonly since: number;
}

/** One upstream of a network. */
export interface UpstreamReport {
  readonly name: string;
  /** Scheme, host and port. */
  readonly origin: string;
  readonly isActive: boolean;
  /** Undefined before the first contact. */
  readonly isUp: boolean | undefined;
  /** Undefined until the upstream reports its tip. */
  readonly tipHeight: number | undefined;
  /** Blocks behind the highest known tip; undefined until the upstream reports its tip. */
  readonly lagBlocks: number | undefined;
  /** Undefined while it is up. */
  readonly cause: BlockedReport | undefined;
}

/** One network. Budget, pause, retired operations and rate limits are those of the active upstream. */
export interface NetworkReport {
  readonly network: string;
  /** Scheme, host and port of the active upstream: no path, because some providers put a token into it. */
  readonly origin: string;
  /** In the order of the configuration. */
  readonly upstreams: readonly UpstreamReport[];
  /** Why the network is not polled; undefined while it is. */
  readonly blocked: BlockedReport | undefined;
  readonly minute: WindowUse;
  /** Undefined without a monthly limit. */
  readonly month: WindowUse | undefined;
  readonly plannedPerMinute: number;
  readonly pausedUntil: number | undefined;
  /** Longest pause that a 429 can cause. Milliseconds. */
  readonly longestPauseMs: number;
  /** Failure of the whole upstream or of one operation. */
  readonly outage: Outage | undefined;
  /** Every operation that the collectors may call. */
  readonly operations: readonly string[];
  /** Those of them that are retired. */
  readonly retired: readonly Retired[];
  /** Rate limits from the last response headers. */
  readonly rateLimits: readonly RateLimit[];
}

/** The last reload of the watch list. */
export interface WatchListReport {
  readonly lastSuccessAt: number;
  /** The first error (not masked), the number of errors, and the first failure in a row; absent after a success. */
  readonly failure?: { readonly message: string; readonly errors: number; readonly since: number };
}
