// What the counted transactions of a principal add up to. Pure; the totals are plain data and only grow.

import { DIMENSIONS } from "../chain/chain.ts";
import { add, addAmount, type Counters, type Draft, type Histogram, keyOf, observe } from "../counters.ts";
import { boundedValue, OTHER } from "../labels.ts";
import {
  type AssetLimits,
  type AssetTotals,
  addToken,
  cleanedAssets,
  isToken,
  NO_ASSETS,
  type OldAssetTotals,
  roomOf,
  trimAssets,
} from "./assets.ts";
import { ACTIONS, ASSET_CLASSES, type AssetEvents, type Transaction } from "./source.ts";
import type { Transfer } from "./transfers.ts";

/** Types of mined transactions. */
export const TX_TYPES = [
  "token_transfer",
  "smart_contract",
  "contract_call",
  "poison_microblock",
  "coinbase",
  "tenure_change",
] as const;
/** Statuses of mined transactions. */
export const TX_STATUSES = ["success", "abort_by_response", "abort_by_post_condition", "problematic_skipped"] as const;
/** How a transaction concerns the principal. */
export const DIRECTIONS = ["sent", "sponsored", "received"] as const;
export type Direction = (typeof DIRECTIONS)[number];
/** As what it pays, or takes part in a sponsored transaction. */
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

/** Upper bounds of fees. MicroSTX. */
export const FEE_BOUNDS = [100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9] as const;
/** Upper bounds of STX transfers, from 0.001 STX to 100 million STX. MicroSTX. */
export const TRANSFER_BOUNDS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14] as const;

/** What is wrong with what a server tells of a principal, without being reason to fail. */
export const IRREGULARITIES = {
  bad_amount: "a transaction had an amount or fee that is no whole number; it is counted without",
  impossible_height: "counting had stopped above the tip of the chain, and was brought back",
  reread: "the list changed while it was read, and was read again",
  total_shrunk: "the total of the list was lower than before",
  transfers_missing: "no operation told the transfers of a listed transaction; it is counted without them",
} as const;
export type Irregularity = keyof typeof IRREGULARITIES;

/** Totals since counting began. Keys are the values of the labels that the name says. */
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
  /** Transactions that were passed over because too many had to be caught up. */
  readonly gap: number;
  /** By kind. */
  readonly irregularities: Counters<number>;
  /** Types and statuses that are on no list, as they were met. */
  readonly unknown: { readonly types: readonly string[]; readonly statuses: readonly string[] };
}

/** Totals of nothing. */
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

/** A transaction and, where they are known, its transfers. */
export interface Countable {
  readonly transaction: Transaction;
  readonly transfers: readonly Transfer[];
}

/** What a poll adds beside transactions. */
export interface Findings {
  readonly reverted: number;
  readonly restored: number;
  readonly gap: number;
  readonly irregularities: Readonly<Partial<Record<Irregularity, number>>>;
}

/** How a transaction concerns a principal: its sender first, then its sponsor, then everything else. */
export function directionOf({ sender, sponsor }: Transaction, principal: string): Direction {
  if (sender === principal) return "sent";
  return sponsor === principal ? "sponsored" : "received";
}

/** Totals of version 1 of the state. */
export type OldAddressTotals = Omit<AddressTotals, keyof AssetTotals> & OldAssetTotals;

/** Totals of version 1 in today's form, with the same sums: assets without an identifier of Clarity's form become `other`. */
export function cleaned(totals: OldAddressTotals): AddressTotals {
  return { ...totals, ...cleanedAssets(totals) };
}

/** The totals after transactions in chain order; assets beyond the limits become `other`. */
export function addUp(
  before: AddressTotals,
  principal: string,
  counted: readonly Countable[],
  found: Findings,
  limits: AssetLimits,
): AddressTotals {
  // Most polls find nothing, and ten thousand quiet principals should not be copied for it.
  const isQuiet = [found.reverted, found.restored, found.gap, ...Object.values(found.irregularities)];
  if (counted.length === 0 && isQuiet.every((count) => count === 0)) return before;
  const totals: Draft<AddressTotals> = structuredClone(before) as Draft<AddressTotals>;
  const room = roomOf(limits);
  trimAssets(totals, room);
  for (const [kind, count] of Object.entries(found.irregularities)) {
    if (count > 0) add(totals.irregularities, kind, count);
  }
  totals.reverted += found.reverted;
  totals.restored += found.restored;
  totals.gap += found.gap;
  for (const { transaction, transfers } of counted) {
    addTransaction(totals, principal, transaction);
    addAssetEvents(totals, transaction.detail?.events ?? assetEventsOf(transfers));
    for (const transfer of transfers) {
      if (isToken(transfer)) addToken(totals, transfer, room);
      else addStx(totals, transfer);
    }
    const isBad = [transaction.fee, transaction.sent, transaction.received, ...transfers.map(({ amount }) => amount)];
    if (isBad.includes(undefined)) add(totals.irregularities, "bad_amount");
  }
  return totals;
}

function addTransaction(totals: Draft<AddressTotals>, principal: string, tx: Transaction): void {
  const { unknown } = totals;
  const type = boundedValue(tx.type, TX_TYPES, unknown.types);
  const status = boundedValue(tx.status, TX_STATUSES, unknown.statuses);
  const direction = directionOf(tx, principal);
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
  if (detail === undefined) return;
  if (direction !== "sent") return;
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

/** Asset events as 4.6 counts them: a transfer to itself counts twice. */
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
