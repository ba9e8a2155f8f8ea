// What the API reports of its own work, for whoever counts it.
import type { Outage } from "./circuit.ts";
import type { Drift, Replacement } from "./operation.ts";

/** One request, once its outcome is known; also one for which no connection could be made, and that used no budget. */
export interface RequestEvent {
  readonly operation: string;
  /** Who asked, when known. */
  readonly collector: string | undefined;
  /** HTTP status such as `200` or `304`, or, when there was no complete answer, the reason such as `timeout`. */
  readonly code: string;
  /** From leaving the budget to the end of the body. */
  readonly durationSeconds: number;
  /** Body bytes as they came, packed or not. */
  readonly bytes: number;
}

/** Callbacks; none may throw, and all are called while requests are handled, so they have to be quick. */
export interface Observer {
  onRequest?(event: RequestEvent): void;
  /** A request will be tried again. The reason is that of the failed try. */
  onRetry?(event: { readonly operation: string; readonly reason: string }): void;
  /** The server announced the end of an operation in the headers of an answer. */
  onDeprecation?(event: { readonly operation: string }): void;
  /** An operation was retired: its 410 is believed. */
  onRetired?(event: { readonly operation: string; readonly replacement: Replacement | undefined }): void;
  /** An answer was not as declared; once per answer, field and kind. */
  onDrift?(event: { readonly operation: string; readonly field: string; readonly kind: Drift }): void;
  /** A 429 paused the network. Unix time in milliseconds. */
  onPause?(event: { readonly until: number }): void;
  /** The server, or one operation of it, does not answer; undefined: it answers again. */
  onOutage?(outage: Outage | undefined): void;
}
