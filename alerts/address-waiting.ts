// Alerts on waiting transactions of watched addresses: old ones, and missing nonces.
import { whileActive } from "./freshness.ts";
import { onAddress } from "./grown.ts";
import type { Alert } from "./model.ts";
import { ofChain, series } from "./series.ts";
import { seconds, WAITING } from "./thresholds.ts";

const { stuck: old, nonceGap } = WAITING;

const age = `time() - sum without (direction) (${series("stacks_address_mempool_oldest_receipt_timestamp_seconds", { direction: "out" })})`;
const blocked = series("stacks_address_mempool_blocked_transactions");
const nextFee = series("stacks_address_mempool_next_fee_microstx");
const estimate = series("stacks_fee_estimate_microstx", { tx_type: "all", target: "1h" });
const isOld = `${age} > ${seconds(old.after)}`;
const isLow = `${nextFee} < ${ofChain} group_left () max without (instance, tx_type, target) (${estimate})`;

const SHOWN = {
  age: { shows: "Time since its oldest waiting transaction was received, in seconds.", query: age },
  waiting: {
    shows: "Waiting transactions that it sends, by type.",
    query: series("stacks_address_mempool_transactions", { direction: "out" }),
  },
  fee: { shows: "Fee of the waiting transaction with its lowest nonce, in microSTX.", query: nextFee },
  missing: { shows: "The lowest missing nonce.", query: series("stacks_address_missing_nonce") },
  removed: {
    shows: "Transactions of the last day that were replaced or dropped.",
    query: `increase(${series("stacks_address_mempool_removed_transactions_total", { direction: "out" })}[1d]) > 0`,
  },
} as const;

const transactionStuck: Alert = {
  alert: "StacksAddressTransactionStuck",
  severity: "warning",
  expr: `(
label_replace(${isOld} and ${onAddress} (${isLow}), "fee", "low", "", "")
or ${onAddress}
label_replace(${isOld}, "fee", "usual", "", "")
)
${whileActive("waiting")}`,
  for: old.for,
  keepFiringFor: old.keepFiringFor,
  summary: "A transaction of {{ $labels.name }} on {{ $labels.network }} is not mined",
  description:
    "It has waited for {{ $value | humanizeDuration }}. Fee of the transaction that is next: {{ $labels.fee }}.",
  runbook: {
    meaning: `A transaction that the address has sent waits for more than ${old.after}. The label \`fee\` is \`low\` if the
      transaction with the lowest nonce pays less than the estimate to be mined within an hour, otherwise \`usual\`.`,
    impact: "The withdrawal or call has no effect yet, and all later transactions of the address wait for it.",
    diagnosis: [
      SHOWN.age,
      SHOWN.fee,
      { shows: "Fee to be mined within an hour, in microSTX.", query: estimate },
      SHOWN.waiting,
      {
        shows: "Time since the newest block, in seconds.",
        query: `time() - ${series("stacks_chain_block_timestamp_seconds")}`,
      },
    ],
    actions: [
      "Fee `low`: replace the transaction with the lowest nonce by one with the same nonce and a higher fee.",
      "Fee `usual`: check in an explorer whether the transaction is known, and send it again if it is not.",
      "If it is no longer wanted, replace it by a transfer to yourself with the same nonce and a higher fee.",
    ],
  },
};

const nonceMissing: Alert = {
  alert: "StacksAddressNonceGap",
  severity: "critical",
  expr: `${series("stacks_address_missing_nonce")}
and ${onAddress} ${blocked} >= ${nonceGap.transactions}`,
  for: nonceGap.for,
  keepFiringFor: nonceGap.keepFiringFor,
  summary: "Transactions of {{ $labels.name }} on {{ $labels.network }} are blocked by a missing nonce",
  description: 'Nonce {{ printf "%.0f" $value }} is missing: all later transactions of the address wait for it.',
  runbook: {
    meaning: `The address has sent transactions, but not the one before them: its nonce is neither mined nor waiting. It
      was never sent, the API has not received it, or it was dropped.`,
    impact:
      "No withdrawal with a higher nonce is mined until a transaction with this nonce is. It does not end by itself.",
    diagnosis: [
      SHOWN.missing,
      {
        shows: "Transactions that the missing nonce blocks.",
        query: blocked,
      },
      SHOWN.age,
      SHOWN.removed,
    ],
    actions: [
      "Send the missing transaction again, with the same nonce.",
      "If it is no longer wanted, send a transfer to yourself with the missing nonce, at a usual fee.",
      "Stop the sending program until then if it counts nonces itself: each further transaction waits, too.",
    ],
  },
};

/** The alerts on waiting transactions. */
export const waitingAlerts: readonly Alert[] = [nonceMissing, transactionStuck];
