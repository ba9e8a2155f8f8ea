// The metric families of watched addresses.
import { type GroupSum, groupSum, ofAddress } from "../subjects.ts";
import { OTHER, TX_STATUSES, TX_TYPES } from "../values.ts";
import { DIRECTIONS } from "./source.ts";
import { TRANSFER_DIRECTIONS } from "./transfers.ts";

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
const role = { about: "role of the address, which pays the fee", values: ["sender", "sponsor"] };
const transferDirection = { about: "direction from the point of view of the address", values: TRANSFER_DIRECTIONS };
const asset = "identifier of the asset; other beyond max_assets, and for identifiers that are not valid";

/** Invalid or inconsistent responses that do not fail the poll. */
const IRREGULARITIES = [
  // An amount or fee of a transaction is not a whole number: the transaction is counted without it.
  "bad_amount",
  // No operation returned the transfers of a transaction: it is counted without them.
  "transfers_missing",
];

/** The families, in the order of the metrics page. */
export const families = {
  lastTime: ofAddress.gauge({
    name: "stacks_address_last_transaction_timestamp_seconds",
    help: "Block time of the newest transaction seen, at any depth. Unix time. Absent until the first one.",
    source: list("tx.block_time"),
    labels: { direction },
  }),
  pending: ofAddress.pending("transactions", list("tx.block_height")),
  backlog: ofAddress.gauge({
    name: "stacks_address_backlog_transactions",
    help: "Confirmed transactions that are not counted yet: unread, or without their transfers. An estimate while unread.",
    source: list("results"),
  }),
  transactions: ofAddress.counter({
    name: "stacks_address_transactions_total",
    help: "Transactions of the address. Each counts once, when it has the configured confirmations.",
    source: list("tx.tx_type, tx.tx_status, tx.sender_address, tx.sponsor_address"),
    labels: {
      tx_type: txType,
      tx_status: { about: "status of the transaction", values: [...TX_STATUSES, OTHER] },
      direction,
    },
  }),
  sent: ofAddress.counter({
    name: "stacks_address_sent_microstx_total",
    help: "STX sent by the address in counted transactions, including fees. In microSTX.",
    source: list("stx_sent"),
  }),
  received: ofAddress.counter({
    name: "stacks_address_received_microstx_total",
    help: "STX received by the address in counted transactions. In microSTX.",
    source: list("stx_received"),
  }),
  fees: ofAddress.counter({
    name: "stacks_address_fees_paid_microstx_total",
    help: "Fees of counted transactions that the address paid, as sender or as sponsor. In microSTX.",
    source: list("tx.fee_rate"),
    labels: { tx_type: txType, role },
  }),
  stxAmounts: ofAddress.counter({
    name: "stacks_address_stx_transfer_microstx_total",
    help: "Amount of STX transfers, mints and burns, without fees. In microSTX.",
    source: transfers("stx_transfers.amount"),
    labels: { direction: transferDirection },
  }),
  ftTransfers: ofAddress.counter({
    name: "stacks_address_ft_transfers_total",
    help: "Transfers, mints and burns of fungible tokens in counted transactions.",
    source: transfers("ft_transfers"),
    labels: { asset, direction: transferDirection },
  }),
  ftAmounts: ofAddress.counter({
    name: "stacks_address_ft_transfer_units_total",
    help: "Fungible tokens transferred, minted or burnt, in base units. Summed exactly, rounded in the exposition.",
    source: transfers("ft_transfers.amount"),
    labels: { asset, direction: transferDirection },
  }),
  nftTransfers: ofAddress.counter({
    name: "stacks_address_nft_transfers_total",
    help: "Transfers, mints and burns of non-fungible tokens in counted transactions.",
    source: transfers("nft_transfers"),
    labels: { asset, direction: transferDirection },
  }),
  ...ofAddress.reversals("transactions", list("tx.block_hash")),
  irregularities: ofAddress.counter({
    name: "stacks_address_irregularities_total",
    help: "Invalid or inconsistent responses about the address.",
    source: list("results"),
    labels: { kind: { about: "kind of irregularity", values: IRREGULARITIES } },
  }),
};

/** The families with sums for groups in `summed_groups`. */
export const addressSums: readonly GroupSum[] = [
  groupSum(families.transactions),
  groupSum(families.sent),
  groupSum(families.received),
];
