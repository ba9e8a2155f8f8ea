// Lists of mined transactions, whose rows have their own block, and the floor: how far down they are read.
import type { Row } from "./read.ts";
import type { Counted } from "./state.ts";

/** A row with its block. */
export interface ListedTransaction extends Row {
  readonly height: number;
  /** Position in the block. */
  readonly index: number;
}

/** The lowest position that is read. */
export interface Floor {
  readonly height: number;
  /** Position in the block. */
  readonly index: number;
}

/** The proof of a transaction: its own block. */
export const proofOf = ({ height, hash, index }: ListedTransaction) => ({ height, hash, index });

/** Height of the newest of these transactions; -1 without any. */
export const highestOf = (transactions: readonly Pick<ListedTransaction, "height">[]): number =>
  transactions.reduce((top, { height }) => Math.max(top, height), -1);

/** Lowest height of which counted transactions are kept. */
export function oldestHeight(tipHeight: number, confirmations: number): number {
  return tipHeight - Math.max(16, confirmations * 8) + 1;
}

/** The floor, raised to below the counted transactions that are kept. Those above an open end do not raise it. */
export function raisedFloor(floor: Floor, counted: readonly Counted[], oldest: number): Floor {
  const newest = counted.find(({ isAbove }) => !isAbove);
  if (newest === undefined) return floor;
  const height = Math.min(newest.height + 1, oldest);
  return height > floor.height ? { height, index: 0 } : floor;
}
