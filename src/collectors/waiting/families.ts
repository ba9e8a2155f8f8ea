// The metric families of the collector `waiting`.
import { ofAddress } from "../subjects.ts";
import { MEMPOOL_TX_TYPES, OTHER } from "../values.ts";

/** From the point of view of the address: it sends, or it receives. */
export const DIRECTIONS = ["in", "out"] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Why a transaction waits no longer without being mined. */
export const REMOVALS = ["replaced", "dropped"] as const;

const LISTS = "GET /extended/v3/mempool/transactions and GET /extended/v3/principals/{principal}/mempool/transactions";
const listed = (fields: string) => `${fields} of ${LISTS}, polled`;
const NONCES = `${listed("sender.nonce").replace(", polled", "")}, and last_confirmed_nonce of GET /extended/v3/principals/{principal}/nonces, polled`;
const direction = {
  about: "from the point of view of the address: it sends (out), or receives or is called (in)",
  values: DIRECTIONS,
};
const tx_type = { about: "type of the transaction", values: [...MEMPOOL_TX_TYPES, OTHER] };

/** The gauges, in the order of the metrics page. */
export const gauges = {
  transactions: ofAddress.gauge({
    name: "stacks_address_mempool_transactions",
    help: "Waiting transactions of the address. Absent when there are more than can be read.",
    source: listed("type, sender, token_transfer.recipient, contract_call.contract_id"),
    labels: { direction, tx_type },
  }),
  oldest: ofAddress.gauge({
    name: "stacks_address_mempool_oldest_receipt_timestamp_seconds",
    help: "When the API received the waiting transaction that has waited for the longest time. Unix time. Absent when nothing waits.",
    source: listed("receipt_time"),
    labels: { direction },
  }),
  nextFee: ofAddress.gauge({
    name: "stacks_address_mempool_next_fee_microstx",
    help:
      "Fee of the waiting transaction with the lowest nonce that the address sends: the others wait for it. In " +
      "microSTX. Compare with stacks_fee_estimate_microstx. Absent when nothing waits.",
    source: listed("fee_rate"),
    labels: { tx_type },
  }),
  missingNonce: ofAddress.gauge({
    name: "stacks_address_missing_nonce",
    help: "Lowest nonce that is neither mined nor waiting, while a higher one waits. Absent when no nonce is missing.",
    source: NONCES,
  }),
  blocked: ofAddress.gauge({
    name: "stacks_address_mempool_blocked_transactions",
    help: "Waiting transactions that the missing nonce blocks: those with a higher one. Absent when no nonce is missing.",
    source: NONCES,
  }),
};

/** Counts removed transactions. */
export const removed = ofAddress.counter({
  name: "stacks_address_mempool_removed_transactions_total",
  help:
    "Transactions that waited and were removed without being mined: replaced by one with the same nonce, or dropped. " +
    "Each counts once.",
  source: listed("tx_id, sender.nonce"),
  labels: { direction, reason: { about: "why it was removed", values: REMOVALS } },
});
