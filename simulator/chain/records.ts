// The database of one API server, read-only. The newest replica has the current chain; another one an older state.
import type { Accounts } from "./accounts.ts";
import type { Ledger } from "./ledger.ts";
import type { Tx } from "./transaction.ts";

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
  readonly ledger: Omit<Ledger, "append" | "removeTip">;
  readonly mempool: Pool;
  /** Height of the newest block, as `/extended` reports it; 0 before the first. */
  readonly height: number;
}
