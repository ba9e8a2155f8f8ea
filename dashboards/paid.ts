// Row of the dashboard Fees & mempool: what watched addresses paid.
import { sentLately } from "../alerts/addresses.ts";
import { grown } from "../alerts/grown.ts";
import { FEES } from "../alerts/thresholds.ts";
import { TX_TYPES } from "./colours.ts";
import { lines, type Panel } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, metric, recording, totalOfPrincipals } from "./select.ts";

/** Fees that watched addresses paid. */
export const paidRow: readonly Panel[] = [
  lines({
    id: 42,
    title: "Paid fees relative to offered fees",
    interval: "5m",
    legend: "right",
    description: `Mean fee that watched addresses paid within an hour, divided by priority low of the same type. Types
      with fewer than ${FEES.own.minTransactions} transactions are not shown. StacksOwnFeeAboveMarket compares the
      mean of each address: see the dashboard Addresses.`,
    unit: "none",
    decimals: 2,
    noValue: "Watched addresses paid too few fees within an hour",
    width: 12,
    height: 9,
    axis: "times priority low",
    min: 0,
    queries: [
      {
        expr: `(${totalOfPrincipals("tx_type", grown(metric("stacks_address_fees_paid_microstx_total", { role: "sender" }), metric("stacks_address_info"), FEES.own.window))} / (${totalOfPrincipals("tx_type", recording(sentLately.record))} >= ${FEES.own.minTransactions})) / on (tx_type) ${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "low" }))}`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
    link: runbook("StacksOwnFeeAboveMarket"),
  }),
];
