// The families of watched addresses, and their samples from what is known of one address. Pure.
import { counter, type Family, gauge, histogram, type Sample } from "../../exposition/family.ts";
import { DIMENSIONS } from "../chain/chain.ts";
import type { Proof } from "../chain/chain-view.ts";
import { emptyHistogram, type Histogram, keyOf, valuesOf } from "../counters.ts";
import { OTHER } from "../labels.ts";
import type { Slots } from "../slots.ts";
import { ACTIONS, ASSET_CLASSES } from "./source.ts";
import {
  type AddressTotals,
  DIRECTIONS,
  FEE_BOUNDS,
  IRREGULARITIES,
  POST_CONDITIONS,
  ROLES,
  TRANSFER_BOUNDS,
  TX_STATUSES,
  TX_TYPES,
} from "./totals.ts";
import { TRANSFER_DIRECTIONS } from "./transfers.ts";

const identity = {
  network: "name of the network",
  name: "name of the address in the configuration",
  address: "the principal",
};
const LIST = "GET /extended/v2/addresses/{address}/transactions, polled";
const V3 = "its replacement GET /extended/v3/principals/{principal}/transactions";
const EVENTS = "its replacement GET /extended/v3/transactions/{tx_id}/events";
const TRANSFERS = `GET /extended/v1/address/{principal}/transactions_with_transfers, or ${EVENTS}, polled`;
const list = (fields: string) => `${fields} of GET /extended/v2/addresses/{address}/transactions, or ${V3}, polled`;
const only = (fields: string) => `${fields} of ${LIST}`;
const transfers = (fields: string) => `${fields} of ${TRANSFERS}`;

const txType = { about: "type of the transaction", values: [...TX_TYPES, OTHER] };
const direction = {
  about: "sent: the address is the sender; sponsored: it is only the sponsor; received: any other role",
  values: DIRECTIONS,
};
const role = { about: "role of the address", values: ROLES };
const transferDirection = { about: "direction from the point of view of the address", values: TRANSFER_DIRECTIONS };
const asset = "identifier of the asset; other beyond max_assets, and for identifiers that are not valid";

const families = {
  info: gauge({
    name: "stacks_address_info",
    help: "Always 1. Group and additional labels of a watched address, to join with its other series.",
    source: "the configuration",
    isOpen: true,
    isLasting: true,
    labels: {
      ...identity,
      group: "group of the address in the configuration",
      kind: { about: "kind of principal", values: ["account", "contract"] },
    },
  }),
  indexed: gauge({
    name: "stacks_address_indexed_transactions",
    help: "All transactions of the address, as counted by the server. A reorganisation can lower it.",
    source: list("total"),
    labels: identity,
  }),
  lastTime: gauge({
    name: "stacks_address_last_transaction_timestamp_seconds",
    help: "Block time of the newest transaction seen, at any depth. Unix time. Absent until the first one.",
    source: list("tx.block_time"),
    unit: "seconds",
    labels: { ...identity, direction },
  }),
  lastHeight: gauge({
    name: "stacks_address_last_transaction_block_height",
    help: "Block height of the newest transaction seen, at any depth. Absent until the first one.",
    source: list("tx.block_height"),
    labels: identity,
  }),
  nonce: gauge({
    name: "stacks_address_nonce",
    help: "Nonce of the newest mined transaction that the address sent or sponsored. Absent until the first one.",
    source: list("tx.nonce, tx.sponsor_nonce"),
    labels: { ...identity, role },
  }),
  pending: gauge({
    name: "stacks_address_pending_depth_transactions",
    help: "Transactions that wait for confirmations.",
    source: list("tx.block_height, tx.is_unanchored"),
    labels: { ...identity, state: { about: "why they wait", values: ["unanchored", "below_depth"] } },
  }),
  backlog: gauge({
    name: "stacks_address_backlog_transactions",
    help: "Transactions with enough confirmations that are not counted yet: not read, or waiting for their transfers or a proof of their block.",
    source: list("results"),
    labels: identity,
  }),
  netFlow: gauge({
    name: "stacks_address_net_flow_microstx",
    help: "STX received minus STX sent since counting started; not a balance. In microSTX.",
    source: list("stx_received, stx_sent"),
    unit: "microstx",
    labels: identity,
  }),
  transactions: counter({
    name: "stacks_address_transactions_total",
    help: "Transactions of the address. Each counts once, when it has the configured confirmations.",
    source: list("tx.tx_type, tx.tx_status, tx.sender_address, tx.sponsor_address"),
    labels: {
      ...identity,
      tx_type: txType,
      tx_status: { about: "status of the transaction", values: [...TX_STATUSES, OTHER] },
      direction,
    },
  }),
  sent: counter({
    name: "stacks_address_sent_microstx_total",
    help: "STX sent by the address in counted transactions, including fees. In microSTX.",
    source: list("stx_sent"),
    unit: "microstx",
    labels: identity,
  }),
  received: counter({
    name: "stacks_address_received_microstx_total",
    help: "STX received by the address in counted transactions. In microSTX.",
    source: list("stx_received"),
    unit: "microstx",
    labels: identity,
  }),
  fees: counter({
    name: "stacks_address_fees_paid_microstx_total",
    help: "Fees of counted transactions that the address paid, as sender or as sponsor. In microSTX.",
    source: list("tx.fee_rate"),
    unit: "microstx",
    labels: { ...identity, tx_type: txType, role },
  }),
  feeSizes: histogram({
    name: "stacks_address_tx_fee_microstx",
    help: "Fee per counted transaction that the address paid for. In microSTX.",
    source: list("tx.fee_rate"),
    unit: "microstx",
    bounds: FEE_BOUNDS,
    labels: { ...identity, tx_type: txType },
  }),
  stxTransfers: counter({
    name: "stacks_address_stx_transfers_total",
    help: "STX transfers, mints and burns of counted transactions in which the address takes part.",
    source: transfers("stx_transfers"),
    labels: { ...identity, direction: transferDirection },
  }),
  stxAmounts: counter({
    name: "stacks_address_stx_transfer_microstx_total",
    help: "Amount of STX transfers, mints and burns, without fees. In microSTX.",
    source: transfers("stx_transfers.amount"),
    unit: "microstx",
    labels: { ...identity, direction: transferDirection },
  }),
  stxSizes: histogram({
    name: "stacks_address_stx_transfer_size_microstx",
    help: "Amount per STX transfer, mint or burn. In microSTX.",
    source: transfers("stx_transfers.amount"),
    unit: "microstx",
    bounds: TRANSFER_BOUNDS,
    labels: { ...identity, direction: transferDirection },
  }),
  ftTransfers: counter({
    name: "stacks_address_ft_transfers_total",
    help: "Transfers, mints and burns of fungible tokens in counted transactions.",
    source: transfers("ft_transfers"),
    labels: { ...identity, asset, direction: transferDirection },
  }),
  ftAmounts: counter({
    name: "stacks_address_ft_transfer_units_total",
    help: "Amount of fungible tokens transferred, minted or burnt, in base units. Summed exactly, rounded in the exposition.",
    source: transfers("ft_transfers.amount"),
    labels: { ...identity, asset, direction: transferDirection },
  }),
  nftTransfers: counter({
    name: "stacks_address_nft_transfers_total",
    help: "Transfers, mints and burns of non-fungible tokens in counted transactions.",
    source: transfers("nft_transfers"),
    labels: { ...identity, asset, direction: transferDirection },
  }),
  assetEvents: counter({
    name: "stacks_address_asset_events_total",
    help: "Asset events of counted transactions in which the address takes part. A transfer to itself counts twice, as on the server.",
    source: `events of GET /extended/v2/addresses/{address}/transactions, or ${EVENTS}, polled`,
    labels: {
      ...identity,
      asset_class: { about: "kind of asset", values: ASSET_CLASSES },
      action: { about: "action on the asset", values: ACTIONS },
    },
  }),
  postConditions: counter({
    name: "stacks_address_post_conditions_total",
    help: "Post-conditions of counted transactions that the address sent.",
    source: only("tx.post_conditions, tx.post_condition_mode"),
    labels: {
      ...identity,
      mode: { about: "mode: deny or allow transfers without a condition", values: [...POST_CONDITIONS.mode, OTHER] },
      condition_type: { about: "type of the condition", values: [...POST_CONDITIONS.type, OTHER] },
      condition_code: { about: "comparison of the condition", values: [...POST_CONDITIONS.code, OTHER] },
      principal_type: {
        about: "kind of principal that the condition limits",
        values: [...POST_CONDITIONS.principal, OTHER],
      },
    },
  }),
  unprotected: counter({
    name: "stacks_address_unprotected_transactions_total",
    help: "Counted transactions that the address sent in mode allow without any post-condition.",
    source: only("tx.post_conditions, tx.post_condition_mode"),
    labels: { ...identity, tx_type: txType },
  }),
  sponsored: counter({
    name: "stacks_address_sponsored_transactions_total",
    help: "Counted sponsored transactions of which the address is sender or sponsor.",
    source: list("tx.sponsor_address"),
    labels: { ...identity, role },
  }),
  eventsEmitted: counter({
    name: "stacks_address_events_emitted_total",
    help: "Events of all kinds in counted transactions that the address sent.",
    source: only("tx.event_count"),
    labels: identity,
  }),
  cost: counter({
    name: "stacks_address_execution_cost_total",
    help: "Execution cost of counted transactions that the address sent, in the units of the dimension.",
    source: only("tx.execution_cost_*"),
    labels: { ...identity, dimension: { about: "dimension of the execution cost", values: DIMENSIONS } },
  }),
  reverted: counter({
    name: "stacks_address_reverted_transactions_total",
    help: "Counted transactions whose block was replaced by a block with the configured confirmations. Other counters are not lowered.",
    source: list("tx.block_hash"),
    labels: identity,
  }),
  restored: counter({
    name: "stacks_address_restored_transactions_total",
    help: "Reverted transactions that were mined again. They are not counted again.",
    source: list("results"),
    labels: identity,
  }),
  gap: counter({
    name: "stacks_address_gap_transactions_total",
    help: "Skipped transactions: there were more new transactions than catch_up allows to read.",
    source: list("total, results"),
    labels: identity,
  }),
  irregularities: counter({
    name: "stacks_address_irregularities_total",
    help: "Invalid or inconsistent responses about the address.",
    source: list("results"),
    labels: { ...identity, kind: { about: "kind of irregularity", values: Object.keys(IRREGULARITIES) } },
  }),
  overflow: counter({
    name: "stacks_address_label_overflow_total",
    help: "Transfers counted as other: their asset exceeds max_assets or max_series, lost its series to another asset, or has an invalid identifier.",
    source: transfers("ft_transfers, nft_transfers"),
    labels: { ...identity, asset_class: { about: "kind of asset", values: ["ft", "nft"] } },
  }),
};

/** Every family of a watched address, in the order of the page. */
export const addressFamilies: readonly Family[] = Object.values(families) as unknown as Family[];

/** A value of the moment, and the block in which it was seen. */
export interface Fact extends Proof {
  readonly value: number;
}

/** What is known of an address beside its totals. Unix times in seconds. */
export interface AddressFacts {
  readonly total: number;
  readonly lastTimes: Readonly<Partial<Record<(typeof DIRECTIONS)[number], Fact>>>;
  /** The block of the newest transaction that was listed. */
  readonly last: Proof | undefined;
  readonly nonces: Readonly<Partial<Record<(typeof ROLES)[number], Fact>>>;
  readonly pending: { readonly unanchored: number; readonly below_depth: number };
  readonly backlog: number;
}

/** What samples are made from. */
export interface AddressKnown {
  readonly totals: AddressTotals;
  readonly facts: AddressFacts;
  /** Post-conditions, cost and events are told by the operation that was read last. */
  readonly hasDetail: boolean;
  /** So are transfers. */
  readonly hasTransfers: boolean;
  /** Every label set that can be foreseen has a series from the start. */
  readonly zeros: boolean;
}

/** What names an address. */
export interface AddressLabels {
  readonly network: string;
  readonly name: string;
  readonly address: string;
}

type Labels = Readonly<Record<string, string>>;

/** Every combination of label values. */
function combinations(...lists: readonly (readonly string[])[]): string[] {
  return lists
    .reduce<readonly string[][]>((sets, list) => sets.flatMap((set) => list.map((value) => [...set, value])), [[]])
    .map((values) => keyOf(...values));
}

const FORESEEN = {
  transactions: combinations(TX_TYPES, TX_STATUSES, DIRECTIONS),
  fees: combinations(TX_TYPES, ROLES),
  assetEvents: combinations(ASSET_CLASSES, ACTIONS),
};

/** Samples of one address. */
export function* addressSamples(
  { totals, facts, hasDetail, hasTransfers, zeros }: AddressKnown,
  of: AddressLabels,
  group: string,
  free: Labels,
): Iterable<Sample> {
  // The families share the labels of the identity, so one shape of `at` serves all of them.
  type Any = { at(labels: Labels, value: number | bigint | Histogram<bigint>): Sample };
  const one = (family: unknown, value: number | bigint, labels: Labels = {}) =>
    (family as Any).at({ ...of, ...labels }, value);
  function* each<Value extends number | bigint | Histogram<bigint>>(
    family: Family,
    sums: Readonly<Record<string, Value>>,
    names: readonly string[],
    foreseen: readonly string[],
    zero: Value,
  ): Iterable<Sample> {
    const keys = zeros ? new Set([...foreseen, ...Object.keys(sums)]) : Object.keys(sums);
    for (const key of keys) {
      const values = valuesOf(key);
      const labels = Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
      yield (family as Any).at({ ...of, ...labels }, sums[key] ?? zero);
    }
  }
  const sample = one(families.info, 1, { group, kind: of.address.includes(".") ? "contract" : "account" });
  yield { ...sample, labels: { ...free, ...sample.labels } };

  yield one(families.indexed, facts.total);
  for (const [direction, { value }] of Object.entries(facts.lastTimes))
    yield one(families.lastTime, value, { direction });
  if (facts.last !== undefined) yield one(families.lastHeight, facts.last.height);
  for (const [role, { value }] of Object.entries(facts.nonces)) yield one(families.nonce, value, { role });
  for (const [state, count] of Object.entries(facts.pending)) yield one(families.pending, count, { state });
  yield one(families.backlog, facts.backlog);
  yield one(families.netFlow, totals.received - totals.sent);

  yield* each(
    families.transactions,
    totals.transactions,
    ["tx_type", "tx_status", "direction"],
    FORESEEN.transactions,
    0,
  );
  yield one(families.sent, totals.sent);
  yield one(families.received, totals.received);
  yield* each(families.fees, totals.fees, ["tx_type", "role"], FORESEEN.fees, 0n);
  yield* each(families.feeSizes, totals.feeSizes, ["tx_type"], TX_TYPES, emptyHistogram(FEE_BOUNDS, 0n));
  yield* each(families.sponsored, totals.sponsored, ["role"], ROLES, 0);
  yield one(families.reverted, totals.reverted);
  yield one(families.restored, totals.restored);
  yield one(families.gap, totals.gap);
  yield* each(families.irregularities, totals.irregularities, ["kind"], Object.keys(IRREGULARITIES), 0);

  if (hasTransfers) {
    yield* each(families.stxTransfers, totals.stxTransfers, ["direction"], TRANSFER_DIRECTIONS, 0);
    yield* each(families.stxAmounts, totals.stxAmounts, ["direction"], TRANSFER_DIRECTIONS, 0n);
    yield* each(
      families.stxSizes,
      totals.stxSizes,
      ["direction"],
      TRANSFER_DIRECTIONS,
      emptyHistogram(TRANSFER_BOUNDS, 0n),
    );
    const keys = ({ own }: Slots) => combinations(Object.keys(own), TRANSFER_DIRECTIONS);
    yield* each(families.ftTransfers, totals.ftTransfers, ["asset", "direction"], keys(totals.assets.ft), 0);
    yield* each(families.ftAmounts, totals.ftAmounts, ["asset", "direction"], keys(totals.assets.ft), 0n);
    yield* each(families.nftTransfers, totals.nftTransfers, ["asset", "direction"], keys(totals.assets.nft), 0);
    yield* each(families.overflow, totals.overflow, ["asset_class"], ["ft", "nft"], 0);
  }
  if (hasDetail || hasTransfers) {
    yield* each(families.assetEvents, totals.assetEvents, ["asset_class", "action"], FORESEEN.assetEvents, 0);
  }
  if (hasDetail) {
    const conditions = ["mode", "condition_type", "condition_code", "principal_type"];
    yield* each(families.postConditions, totals.postConditions, conditions, [], 0);
    yield* each(families.unprotected, totals.unprotected, ["tx_type"], TX_TYPES, 0);
    yield one(families.eventsEmitted, totals.eventsEmitted);
    yield* each(families.cost, totals.cost, ["dimension"], DIMENSIONS, 0);
  }
}
