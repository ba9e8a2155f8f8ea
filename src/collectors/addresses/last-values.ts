// Values of an address besides its totals: of the last poll, and of the newest transactions. Pure.
import { blockStatus, type ChainView, type Proof } from "../chain/chain-view.ts";
import type { Transaction } from "./source.ts";
import { type Direction, transactionDirection } from "./totals.ts";

/** A value of the newest transaction with a direction or role, and its block. */
interface LastValue extends Proof {
  readonly value: number;
}

/** Values of an address besides its totals. */
export interface LastValues {
  /** Number of transactions that the server reports. */
  readonly total: number;
  /** Unix times in seconds. */
  readonly lastTimes: Readonly<Partial<Record<Direction, LastValue>>>;
  /** The block of the newest transaction. */
  readonly last: Proof | undefined;
  readonly pending: { readonly unanchored: number; readonly below_depth: number };
  readonly backlog: number;
}

/** The values before the first poll. */
export const NO_LAST_VALUES: LastValues = {
  total: 0,
  lastTimes: {},
  last: undefined,
  pending: { unanchored: 0, below_depth: 0 },
  backlog: 0,
};

/**
 * The values of the newest transactions after a read.
 * @param rows the newest transactions, newest first. Values of replaced blocks are dropped.
 */
export function newestValues(
  before: LastValues,
  rows: readonly Transaction[],
  principal: string,
  chain: ChainView | undefined,
): Pick<LastValues, "lastTimes" | "last"> {
  const isValid = (block: Proof | undefined) => block !== undefined && blockStatus(chain, block) !== "replaced";
  const lastTimes: Partial<Record<Direction, LastValue>> = Object.fromEntries(
    Object.entries(before.lastTimes).filter(([, value]) => isValid(value)),
  );
  const newest = rows.filter(isValid);
  // Oldest first, so that the newest value is set last.
  for (const tx of newest.toReversed()) {
    const { height, hash } = tx;
    if (tx.time !== undefined) lastTimes[transactionDirection(tx, principal)] = { value: tx.time, height, hash };
  }
  const [first] = newest;
  const last = isValid(before.last) ? before.last : undefined;
  return { lastTimes, last: first === undefined ? last : { height: first.height, hash: first.hash } };
}
