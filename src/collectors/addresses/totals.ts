// The totals of the counted transactions of a principal. Pure. Totals are plain data and never fall.
import { FEE_BOUNDS } from "../amounts.ts";
import { DIMENSIONS } from "../chain/chain.ts";
import { add, addAmount, type Counters, type Draft, type Histogram, keyOf, observe } from "../counters.ts";
import { boundedValue, OTHER, TX_STATUSES, TX_TYPES } from "../labels.ts";
import {
  type AssetLimits,
  type AssetTotals,
  type AssetTotalsV1,
  addToken,
  isToken,
  NO_ASSETS,
  slotLimits,
  trimAssets,
  upgradedAssets,
} from "./assets.ts";
import { ACTIONS, ASSET_CLASSES, type AssetEvents, type Transaction } from "./source.ts";
import type { Transfer } from "./transfer-source.ts";

/** The direction of a transaction for the principal. */
export const DIRECTIONS = ["sent", "sponsored", "received"] as const;
export type Direction = (typeof DIRECTIONS)[number];
/** Role of a principal that pays a fee or takes part in a sponsored transaction. */
export const ROLES = ["sender", "sponsor"] as const;

/** Values of the labels of post-conditions; anything else becomes `other`. */
export const POST_CONDITIONS = {
  mode: ["allow", "deny", "originator"],
  type: ["stx", "fungible", "non_fungible", "staking", "pox"],
  code: [
    "sent_equal_to",
    "sent_greater_than",
    "sent_greater_than_or_equal_to",
    "sent_less_than",
    "sent_less_than_or_equal_to",
    "sent",
    "not_sent",
    "maybe_sent",
    "not_performed",
    "maybe_performed",
    "performed",
  ],
  principal: ["principal_origin", "principal_standard", "principal_contract"],
} as const;

/** Upper bounds of STX transfers, from 0.001 STX to 100 million STX. MicroSTX. */
export const TRANSFER_BOUNDS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14] as const;

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
  /** By type. */
  readonly feeSizes: Readonly<Record<string, Histogram<bigint>>>;
  /** By direction. */
  readonly stxTransfers: Counters<number>;
  readonly stxAmounts: Counters<bigint>;
  readonly stxSizes: Readonly<Record<string, Histogram<bigint>>>;
  /** By asset class, action. */
  readonly assetEvents: Counters<number>;
  /** By mode, type, condition code, type of principal. */
  readonly postConditions: Counters<number>;
  /** By type. */
  readonly unprotected: Counters<number>;
  /** By role. */
  readonly sponsored: Counters<number>;
  readonly eventsEmitted: number;
  /** By dimension. */
  readonly cost: Counters<number>;
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
  feeSizes: {},
  stxTransfers: {},
  stxAmounts: {},
  stxSizes: {},
  assetEvents: {},
  postConditions: {},
  unprotected: {},
  sponsored: {},
  eventsEmitted: 0,
  cost: {},
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

/** Totals in version 1 of the state. */
export type AddressTotalsV1 = Omit<AddressTotals, keyof AssetTotals> & AssetTotalsV1;

/** Upgrades totals of version 1. Sums stay the same: assets without a valid identifier become `other`. */
export function upgradedTotals(totals: AddressTotalsV1): AddressTotals {
  return { ...totals, ...upgradedAssets(totals) };
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
    addAssetEvents(totals, transaction.detail?.events ?? assetEventsOf(transfers));
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
  if (isSponsored && direction !== "received") {
    add(totals.sponsored, direction === "sent" && tx.sponsor !== principal ? "sender" : "sponsor");
  }
  if ((tx.sponsor ?? tx.sender) === principal && tx.fee !== undefined) {
    addAmount(totals.fees, keyOf(type, isSponsored ? "sponsor" : "sender"), tx.fee);
    observe(totals.feeSizes, type, FEE_BOUNDS, tx.fee);
  }
  const { detail } = tx;
  if (detail === undefined || direction !== "sent") return;
  totals.eventsEmitted += detail.eventCount;
  for (const dimension of DIMENSIONS) add(totals.cost, dimension, detail.cost[dimension]);
  const oneOf = (value: string, known: readonly string[]) => (known.includes(value) ? value : OTHER);
  const mode = oneOf(detail.postConditionMode, POST_CONDITIONS.mode);
  for (const condition of detail.postConditions) {
    const kind = oneOf(condition.type, POST_CONDITIONS.type);
    const code = oneOf(condition.code, POST_CONDITIONS.code);
    add(totals.postConditions, keyOf(mode, kind, code, oneOf(condition.principal, POST_CONDITIONS.principal)));
  }
  if (detail.postConditionMode === "allow" && detail.postConditions.length === 0) add(totals.unprotected, type);
}

/** Asset events as `address_transactions` counts them: a transfer to itself counts twice. */
function assetEventsOf(transfers: readonly Transfer[]): AssetEvents {
  const none = { transfer: 0, mint: 0, burn: 0 };
  const events = { stx: { ...none }, ft: { ...none }, nft: { ...none } };
  for (const { kind, direction } of transfers) {
    const action = direction === "mint" || direction === "burn" ? direction : "transfer";
    events[kind][action] += direction === "self" ? 2 : 1;
  }
  return events;
}

function addAssetEvents(totals: Draft<AddressTotals>, events: AssetEvents): void {
  for (const kind of ASSET_CLASSES) {
    for (const action of ACTIONS) {
      if (events[kind][action] > 0) add(totals.assetEvents, keyOf(kind, action), events[kind][action]);
    }
  }
}

function addStx(totals: Draft<AddressTotals>, { direction, amount }: Transfer): void {
  add(totals.stxTransfers, direction);
  if (amount === undefined) return;
  addAmount(totals.stxAmounts, direction, amount);
  observe(totals.stxSizes, direction, TRANSFER_BOUNDS, amount);
}
