// The totals of the confirmed transactions of a chain. Plain data; they never decrease. Pure.
import { add, type Counters, type Draft, keyOf } from "../counters.ts";
import { boundedValue, TX_STATUSES, TX_TYPES } from "../labels.ts";
import type { ChainTransaction } from "./source.ts";
import { isUserType } from "./window.ts";

/** Totals since the first poll. */
export interface Totals {
  /** By type, status. */
  readonly transactions: Counters<number>;
  /** Transactions that were skipped, because there were more than `catch_up`. */
  readonly gap: number;
  readonly reverted: number;
  readonly restored: number;
  /** Unknown types and statuses that have become label values. */
  readonly unknown: { readonly types: readonly string[]; readonly statuses: readonly string[] };
}

// Microblocks no longer exist.
const USER_TYPES = TX_TYPES.filter((type) => isUserType(type) && type !== "poison_microblock");
const MINER_TYPES = TX_TYPES.filter((type) => !isUserType(type));

/** Totals before the first transaction: every usual combination is 0, so that `rate()` sees the first increase. */
export const NO_TOTALS: Totals = {
  transactions: Object.fromEntries([
    ...USER_TYPES.flatMap((type) => TX_STATUSES.map((status) => [keyOf(type, status), 0])),
    ...MINER_TYPES.map((type) => [keyOf(type, "success"), 0]),
  ]),
  gap: 0,
  reverted: 0,
  restored: 0,
  unknown: { types: [], statuses: [] },
};

/** Adds transactions, and what else a poll counts. */
export function addUp(
  before: Totals,
  counted: readonly ChainTransaction[],
  counts: Readonly<Record<"gap" | "reverted" | "restored", number>>,
): Totals {
  const totals = structuredClone(before) as Draft<Totals>;
  for (const name of ["gap", "reverted", "restored"] as const) totals[name] += counts[name];
  for (const { type, status } of counted) {
    const tx_type = boundedValue(type, TX_TYPES, totals.unknown.types);
    add(totals.transactions, keyOf(tx_type, boundedValue(status, TX_STATUSES, totals.unknown.statuses)));
  }
  return totals;
}
