// The row of the dashboard Addresses about waiting transactions.
import { limitsOf } from "../alerts/values.ts";
import { level, lines, type Panel, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, metric, perPrincipal, total } from "./select.ts";

const STUCK = level(limitsOf("StacksAddressTransactionStuck").minutes, 60);
const NOT_FOLLOWED = "No address is followed: set waiting";

/**
 * The panels.
 * @param watched a series of the selected addresses
 * @param grouped restricts an expression to the selected groups
 */
export function waitingPanels(
  watched: (family: string, matchers?: Readonly<Record<string, string>>) => string,
  grouped: (expr: string) => string,
): readonly Panel[] {
  const receipt = watched("stacks_address_mempool_oldest_receipt_timestamp_seconds", { direction: "out" });
  const fee = watched("stacks_address_mempool_next_fee_microstx");
  const estimate = metric("stacks_fee_estimate_microstx", { target: "1h" });
  const waiting = (direction: string) => watched("stacks_address_mempool_transactions", { direction });
  const removed = watched("stacks_address_mempool_removed_transactions_total");
  const share = `${fee} / on (network, tx_type) group_left () max by (network, tx_type) (${estimate})`;
  return [
    table({
      id: 81,
      title: "Waiting transactions",
      description: `Transactions in the mempool that each address sends or receives. A missing nonce blocks all later
        transactions of the address. Fee: that of the transaction with the lowest nonce, divided by the estimate of its
        type for an hour.`,
      decimals: 0,
      noValue: NOT_FOLLOWED,
      width: 24,
      labels: ["name", "network"],
      values: {
        sent: grouped(total("network, name", waiting("out"))),
        oldest: grouped(`time() - ${perPrincipal(receipt)}`),
        "missing nonce": grouped(perPrincipal(watched("stacks_address_missing_nonce"))),
        blocked: grouped(perPrincipal(watched("stacks_address_mempool_blocked_transactions"))),
        "fee of estimate": grouped(perPrincipal(share)),
        received: grouped(total("network, name", waiting("in"))),
        "replaced or dropped": grouped(total("network, name", `increase(${removed}[$__range])`)),
      },
      sortBy: "-oldest",
      overrides: [
        { name: "oldest", properties: { unit: "s", decimals: 0, ...redFrom(STUCK) } },
        { name: "missing nonce", properties: { unit: "none", ...redFrom(0) } },
        { name: "fee of estimate", properties: { unit: "percentunit", ...redFrom(0, 1) } },
      ],
      link: runbook("StacksAddressNonceGap"),
    }),
    lines({
      id: 82,
      title: "Age of the oldest transaction",
      description: `Time since the API received the oldest transaction that the address sends and that waits. Above the
        limit, StacksAddressTransactionStuck fires.`,
      unit: "s",
      noValue: "Nothing waits",
      width: 24,
      limit: STUCK,
      queries: { "{{name}}": grouped(`time() - ${dedupe(receipt)}`) },
      link: runbook("StacksAddressTransactionStuck"),
    }),
  ];
}

/** Colours the text red from a value upwards, up to another one. */
const redFrom = (value: number, end?: number) => ({
  "custom.cellOptions": { type: "color-text" },
  thresholds: {
    mode: "absolute",
    steps: [
      { value: null, color: "text" },
      { value, color: "red" },
      ...(end === undefined ? [] : [{ value: end, color: "text" }]),
    ],
  },
});
