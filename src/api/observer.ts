// Events of a client, for metrics and logs.
import type { Reason } from "./errors.ts";
import type { Drift, Operation } from "./operation.ts";

/** Why a server, or a whole network, cannot be used, and since when. Unix time, milliseconds. */
export interface Outage {
  readonly reason: Reason;
  readonly message: string;
  readonly since: number;
}

/** Callbacks. None may throw, and all must be quick: requests wait for them. */
export interface Observer {
  /** A request has ended with an HTTP status, or without a complete response, for a reason such as `timeout`. */
  onRequest?(operation: string, code: string): void;
  /** An operation was retired, after a second 410. */
  onRetired?(operation: Operation): void;
  /** A response did not match the schema; once per response, field and kind. */
  onDrift?(operation: string, field: string, kind: Drift): void;
  /** A 429 paused the network. Unix time in milliseconds. */
  onPause?(until: number): void;
  /** The server is down; undefined when it responds again. */
  onOutage?(outage: Outage | undefined): void;
}
