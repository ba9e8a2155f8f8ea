// Events of a client, for metrics and logs.
import type { Reason } from "./errors.ts";
import type { Drift, Operation } from "./operation.ts";

/** A server that is down. Times are Unix time in milliseconds. */
export interface Outage {
  /** The first failure in a row. */
  readonly cause: { readonly reason: Reason; readonly message: string };
  readonly since: number;
  /** Time when the next request may be sent. */
  readonly nextProbeAt: number;
}

/** Callbacks. None may throw, and all must be quick: requests wait for them. */
export interface Observer {
  /** A request has ended. */
  onRequest?(event: {
    readonly operation: string;
    /** HTTP status such as `200` or `304`; without a complete response, the reason such as `timeout`. */
    readonly code: string;
  }): void;
  /** An operation was retired, after a second 410. */
  onRetired?(operation: Operation): void;
  /** A response did not match the schema; once per response, field and kind. */
  onDrift?(event: { readonly operation: string; readonly field: string; readonly kind: Drift }): void;
  /** A 429 paused the network. Unix time in milliseconds. */
  onPause?(event: { readonly until: number }): void;
  /** The server is down; undefined when it responds again. */
  onOutage?(outage: Outage | undefined): void;
}
