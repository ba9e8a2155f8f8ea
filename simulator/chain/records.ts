// The database of one API server, read-only. The newest replica has the current chain; another one an older state.
import type { Accounts } from "./accounts.ts";
import type { Balances } from "./balances.ts";
import type { Block, Place } from "./block.ts";
import type { Index, Listing } from "./listing.ts";
import type { PrintEvent, Tx } from "./transaction.ts";

/** A print with its place. */
export interface Print extends Place {
  readonly eventIndex: number;
  readonly event: PrintEvent;
}

/** Blocks and transactions, read-only. */
export interface Records {
  /** The newest block; undefined before the first. */
  readonly tip: Block | undefined;
  /** All transactions of the chain. */
  readonly transactions: Listing<Place>;
  /** Transactions of each principal. */
  readonly principals: Pick<Index<Place>, "of">;
  /** Transactions that the principal only sponsored. */
  readonly sponsored: Pick<Index<Place>, "of">;
  /** Prints of each contract. */
  readonly prints: Pick<Index<Print>, "of">;
  readonly balances: Pick<Balances, "of">;
  /** Canonical block of a height; undefined when above the tip or dropped. Block 1 is never dropped. */
  atHeight(height: number): Block | undefined;
  /** Whether a block is canonical, and not an orphan. */
  isCanonical(block: Block): boolean;
  /** Block of a block hash, orphans included. */
  byHash(hash: string): Block | undefined;
  /** Block of an index block hash, orphans included. */
  byIndexHash(hash: string): Block | undefined;
  /** The last place where a transaction was mined; its block may be an orphan. */
  placeOf(txId: string): Place | undefined;
}

/** Transactions that wait to be mined, read-only. */
export interface Pool {
  /** Changes whenever the mempool changes: seconds and a fraction, e.g. `1795219189.546816`. */
  readonly mark: string;
  /** Waiting transactions in order of arrival. */
  values(): Iterable<Tx>;
  /** Waiting transactions, oldest receipt first, then by id. */
  byReceipt(): readonly Tx[];
  /** The transaction if it waits. */
  get(id: string): Tx | undefined;
}

/** The chain as one replica holds it. */
export interface View {
  readonly accounts: Accounts;
  readonly ledger: Records;
  readonly mempool: Pool;
  /** Height of the newest block, as `/extended` reports it; 0 before the first. */
  readonly height: number;
}
