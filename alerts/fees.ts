// The fee market: fees of mined and waiting transactions relative to their usual levels, and alerts on the difference.

import { sentLately } from "./addresses.ts";
import { grown } from "./grown.ts";
import type { Alert, Check, Recording, Subject } from "./model.ts";
import { acrossShards, onNetwork, quoted, recorded, series } from "./series.ts";
import { FEES, MICRO, seconds, WINDOWS } from "./thresholds.ts";
import { limitsOf } from "./values.ts";

const { baseline, capacity } = FEES;

const minSamples = seconds(baseline.minHistory) / seconds(baseline.interval);
const lastOf = (rule: Recording) => `last_over_time(${rule.record}[${baseline.staleness}])`;

// The backlog sums the waiting transactions itself; only the baseline needs the recorded sum.
const waitingNow = `sum without (tx_type) (${series("stacks_mempool_transactions")})`;
const waiting: Recording = {
  record: "stacks:mempool_transactions:sum",
  about: "Waiting transactions of all types.",
  expr: waitingNow,
  labels: ["network"],
};
const waitingBaseline: Recording = {
  record: `stacks:mempool_transactions:baseline${baseline.window}`,
  about: `Usual number of waiting transactions: the median over ${baseline.window}. Absent until there is
    ${baseline.minHistory} of history.`,
  expr: `quantile_over_time(0.5, ${waiting.record}[${baseline.window}])
and count_over_time(${waiting.record}[${baseline.window}]) >= ${minSamples}`,
  labels: ["network"],
};
const budget: Recording = {
  record: "stacks:chain_budget_capacity:transactions",
  about: `Transactions of a budget: those of the last ${capacity.window}, divided by the number of budgets whose limit
    they would use, in the fullest dimension. A new tenure or an extend renews the budget.`,
  expr: `rate(${series("stacks_chain_transactions_total")}[${capacity.window}]) / max without (dimension) (rate(${series("stacks_chain_execution_cost_total")}[${capacity.window}]) / ${series("stacks_chain_tenure_execution_cost_limit")})`,
  labels: ["network"],
};
const ratio: Recording = {
  record: "stacks:chain_mined_fee_microstx:ratio",
  about: "25th percentile of the fees of mined transactions, divided by its usual level, by type.",
  expr: `${series("stacks_chain_mined_fee_microstx", { percentile: "p25" })} / ${series("stacks_chain_mined_fee_baseline_microstx", { percentile: "p25" })}`,
  labels: ["network", "tx_type", "percentile"],
};
const backlog: Recording = {
  record: "stacks:mempool_backlog:budgets",
  about: "Backlog: waiting transactions beyond the usual number, divided by the transactions of a budget.",
  expr: `(${waitingNow} - ${lastOf(waitingBaseline)}) / ${lastOf(budget)}`,
  labels: ["network"],
};

const SEE = {
  ratio: ["Fee of mined transactions relative to the usual fee, by type.", recorded(ratio)],
  fees: [
    "Fees of mined transactions by type and percentile, in microSTX.",
    series("stacks_chain_mined_fee_microstx", { tx_type: `~${FEES.types.join("|")}` }),
  ],
  estimate: ["Fee estimates by type and target, in microSTX.", series("stacks_fee_estimate_microstx")],
  contracts: ["Calls of the busiest contracts in the last 10 minutes.", series("stacks_chain_recent_contract_calls")],
  backlog: ["Backlog in budgets.", backlog.record],
} as const satisfies Readonly<Record<string, Check>>;

const limits = limitsOf("StacksFeeSpike");

/** What a transaction of a type pays now, and usually. */
const priceOf = (tx_type: string): string =>
  quoted(
    series("stacks_fee_estimate_microstx", { tx_type, target: "10m" }),
    ` A ${tx_type} is mined within 10 minutes for {{ . }} STX.`,
  ) +
  quoted(
    series("stacks_chain_mined_fee_baseline_microstx", { tx_type, percentile: "p25" }),
    " Its usual fee is {{ . }} STX.",
  );
const spike: Alert = {
  alert: "StacksFeeSpike",
  severity: "warning",
  expr: `max without (tx_type, percentile) (${recorded(ratio, { tx_type: `~${FEES.types.join("|")}` })}) > ${limits.feeRatio}
unless ${onNetwork} ${backlog.record} <= ${limits.budgets}`,
  summary: `Fees on {{ $labels.network }} are more than ${limits.feeRatio} times the usual`,
  description: `Three quarters of the contract calls, or of the transfers, that were mined lately paid more than
    {{ $value | humanize }} times the usual fee.`,
  prices: FEES.types.map(priceOf).join(""),
  runbook: {
    meaning: `The 25th percentile of the fees of mined contract calls, or of transfers, is more than
      ${limits.feeRatio} times its usual level (samples of seven days), and the backlog is more than ${limits.budgets}
      budgets or unknown. It reads the last 10 minutes, the newest 30 transactions of the type if those are more, or
      the newest 20 if those pay over 5 times as much. Transactions with the
      usual fee wait.`,
    check: [SEE.ratio, SEE.estimate, SEE.contracts, SEE.backlog],
    actions: [
      "Pay the estimate of the type for urgent transactions (target 10m or 1h). Hold back others.",
      "To speed up a waiting transaction, send it again with the same nonce and a higher fee.",
    ],
  },
};

const { transferStx, callStx } = limitsOf("StacksFeeAbsolute");
const BUDGETS = { token_transfer: transferStx, contract_call: callStx };
const budgets = Object.entries(BUDGETS)
  .map(([type, budget]) => `${type} ${budget} STX`)
  .join(", ");
const absolute: Alert = {
  alert: "StacksFeeAbsolute",
  severity: "warning",
  expr: Object.entries(BUDGETS)
    .map(
      ([tx_type, budget]) =>
        `${series("stacks_chain_mined_fee_microstx", { tx_type, percentile: "p50" })} / ${MICRO} > ${budget}`,
    )
    .join("\nor "),
  summary: "A {{ $labels.tx_type }} on {{ $labels.network }} costs more than the budget",
  description: 'The median fee of a mined {{ $labels.tx_type }} is {{ printf "%.3f" $value }} STX.',
  runbook: {
    meaning: `The median fee of the mined transactions of a type exceeds its budget: ${budgets}. New transactions cost
      more than the budget, independent of the usual level.`,
    check: [SEE.fees, SEE.ratio],
    actions: [
      "Hold back transactions that are not urgent.",
      "If the limit is outdated, change it in the values of the rules, and load them again.",
    ],
  },
};

const own = limitsOf("StacksOwnFeeAboveMarket");
const ownFees = series("stacks_address_fees_paid_microstx_total", { role: "sender" });
const paidFees = `sum without (role) (${grown(ownFees, series("stacks_address_info"), WINDOWS.usual)})`;
const payments = `sum without (tx_status) (${recorded(sentLately)})`;
const paid = `${paidFees} / ${payments}`;
const marketFee = series("stacks_chain_mined_fee_microstx", { percentile: "p50" });
const ownFee: Alert = {
  alert: "StacksOwnFeeAboveMarket",
  severity: "warning",
  expr: `${paid}
/ ${acrossShards("network", "tx_type")} group_left ()
max without (instance, percentile) (quantile_over_time(0.5, ${marketFee}[${WINDOWS.usual}])) > ${own.feeRatio}
and round(${payments}) >= ${own.minTransactions}`,
  summary: "{{ $labels.name }} pays far more than the market on {{ $labels.network }}",
  description: `The mean fee that {{ $labels.name }} paid for {{ $labels.tx_type }} in the last hour is {{ $value |
    humanize }} times what others paid.`,
  runbook: {
    meaning: `The mean fee that the address paid within ${WINDOWS.usual} is more than ${own.feeRatio} times
      the median of all mined transactions of the type (at least ${own.minTransactions}). Transactions that a
      sponsor paid for lower the mean.`,
    check: [
      ["Mean fee that the address paid, by type, in microSTX.", paid],
      ["Median fee of all mined transactions by type, in microSTX.", marketFee],
    ],
    actions: [
      "Check how the sender chooses its fee: often it is a constant, or priority high.",
      "Set an upper limit, or use the fees of mined transactions.",
    ],
  },
};

/** Rules for the fee market. */
export const fees: Subject = {
  name: "fees",
  board: "stacks-fees",
  title: "Fees and the mempool",
  baselines: [waiting, waitingBaseline, budget],
  recordings: [ratio, backlog],
  alerts: [spike, absolute, ownFee],
};
