// The fee market: fees of mined and waiting transactions relative to their usual levels, and alerts on the difference.

import { sentLately } from "./addresses.ts";
import { grown } from "./grown.ts";
import { type Alert, type Check, type Recording, type Subject, times } from "./model.ts";
import { onNetwork, recorded, series } from "./series.ts";
import { type Duration, FEES, MICRO, seconds } from "./thresholds.ts";

const { baseline, blockUsage, capacity } = FEES;

const fee = series("stacks_mempool_fee_priority_microstx");
const feeLabels = ["network", "tx_type", "priority"];
const minSamples = seconds(baseline.minHistory) / seconds(baseline.interval);
const medianOf = (range: string) => `quantile_over_time(0.5, ${range})
and count_over_time(${range}) >= ${minSamples}`;
const lastOf = (rule: Recording) => `last_over_time(${rule.record}[${baseline.staleness}])`;

const feeMedian: Recording = {
  record: `stacks:mempool_fee_priority_microstx:median${baseline.smoothing}`,
  about: `Fee by type and priority: the median over ${baseline.smoothing}. In microSTX.`,
  expr: `quantile_over_time(0.5, ${fee}[${baseline.smoothing}])`,
  labels: feeLabels,
};
const feeBaseline: Recording = {
  record: `stacks:mempool_fee_priority_microstx:baseline${baseline.window}`,
  about: `Usual fee of waiting transactions by type and priority: the median over ${baseline.window}. In microSTX.
    Absent until there is ${baseline.minHistory} of history.`,
  expr: medianOf(`${feeMedian.record}[${baseline.window}]`),
  labels: feeLabels,
};
// Alerts sum the waiting transactions themselves; only the baseline needs the recorded sum.
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
  expr: medianOf(`${waiting.record}[${baseline.window}]`),
  labels: ["network"],
};
/** Budgets of a tenure that blocks use in the usual length of one, in the fullest dimension. */
const usageOver = (window: Duration) =>
  `max without (dimension) (rate(${series("stacks_chain_execution_cost_total")}[${window}]) * ${seconds(blockUsage.tenure)} / ${series("stacks_chain_tenure_execution_cost_limit")})`;
const tenureCapacity: Recording = {
  record: "stacks:chain_tenure_capacity:transactions",
  about: `Capacity of a tenure: the transactions of the last ${capacity.window}, divided by the number of tenures whose
    limit they would use, in the fullest dimension.`,
  expr: `rate(${series("stacks_chain_transactions_total")}[${capacity.window}]) * ${seconds(blockUsage.tenure)} / ${usageOver(capacity.window)}`,
  labels: ["network"],
};
const minedRatio: Recording = {
  record: "stacks:chain_mined_fee_microstx:ratio",
  about: `Fee of mined transactions divided by their usual fee, by type and percentile.`,
  expr: `${series("stacks_chain_mined_fee_microstx")} / ${series("stacks_chain_mined_fee_baseline_microstx")}`,
  labels: ["network", "tx_type", "percentile"],
};
const waitingRatio: Recording = {
  record: `stacks:mempool_fee_priority_microstx:ratio${baseline.window}`,
  about: "Fee of waiting transactions divided by their usual fee, by type and priority.",
  expr: `${fee} / ${lastOf(feeBaseline)}`,
  labels: feeLabels,
};
const backlogTenures: Recording = {
  record: "stacks:mempool_backlog:tenures",
  about: "Backlog: waiting transactions beyond the usual number, divided by the capacity of a tenure.",
  expr: `(${waitingNow} - ${lastOf(waitingBaseline)}) / ${lastOf(tenureCapacity)}`,
  labels: ["network"],
};
const usage: Recording = {
  record: "stacks:chain_block_usage:ratio",
  about: `Use of blocks: the execution cost of ${blockUsage.tenure} (the usual length of a tenure) at the rate of the
    last ${blockUsage.window}, divided by the limit of a tenure, in the fullest dimension. Absent when unknown.`,
  expr: usageOver(blockUsage.window),
  labels: ["network"],
};

const lowestMined = recorded(minedRatio, { tx_type: "all", percentile: "p25" });
const mined = `max without (percentile) (${recorded(minedRatio, { tx_type: "all", percentile: `~${FEES.spike.percentiles.join("|")}` })})`;
const allWaiting = recorded(waitingRatio, { tx_type: "all", priority: "low" });
const percent = (ratio: number) => `${ratio * 100} %`;

const SEE = {
  mined: [
    "Fee of mined transactions relative to the usual fee, by percentile.",
    recorded(minedRatio, { tx_type: "all" }),
  ],
  minedByType: ["The same by type of transaction.", recorded(minedRatio, { percentile: "p25" })],
  fees: [
    "Fees of the transactions of the last 10 minutes, in microSTX.",
    series("stacks_chain_mined_fee_microstx", { tx_type: "all" }),
  ],
  estimate: ["Fee estimates by target, in microSTX.", series("stacks_fee_estimate_microstx", { tx_type: "all" })],
  contracts: ["Calls of the busiest contracts in the last 10 minutes.", series("stacks_chain_recent_contract_calls")],
  waitingRatio: ["Fee of waiting transactions relative to the usual fee.", allWaiting],
  backlog: ["Backlog in tenures.", backlogTenures.record],
  waiting: ["Waiting transactions by type.", series("stacks_mempool_transactions")],
  capacity: ["Capacity of a tenure, in transactions.", tenureCapacity.record],
  usage: ["Use of blocks.", usage.record],
  age: [
    "Median age of waiting transactions by type, in blocks.",
    series("stacks_mempool_tx_age_blocks", { percentile: "p50" }),
  ],
} as const satisfies Readonly<Record<string, Check>>;

const spike: Alert = {
  alert: "StacksFeeSpike",
  severity: "warning",
  expr: `(
  ${mined}
  or ${allWaiting} unless ${onNetwork} ${lowestMined}
) > ${FEES.spike.feeRatio}
and ${onNetwork} ${usage.record} > ${FEES.spike.blockUsage}
unless ${onNetwork} ${backlogTenures.record} <= ${FEES.spike.tenures}`,
  ...times(FEES.spike),
  summary: `{{ if $labels.priority }}Waiting{{ else }}Mined{{ end }} transactions on {{ $labels.network }} pay over ${FEES.spike.feeRatio} times the usual`,
  description: `{{ if $labels.priority }}The median fee of waiting transactions is {{ $value | humanize }} times its usual
    level, more wait than usual, and blocks are used. What was paid to be mined is unknown: the collector transactions
    has no data.{{ else }}A quartile of the fees of the transactions that were mined in the last 10 minutes is {{ $value
    | humanize }} times its usual level, more wait than usual, and blocks are used.{{ end }}`,
  runbook: {
    meaning: `Transactions mined in the last 10 minutes pay more than ${FEES.spike.feeRatio} times the usual
      (samples of seven days) in at least one quartile, more than ${percent(FEES.spike.blockUsage)} of the capacity
      of tenures is used, and more than ${FEES.spike.tenures} tenures wait beyond the usual number. Where mined fees
      are unknown, it compares waiting ones, and has the label \`priority\`. Transactions with the usual fee wait.`,
    check: [SEE.mined, SEE.estimate, SEE.minedByType],
    actions: [
      "Pay the estimate for urgent transactions (target 10m or 1h), or the median of mined ones. Hold back others.",
      "To speed up a waiting transaction, send it again with the same nonce and a higher fee.",
    ],
  },
};

const backlog: Alert = {
  alert: "StacksMempoolBacklog",
  severity: "warning",
  expr: `${backlogTenures.record} >= ${FEES.backlog.tenures}
and ${onNetwork} ${usage.record} > ${FEES.backlog.blockUsage}`,
  ...times(FEES.backlog),
  summary: "More transactions wait on {{ $labels.network }} than blocks can include",
  description: `{{ $value | humanize }} tenures of transactions wait beyond the usual number, and blocks are nearly
    full.`,
  runbook: {
    meaning: `An early warning: at least ${FEES.backlog.tenures} tenures of transactions wait beyond the usual
      number (the median over ${baseline.window}), and more than ${percent(FEES.backlog.blockUsage)} of the capacity
      of tenures is used. The cheapest may wait for hours; fees need not have risen.`,
    check: [SEE.backlog, SEE.waiting, SEE.capacity],
    actions: [
      "Find the type that grew, and check its age: if the age grows too, it is not mined; if not, it is a burst.",
      "If blocks are slow, see StacksChainTipStale and StacksTenureShort.",
      "Postpone batches, and watch for StacksFeeSpike.",
    ],
  },
};

const budgets = Object.entries(FEES.absolute.microstx)
  .map(([type, budget]) => `${type} ${budget / MICRO} STX`)
  .join(", ");
const absolute: Alert = {
  alert: "StacksFeeAbsolute",
  severity: "warning",
  optional: "The budgets per type are examples: set your own.",
  expr: Object.entries(FEES.absolute.microstx)
    .map(
      ([tx_type, budget]) =>
        `${series("stacks_chain_mined_fee_microstx", { tx_type, percentile: "p50" })} / ${MICRO} > ${budget / MICRO}`,
    )
    .join("\nor "),
  ...times(FEES.absolute),
  summary: "A {{ $labels.tx_type }} on {{ $labels.network }} costs more than the budget",
  description: 'The median fee of a mined {{ $labels.tx_type }} is {{ printf "%.3f" $value }} STX.',
  runbook: {
    meaning: `The median fee of the mined transactions of a type exceeds its budget: ${budgets}. New transactions cost
      more than the budget, independent of the usual level.`,
    check: [SEE.fees, SEE.mined],
    actions: [
      "Hold back transactions that are not urgent.",
      "If the budget is outdated, change it and reload the rules.",
    ],
  },
};

const ownFees = series("stacks_address_fees_paid_microstx_total", { role: "sender" });
const paidFees = `sum without (role) (${grown(ownFees, series("stacks_address_info"), FEES.own.window)})`;
const payments = `sum without (tx_status) (${recorded(sentLately)})`;
const paid = `${paidFees} / ${payments}`;
const marketFee = series("stacks_chain_mined_fee_microstx", { percentile: "p50" });
const own: Alert = {
  alert: "StacksOwnFeeAboveMarket",
  severity: "warning",
  expr: `${paid}
/ on (network, tx_type, job) group_left ()
max without (instance, percentile) (quantile_over_time(0.5, ${marketFee}[${FEES.own.window}])) > ${FEES.own.feeRatio}
and round(${payments}) >= ${FEES.own.minTransactions}`,
  ...times(FEES.own),
  summary: "{{ $labels.name }} pays far more than the market on {{ $labels.network }}",
  description: `The mean fee that {{ $labels.name }} paid for {{ $labels.tx_type }} in the last hour is {{ $value |
    humanize }} times what others paid.`,
  runbook: {
    meaning: `The mean fee that the address paid within ${FEES.own.window} is more than ${FEES.own.feeRatio} times
      the median of all mined transactions of the type (at least ${FEES.own.minTransactions}). Transactions that a
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
  title: "Fees and the mempool",
  baselines: [feeMedian, feeBaseline, waiting, waitingBaseline, tenureCapacity],
  recordings: [minedRatio, waitingRatio, backlogTenures, usage],
  alerts: [spike, backlog, absolute, own],
};
