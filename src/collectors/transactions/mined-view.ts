// The data of the collector `transactions` for other collectors of a network.
import type { MinedRow } from "./window.ts";

/** A mined transaction. */
export interface MinedTransaction extends MinedRow {
  readonly id: string;
  /** Its index in its block. */
  readonly index: number;
  /** In microSTX; undefined if it is not an integer. */
  readonly fee: number | undefined;
  readonly sender: string;
  readonly nonce: number;
  /** Height of its block. */
  readonly height: number;
  /** Hash of its block. */
  readonly hash: string;
  /** The principals that take part: sender, sponsor, recipient, called contract. */
  readonly parties: readonly string[];
}

/** The mined transactions of the network, without confirmations: their blocks can still be replaced. */
export interface MinedView {
  /** Newest first, of the last 15 minutes or so. */
  readonly rows: readonly MinedTransaction[];
  /** Start of the last read that was complete down to known transactions. Unix time, milliseconds. */
  readonly readAt: number;
}
