// The metric families of watched addresses, and the samples of one address. Pure.
import { counter, type Family, gauge, type Sample } from "../../exposition/family.ts";
import { valuesOf } from "../counters.ts";
import { type GroupSum, groupSum } from "../group-families.ts";
import { OTHER, TX_STATUSES, TX_TYPES } from "../labels.ts";
import type { AddressTarget, Observation } from "./state.ts";
import { DIRECTIONS, IRREGULARITIES, ROLES } from "./totals.ts";
import { TRANSFER_DIRECTIONS } from "./transfer-source.ts";

/** The labels of every family of a watched address. */
export const identity = {
  network: "name of the network",
  name: "name of the address in the configuration",
  address: "the principal",
};
const V3 = "its replacement GET /extended/v3/principals/{principal}/transactions";
/** The source of transfers. */
export const TRANSFERS =
  "GET /extended/v1/address/{principal}/transactions_with_transfers, or " +
  "its replacement GET /extended/v3/transactions/{tx_id}/events, polled";
const list = (fields: string) => `${fields} of GET /extended/v2/addresses/{address}/transactions, or ${V3}, polled`;
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
  lastTime: gauge({
    name: "stacks_address_last_transaction_timestamp_seconds",
    help: "Block time of the newest transaction seen, at any depth. Unix time. Absent until the first one.",
    source: list("tx.block_time"),
    unit: "seconds",
    labels: { ...identity, direction },
  }),
  pending: gauge({
    name: "stacks_address_pending_depth_transactions",
    help: "Transactions that wait for confirmations. The state unanchored is absent while there is none.",
    source: list("tx.block_height, tx.is_unanchored"),
    labels: { ...identity, state: { about: "why they wait", values: ["unanchored", "below_depth"] } },
  }),
  backlog: gauge({
    name: "stacks_address_backlog_transactions",
    help: "Confirmed transactions that are not counted yet: unread, or without transfers or a proof of their block.",
    source: list("results"),
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
  stxAmounts: counter({
    name: "stacks_address_stx_transfer_microstx_total",
    help: "Amount of STX transfers, mints and burns, without fees. In microSTX.",
    source: transfers("stx_transfers.amount"),
    unit: "microstx",
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
    help: "Fungible tokens transferred, minted or burnt, in base units. Summed exactly, rounded in the exposition.",
    source: transfers("ft_transfers.amount"),
    labels: { ...identity, asset, direction: transferDirection },
  }),
  nftTransfers: counter({
    name: "stacks_address_nft_transfers_total",
    help: "Transfers, mints and burns of non-fungible tokens in counted transactions.",
    source: transfers("nft_transfers"),
    labels: { ...identity, asset, direction: transferDirection },
  }),
  unprotected: counter({
    name: "stacks_address_unprotected_transactions_total",
    help: "Counted transactions that the address sent in mode allow without any post-condition.",
    source: "tx.post_conditions, tx.post_condition_mode of GET /extended/v2/addresses/{address}/transactions, polled",
    labels: { ...identity, tx_type: txType },
  }),
  reverted: counter({
    name: "stacks_address_reverted_transactions_total",
    help: "Counted transactions whose block was replaced by a confirmed block. Other counters are not lowered.",
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
    labels: { ...identity, kind: { about: "kind of irregularity", values: IRREGULARITIES } },
  }),
  overflow: counter({
    name: "stacks_address_label_overflow_total",
    help: "Transfers counted as other: their asset is invalid, exceeds max_assets or max_series, or lost its series.",
    source: transfers("ft_transfers, nft_transfers"),
    labels: { ...identity, asset_class: { about: "kind of asset", values: ["ft", "nft"] } },
  }),
};

/** The families with sums for groups with `export: group`. */
export const addressSums: readonly GroupSum[] = [
  groupSum(families.transactions),
  groupSum(families.sent),
  groupSum(families.received),
];

/** Every family of a watched address, in the order of the metrics page. */
export const addressFamilies: readonly Family[] = Object.values(families);

// The families of totals, by the operations that they need. A family has the name of its total.
const LIST_TOTALS = [
  ...(["transactions", "sent", "received", "fees"] as const),
  ...(["reverted", "restored", "gap", "irregularities"] as const),
];
const TRANSFER_TOTALS = ["stxAmounts", "ftTransfers", "ftAmounts", "nftTransfers", "overflow"] as const;

/** Totals that have a series from the first poll: one each, and `increase()` sees their first change. */
const WITH_ZERO: readonly string[] = ["sent", "received"];

/** The labels of a family besides the identity of the address. */
const ownLabels = (family: Family) => family.labelNames.slice(Object.keys(identity).length);

/** Samples of one address. */
export function* addressSamples(
  { totals, facts, isNew, hasTransfers }: Pick<Observation, "totals" | "facts" | "isNew" | "hasTransfers">,
  network: string,
  { watched, named = [] }: Pick<AddressTarget, "watched" | "named">,
): Iterable<Sample> {
  const { name, principal, group, labels: additional, isSummed = false } = watched;
  const labels = { network, name, address: principal };
  /** Samples of a total. Label sets that have not occurred have none. */
  function* total(name: keyof typeof families & keyof typeof totals): Iterable<Sample> {
    const family: Family = families[name];
    const value = totals[name];
    if (typeof value !== "object") {
      if (value > 0 || WITH_ZERO.includes(name)) yield family.at(labels, value);
      return;
    }
    const names = ownLabels(family);
    for (const [key, of] of Object.entries<number | bigint>(value)) {
      if (of <= 0) continue;
      const parts = valuesOf(key);
      // Other assets of two members can differ, and move to `other`: they have no sum.
      if (isSummed && names[0] === "asset" && !named.includes(parts[0] ?? "")) continue;
      const own = Object.fromEntries(names.map((label, index) => [label, parts[index] ?? ""]));
      yield family.at({ ...labels, ...own }, of);
    }
  }

  const info = families.info.at({ ...labels, group, kind: principal.includes(".") ? "contract" : "account" }, 1);
  yield { ...info, labels: { ...additional, ...info.labels } };
  for (const [direction, { value }] of Object.entries(facts.lastTimes)) {
    yield families.lastTime.at({ ...labels, direction }, value);
  }
  for (const [state, count] of Object.entries(facts.pending)) {
    if (count > 0 || state === "below_depth") yield families.pending.at({ ...labels, state }, count);
  }
  yield families.backlog.at(labels, facts.backlog);

  for (const name of LIST_TOTALS) yield* total(name);
  // The replacement of `address_transactions` has no post-conditions.
  if (!isNew) yield* total("unprotected");
  if (hasTransfers) for (const name of TRANSFER_TOTALS) yield* total(name);
}
