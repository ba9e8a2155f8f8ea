// What the counted transactions of a principal add up to. Pure; the totals are plain data and only grow.
import { ACTIONS, ASSET_CLASSES, type Transaction } from "./address-source.ts";
import { DIMENSIONS } from "./chain.ts";
import type { RevertReason } from "./horizon.ts";
import { add, addAmount, boundedValue, keyOf, OTHER, observe, type Spread, type Sums } from "./tally.ts";
import { TRANSFER_DIRECTIONS, type Transfer } from "./transfers.ts";

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
  late: "a transaction appeared at a height that had been counted already",
  reread: "the list changed while it was read, and was read again",
  total_shrunk: "the total of the list was lower than before",
  unordered: "the list was not in chain order",
  transfers_missing: "operation 4.5 did not tell of a transaction that 4.6 lists; its transfers are not counted",
} as const;
export type Irregularity = keyof typeof IRREGULARITIES;

/** Totals since counting began. Keys are the values of the labels that the name says. */
export interface AddressTotals {
  /** By type, status, direction. */
  readonly transactions: Sums<number>;
  readonly sent: bigint;
  readonly received: bigint;
  /** By type, role. */
  readonly fees: Sums<bigint>;
  /** By type. */
  readonly feeSizes: Readonly<Record<string, Spread>>;
  /** By direction. */
  readonly stxTransfers: Sums<number>;
  readonly stxAmounts: Sums<bigint>;
  readonly stxSizes: Readonly<Record<string, Spread>>;
  /** By asset, direction. */
  readonly ftTransfers: Sums<number>;
  readonly ftAmounts: Sums<bigint>;
  readonly nftTransfers: Sums<number>;
  /** By asset class, action. */
  readonly assetEvents: Sums<number>;
  /** By mode, type, condition code, type of principal. */
  readonly postConditions: Sums<number>;
  /** By type. */
  readonly unprotected: Sums<number>;
  /** By role. */
  readonly sponsored: Sums<number>;
  readonly eventsEmitted: number;
  /** By dimension. */
  readonly cost: Sums<number>;
  /** By reason. */
  readonly reverted: Sums<number>;
  readonly restored: number;
  /** Transactions that were passed over because too many had to be caught up. */
  readonly gap: number;
  /** By kind. */
  readonly irregularities: Sums<number>;
  /** By asset class: transfers that were folded into `other`. */
  readonly overflow: Sums<number>;
  /** Assets that have series of their own, as they were met. */
  readonly assets: { readonly ft: readonly string[]; readonly nft: readonly string[] };
  /** Types and statuses that are on no list, as they were met. */
  readonly unknown: { readonly types: readonly string[]; readonly statuses: readonly string[] };
}

/** Totals of nothing. */
export const NO_TOTALS: AddressTotals = {
  transactions: {},
  sent: 0n,
  received: 0n,
  fees: {},
  feeSizes: {},
  stxTransfers: {},
  stxAmounts: {},
  stxSizes: {},
  ftTransfers: {},
  ftAmounts: {},
  nftTransfers: {},
  assetEvents: {},
  postConditions: {},
  unprotected: {},
  sponsored: {},
  eventsEmitted: 0,
  cost: {},
  reverted: {},
  restored: 0,
  gap: 0,
  irregularities: {},
  overflow: {},
  assets: { ft: [], nft: [] },
  unknown: { types: [], statuses: [] },
};

type Draft<Value> = Value extends bigint | number | string
  ? Value
  : Value extends readonly (infer Item)[]
    ? Item[]
    : { -readonly [Key in keyof Value]: Draft<Value[Key]> };

/** A transaction and, where they are known, its transfers. */
export interface Countable {
  readonly transaction: Transaction;
  readonly transfers: readonly Transfer[];
}

/** What a poll adds beside transactions. */
export interface Findings {
  readonly reverted: Readonly<Record<RevertReason, number>>;
  readonly restored: number;
  readonly gap: number;
  readonly irregularities: Readonly<Partial<Record<Irregularity, number>>>;
}

/** How a transaction concerns a principal: its sender first, then its sponsor, then everything else. */
export function directionOf({ sender, sponsor }: Transaction, principal: string): Direction {
  if (sender === principal) return "sent";
  return sponsor === principal ? "sponsored" : "received";
}

/** How many assets may have series of their own. */
export interface AssetLimits {
  /** Of a class, of one principal. */
  readonly perClass: number;
  /** Series that new assets may have, however many the class may still have. */
  readonly spareSeries: number;
}

// Of a fungible asset: transfers and amounts, in every direction.
const SERIES_PER_ASSET = 2 * TRANSFER_DIRECTIONS.length;

/** The totals after transactions in chain order; assets beyond the limits become `other`. */
export function addUp(
  before: AddressTotals,
  principal: string,
  counted: readonly Countable[],
  found: Findings,
  limits: AssetLimits,
): AddressTotals {
  // Most polls find nothing, and ten thousand quiet principals should not be copied for it.
  const isQuiet = [found.restored, found.gap, ...Object.values(found.reverted), ...Object.values(found.irregularities)];
  if (counted.length === 0 && isQuiet.every((count) => count === 0)) return before;
  const totals: Draft<AddressTotals> = structuredClone(before) as Draft<AddressTotals>;
  const room = { perClass: limits.perClass, more: Math.floor(limits.spareSeries / SERIES_PER_ASSET) };
  for (const [reason, count] of Object.entries(found.reverted)) if (count > 0) add(totals.reverted, reason, count);
  for (const [kind, count] of Object.entries(found.irregularities)) {
    if (count > 0) add(totals.irregularities, kind, count);
  }
  totals.restored += found.restored;
  totals.gap += found.gap;
  for (const { transaction, transfers } of counted) {
    addTransaction(totals, principal, transaction);
    for (const transfer of transfers) addTransfer(totals, transfer, room);
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
  for (const kind of ASSET_CLASSES) {
    for (const action of ACTIONS) {
      if (detail.events[kind][action] > 0) add(totals.assetEvents, keyOf(kind, action), detail.events[kind][action]);
    }
  }
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

function addTransfer(
  totals: Draft<AddressTotals>,
  { kind, asset, direction, amount }: Transfer,
  room: { readonly perClass: number; more: number },
): void {
  if (kind === "stx") {
    add(totals.stxTransfers, direction);
    if (amount === undefined) return;
    addAmount(totals.stxAmounts, direction, amount);
    observe(totals.stxSizes, direction, TRANSFER_BOUNDS, amount);
    return;
  }
  const known = totals.assets[kind];
  if (!known.includes(asset) && known.length < room.perClass && room.more > 0) {
    known.push(asset);
    room.more -= 1;
  }
  const isKnown = known.includes(asset);
  if (!isKnown) add(totals.overflow, kind);
  const key = keyOf(isKnown ? asset : OTHER, direction);
  add(kind === "ft" ? totals.ftTransfers : totals.nftTransfers, key);
  if (kind === "ft" && amount !== undefined) addAmount(totals.ftAmounts, key, amount);
}
