// Alerts on waiting transactions of watched addresses: old ones, and missing nonces.
import { unreadFor } from "./freshness.ts";
import { onAddress } from "./grown.ts";
import type { Alert } from "./model.ts";
import { estimated, onNetwork, series, withChain } from "./series.ts";
import { limitsOf, scaled } from "./values.ts";

const old = limitsOf("StacksAddressTransactionStuck");
const nonceGap = limitsOf("StacksAddressNonceGap");

const age = `time() - sum without (direction) (${series("stacks_address_mempool_oldest_receipt_timestamp_seconds", { direction: "out" })})`;
const missing = series("stacks_address_missing_nonce");
const blocked = series("stacks_address_mempool_blocked_transactions");
const nextFee = series("stacks_address_mempool_next_fee_microstx");
const estimate = series("stacks_fee_estimate_microstx", { target: "1h" });
const isOld = `${age} > ${onNetwork} group_left () (${unreadFor("waiting")} + ${scaled(old.minutes, 60)})`;
// Of its type: calls and transfers have prices of their own.
const isLow = `${nextFee} < ${withChain(estimate, "tx_type")}`;

const transactionStuck: Alert = {
  alert: "StacksAddressTransactionStuck",
  severity: "warning",
  expr: `label_replace(${isOld} and ${onAddress} (${isLow}), "fee", "low", "", "")
or ${onAddress}
label_replace(${isOld}, "fee", "usual", "", "")`,
  summary: "A transaction of {{ $labels.name }} on {{ $labels.network }} is not mined",
  description:
    "It has waited for {{ $value | humanizeDuration }}. Fee of the transaction that is next: {{ $labels.fee }}.",
  queried: ["token_transfer", "contract_call"].map(estimated).join(""),
  runbook: {
    meaning: `A transaction that the address has sent waits for more than ${old.minutes} minutes and the time between two
      polls, and all later ones wait for it. The label \`fee\` is \`low\` if the one with the lowest nonce pays less
      than the estimate of its type for an hour, otherwise \`usual\`, as are types without an estimate.`,
    check: [
      ["Time since its oldest waiting transaction was received, in seconds.", age],
      ["Fee of the waiting transaction with its lowest nonce, in microSTX.", nextFee],
    ],
    actions: [
      "Fee `low`: replace the transaction with the lowest nonce by one with the same nonce and a higher fee.",
      "Fee `usual`: check in an explorer whether it is known, and send it again if it is not.",
    ],
  },
};

const nonceMissing: Alert = {
  alert: "StacksAddressNonceGap",
  severity: "critical",
  expr: `${missing}
and ${onAddress} ${blocked} >= ${nonceGap.transactions}`,
  summary: "Transactions of {{ $labels.name }} on {{ $labels.network }} are blocked by a missing nonce",
  description: 'Nonce {{ printf "%.0f" $value }} is missing: all later transactions of the address wait for it.',
  runbook: {
    meaning: `The address has sent transactions, but not the one before them: its nonce is neither mined nor
      waiting. No later transaction is mined until it is sent; this does not end by itself.`,
    check: [
      ["The lowest missing nonce.", missing],
      ["Transactions that the missing nonce blocks.", blocked],
    ],
    actions: [
      "Send the missing transaction again, with the same nonce.",
      "If it is no longer wanted, send a transfer to yourself with this nonce, at a usual fee.",
      "Stop the sending program until then: each further transaction waits, too.",
    ],
  },
};

/** The alerts on waiting transactions. */
export const waitingAlerts: readonly Alert[] = [nonceMissing, transactionStuck];
