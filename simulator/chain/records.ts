// What the database of one API server holds, read-only. The newest replica holds the current chain; another replica may
// hold an older state, or something else.
import type { Block, Place, Position } from "./block.ts";
import type { Listing } from "./listing.ts";
import type { PrintEvent, Tx } from "./transaction.ts";

/** A print with its place. */
export interface Print extends Place {
  readonly eventIndex: number;
  readonly event: PrintEvent;
}

/** Entries by key, such as transactions by address. */
export interface Entries<Entry> {
  /** The entries of a key; none for a key never seen. */
  of(key: string): Listing<Entry>;
}

/** Blocks and transactions, read-only. */
export interface Records {
  /** The newest block; undefined before the first. */
  readonly tip: Block | undefined;
  /** Number of canonical transactions ever. */
  readonly txCount: number;
  /** Transactions of each principal; those that one only sponsored are in `sponsored` as well. */
  readonly principals: Entries<Place>;
  readonly sponsored: Entries<Place>;
  readonly prints: Entries<Print>;
  /** Canonical block of a height; undefined when beyond the tip or forgotten. Block 1 is never forgotten. */
  atHeight(height: number): Block | undefined;
  /** Whether a block is part of the chain, and not an orphan. */
  isCanonical(block: Block): boolean;
  /** Block of a block hash, orphans included. */
  byHash(hash: string): Block | undefined;
  /** Block of an index block hash, orphans included. */
  byIndexHash(hash: string): Block | undefined;
  /** Where a transaction was mined last; the block may be an orphan. */
  placeOf(txId: string): Place | undefined;
  /** Canonical transactions from a position on, newest first. */
  older(from: Position): Iterable<Place>;
  /** Canonical transactions after a position, oldest first. */
  newer(than: Position): Iterable<Place>;
}

/** Transactions that wait to be mined, read-only. */
export interface Pool {
  /** Changes whenever the pool was touched: seconds and a fraction, e.g. `1795219189.546816`. */
  readonly mark: string;
  /** Waiting transactions in order of arrival. */
  values(): Iterable<Tx>;
  /** The transaction if it waits. */
  get(id: string): Tx | undefined;
}

/** The chain as one replica holds it. */
export interface View {
  readonly ledger: Records;
  readonly mempool: Pool;
  /** Height of the newest block, as `/extended` reports it; 0 before the first. */
  readonly height: number;
}
