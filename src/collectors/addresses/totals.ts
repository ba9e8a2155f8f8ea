// The totals of the counted transactions of a principal. Pure. Totals are plain data and never fall.
import { add, addAmount, type Counters, type Draft, keyOf } from "../counters.ts";
import { boundedValue, TX_STATUSES, TX_TYPES } from "../labels.ts";
import { type AssetLimits, type AssetTotals, addToken, isToken, NO_ASSETS, slotLimits, trimAssets } from "./assets.ts";
import type { Transaction } from "./source.ts";
import type { Transfer } from "./transfer-source.ts";

/** The direction of a transaction for the principal. */
export const DIRECTIONS = ["sent", "sponsored", "received"] as const;
export type Direction = (typeof DIRECTIONS)[number];
/** Role of a principal that pays a fee or takes part in a sponsored transaction. */
export const ROLES = ["sender", "sponsor"] as const;

/** Invalid or inconsistent responses that do not fail the poll. */
export const IRREGULARITIES = [
  // An amount or fee of a transaction is not a whole number: the transaction is counted without it.
  "bad_amount",
  // The start height was above the tip of the chain, and was lowered.
  "impossible_height",
  // The list changed while it was read, and was read again.
  "reread",
  // The total of the list was lower than before.
  "total_shrunk",
  // No operation returned the transfers of a transaction: it is counted without them.
  "transfers_missing",
] as const;
export type Irregularity = (typeof IRREGULARITIES)[number];

/** Totals since counting started. Keys are joined label values. */
export interface AddressTotals extends AssetTotals {
  /** By type, status, direction. */
  readonly transactions: Counters<number>;
  readonly sent: bigint;
  readonly received: bigint;
  /** By type, role. */
  readonly fees: Counters<bigint>;
  /** By direction. */
  readonly stxAmounts: Counters<bigint>;
  /** By type. */
  readonly unprotected: Counters<number>;
  readonly reverted: number;
  readonly restored: number;
  /** Transactions that were skipped, because there were more than `catch_up`. */
  readonly gap: number;
  /** By kind. */
  readonly irregularities: Counters<number>;
  /** Unknown types and statuses that have become label values. */
  readonly unknown: { readonly types: readonly string[]; readonly statuses: readonly string[] };
}

/** Totals before the first transaction. */
export const NO_TOTALS: AddressTotals = {
  ...NO_ASSETS,
  transactions: {},
  sent: 0n,
  received: 0n,
  fees: {},
  stxAmounts: {},
  unprotected: {},
  reverted: 0,
  restored: 0,
  gap: 0,
  irregularities: {},
  unknown: { types: [], statuses: [] },
};

/** A transaction to count, and its transfers if they are known. */
export interface TransactionWithTransfers {
  readonly transaction: Transaction;
  readonly transfers: readonly Transfer[];
}

/** Additions of a poll besides transactions. */
interface PollCounts {
  readonly reverted: number;
  readonly restored: number;
  readonly gap: number;
  readonly irregularities: Readonly<Partial<Record<Irregularity, number>>>;
}

/** The direction of a transaction: a principal that is both sender and sponsor counts as sender. */
export function transactionDirection({ sender, sponsor }: Transaction, principal: string): Direction {
  if (sender === principal) return "sent";
  return sponsor === principal ? "sponsored" : "received";
}

/** Adds transactions, oldest first. Assets beyond the limits become `other`. */
export function addUp(
  before: AddressTotals,
  principal: string,
  counted: readonly TransactionWithTransfers[],
  counts: PollCounts,
  limits: AssetLimits,
): AddressTotals {
  // Most polls add nothing: ten thousand idle principals must not be copied at each poll.
  const allCounts = [counts.reverted, counts.restored, counts.gap, ...Object.values(counts.irregularities)];
  if (counted.length === 0 && allCounts.every((count) => count === 0)) return before;
  const totals = structuredClone(before) as Draft<AddressTotals>;
  const slots = slotLimits(limits);
  trimAssets(totals, slots);
  for (const [kind, count] of Object.entries(counts.irregularities)) {
    if (count > 0) add(totals.irregularities, kind, count);
  }
  totals.reverted += counts.reverted;
  totals.restored += counts.restored;
  totals.gap += counts.gap;
  for (const { transaction, transfers } of counted) {
    addTransaction(totals, principal, transaction);
    for (const transfer of transfers) {
      if (isToken(transfer)) addToken(totals, transfer, slots);
      else addStx(totals, transfer);
    }
    const amounts = [transaction.fee, transaction.sent, transaction.received, ...transfers.map(({ amount }) => amount)];
    if (amounts.includes(undefined)) add(totals.irregularities, "bad_amount");
  }
  return totals;
}

function addTransaction(totals: Draft<AddressTotals>, principal: string, tx: Transaction): void {
  const { unknown } = totals;
  const type = boundedValue(tx.type, TX_TYPES, unknown.types);
  const status = boundedValue(tx.status, TX_STATUSES, unknown.statuses);
  const direction = transactionDirection(tx, principal);
  add(totals.transactions, keyOf(type, status, direction));
  totals.sent += tx.sent ?? 0n;
  totals.received += tx.received ?? 0n;
  const isSponsored = tx.sponsor !== undefined;
  if ((tx.sponsor ?? tx.sender) === principal && tx.fee !== undefined) {
    addAmount(totals.fees, keyOf(type, isSponsored ? "sponsor" : "sender"), tx.fee);
  }
  if (tx.detail?.isUnprotected && direction === "sent") add(totals.unprotected, type);
}

function addStx(totals: Draft<AddressTotals>, { direction, amount }: Transfer): void {
  if (amount === undefined) return;
  addAmount(totals.stxAmounts, direction, amount);
}
