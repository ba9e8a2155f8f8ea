// Events of a client, for metrics and logs.
import type { Outage } from "./circuit.ts";
import type { Drift, Replacement } from "./operation.ts";

/** A request that has ended; also one for which no connection could be made, which uses no budget. */
export interface RequestEvent {
  readonly operation: string;
  /** The collector that sent it, when known. */
  readonly collector: string | undefined;
  /** HTTP status such as `200` or `304`; without a complete response, the reason such as `timeout`. */
  readonly code: string;
  /** From admission by the budget to the end of the body. */
  readonly durationSeconds: number;
  /** Body bytes as received. */
  readonly bytes: number;
}

/** Callbacks. None may throw, and all must be quick: requests wait for them. */
export interface Observer {
  onRequest?(event: RequestEvent): void;
  /** A request will be tried again. The reason is that of the failed try. */
  onRetry?(event: { readonly operation: string; readonly reason: string }): void;
  /** An operation was retired, after a second 410. */
  onRetired?(event: { readonly operation: string; readonly replacement: Replacement | undefined }): void;
  /** A response did not match the schema; once per response, field and kind. */
  onDrift?(event: { readonly operation: string; readonly field: string; readonly kind: Drift }): void;
  /** A 429 paused the network. Unix time in milliseconds. */
  onPause?(event: { readonly until: number }): void;
  /** The server, or one operation of it, is down; undefined when it responds again. */
  onOutage?(outage: Outage | undefined): void;
}
