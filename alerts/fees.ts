// The fee market: usual levels, present levels relative to them, and alerts on the difference.
import type { Alert, Recording, Subject } from "./model.ts";
import { onNetwork, recorded, series } from "./series.ts";
import { type Duration, FEES, MICRO, seconds } from "./thresholds.ts";

const { baseline, windows, blockUsage } = FEES;

const fee = series("stacks_mempool_fee_priority_microstx");
const all = { tx_type: "all", priority: "low" };
const feeLabels = ["network", "tx_type", "priority"];
const leastSamples = seconds(baseline.leastHistory) / seconds(baseline.interval);

const feeMedian: Recording = {
  record: `stacks:mempool_fee_priority_microstx:median${baseline.smoothing}`,
  about: `Fee by type and priority: the median over ${baseline.smoothing}. In microSTX.`,
  expr: `quantile_over_time(0.5, ${fee}[${baseline.smoothing}])`,
  labels: feeLabels,
};
const feeBaseline: Recording = {
  record: `stacks:mempool_fee_priority_microstx:baseline${baseline.window}`,
  about: `Usual fee by type and priority: the median over ${baseline.window}. In microSTX. Absent until there is
    ${baseline.leastHistory} of history.`,
  expr: `quantile_over_time(0.5, ${feeMedian.record}[${baseline.window}])
and count_over_time(${feeMedian.record}[${baseline.window}]) >= ${leastSamples}`,
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
    ${baseline.leastHistory} of history.`,
  expr: `quantile_over_time(0.5, ${waiting.record}[${baseline.window}])
and count_over_time(${waiting.record}[${baseline.window}]) >= ${leastSamples}`,
  labels: ["network"],
};
const feeRatio: Recording = {
  record: `stacks:mempool_fee_priority_microstx:ratio${baseline.window}`,
  about: `Fee (median over ${windows.fast}) divided by the usual fee, by type and priority.`,
  expr: `quantile_over_time(0.5, ${fee}[${windows.fast}]) / last_over_time(${feeBaseline.record}[${baseline.staleness}])`,
  labels: feeLabels,
};
const feeRatioSlow: Recording = {
  record: `stacks:mempool_fee_priority_microstx:ratio${baseline.window}_slow`,
  about: `Fee (median over ${windows.slow}) divided by the usual fee, by type and priority.`,
  expr: `quantile_over_time(0.5, ${fee}[${windows.slow}]) / last_over_time(${feeBaseline.record}[${baseline.staleness}])`,
  labels: feeLabels,
};
const backlogRatio: Recording = {
  record: `stacks:mempool_transactions:ratio${baseline.window}`,
  about: "Waiting transactions divided by their usual number.",
  expr: `${waitingNow} / last_over_time(${waitingBaseline.record}[${baseline.staleness}])`,
  labels: ["network"],
};
const usageOver = (record: Recording["record"], window: Duration): Recording => ({
  record,
  about: `Use of blocks: the execution cost of ${blockUsage.tenure} (the usual length of a tenure) at the rate of the
    last ${window}, divided by the limit of a tenure, in the fullest dimension. Absent when unknown.`,
  expr: `max without (dimension) (rate(${series("stacks_chain_execution_cost_total")}[${window}]) * ${seconds(blockUsage.tenure)} / ${series("stacks_chain_tenure_execution_cost_limit")})`,
  labels: ["network"],
});
const usage = usageOver("stacks:chain_block_usage:ratio", blockUsage.windows.fast);
const usageSlow = usageOver("stacks:chain_block_usage:ratio_slow", blockUsage.windows.slow);

const ratio = recorded(feeRatio, all);
const ratioSlow = recorded(feeRatioSlow, all);
const enoughWait = (least: number) => `and ${onNetwork} ${waitingNow} >= ${least}`;
const unlessRoom = `unless ${onNetwork} ${usage.record} <= ${blockUsage.roomUpTo.fast}`;
const unlessRoomSlow = `unless ${onNetwork} ${usageSlow.record} <= ${blockUsage.roomUpTo.slow}`;

const SEE = {
  ratio: { shows: "Fee relative to the usual fee.", query: ratio },
  backlog: { shows: "Backlog relative to the usual backlog.", query: backlogRatio.record },
  waiting: { shows: "Waiting transactions by type.", query: series("stacks_mempool_transactions") },
  usageSlow: { shows: "Use of blocks over a longer window.", query: usageSlow.record },
  usage: { shows: "Use of blocks; no result means that it is unknown.", query: usage.record },
  fees: {
    shows: "Present fees by priority, in microSTX.",
    query: series("stacks_mempool_fee_priority_microstx", { tx_type: "all" }),
  },
  types: {
    shows: "Fee relative to the usual fee, by type of transaction.",
    query: recorded(feeRatio, { priority: "low" }),
  },
  age: {
    shows: "Median age of waiting transactions by type, in blocks.",
    query: series("stacks_mempool_tx_age_blocks", { percentile: "p50" }),
  },
} as const;

const spike: Alert = {
  alert: "StacksFeeSpike",
  severity: "warning",
  expr: `${ratio} > ${FEES.spike.feeRatio}
and ${onNetwork} ${backlogRatio.record} > ${FEES.spike.backlogRatio}
${enoughWait(FEES.spike.leastWaiting)}
${unlessRoom}`,
  for: FEES.spike.for,
  keepFiringFor: FEES.spike.keepFiringFor,
  summary: "Fees on {{ $labels.network }} are far above what is usual",
  description: `The median fee of waiting transactions is {{ $value | humanize }} times its usual level, the backlog is
    larger than usual, and blocks are not known to have room.`,
  runbook: {
    meaning: `The median fee of waiting transactions is more than ${FEES.spike.feeRatio} times its median over
      ${baseline.window}, and the backlog has grown too (more than ${FEES.spike.backlogRatio} times its usual size, and
      at least ${FEES.spike.leastWaiting} transactions). Where the use of blocks is known, more than
      ${blockUsage.roomUpTo.fast * 100} % of the capacity of tenures was used over ${blockUsage.windows.fast}. So the
      price of inclusion has risen, not only what some senders offer.`,
    impact: "Transactions with the usual fee wait for a long time, or until the rush ends.",
    diagnosis: [SEE.ratio, SEE.types, SEE.backlog, SEE.usage, SEE.fees],
    actions: [
      "Identify the urgent transactions, and pay priority medium or high for them.",
      "Hold back other transactions: the rush of a mint lasts minutes to hours.",
      "To speed up a waiting transaction, send it again with the same nonce and a higher fee.",
      `If the level persists for days, it becomes the usual level: the alert resolves once the baseline has followed.`,
    ],
  },
};

const elevated: Alert = {
  alert: "StacksFeeElevated",
  severity: "info",
  expr: `${ratioSlow} > ${FEES.elevated.feeRatio}
and ${onNetwork} ${backlogRatio.record} > ${FEES.elevated.backlogRatio}
${enoughWait(FEES.elevated.leastWaiting)}
${unlessRoomSlow}`,
  for: FEES.elevated.for,
  keepFiringFor: FEES.elevated.keepFiringFor,
  summary: "Fees on {{ $labels.network }} have been above the usual level for a while",
  description: `Over the last half hour the median fee of waiting transactions was {{ $value | humanize }} times its
    usual level, with a large backlog.`,
  runbook: {
    meaning: `A slow rise: the median fee over ${windows.slow} is more than ${FEES.elevated.feeRatio} times its usual
      level, and more than ${FEES.elevated.backlogRatio} times the usual number of transactions wait, at least
      ${FEES.elevated.leastWaiting}. Where the use of blocks is known, more than ${blockUsage.roomUpTo.slow * 100} % of
      the capacity of tenures was used over ${blockUsage.windows.slow}.`,
    impact: "Transactions with low fees wait longer than usual.",
    diagnosis: [
      { shows: "Fee over the slow window, relative to the usual fee.", query: ratioSlow },
      SEE.backlog,
      SEE.usage,
      SEE.usageSlow,
      SEE.age,
    ],
    actions: [
      "Send urgent transactions at priority medium.",
      "Postpone batches, such as payouts and consolidations.",
      "Watch for StacksFeeSpike: it often follows.",
    ],
  },
};

const backlog: Alert = {
  alert: "StacksMempoolBacklog",
  severity: "warning",
  expr: `${backlogRatio.record} > ${FEES.backlog.backlogRatio}
${enoughWait(FEES.backlog.leastWaiting)}
${unlessRoomSlow}`,
  for: FEES.backlog.for,
  keepFiringFor: FEES.backlog.keepFiringFor,
  summary: "Far more transactions than usual wait on {{ $labels.network }}",
  description:
    "{{ $value | humanize }} times the usual number of transactions wait, and blocks are not known to have room.",
  runbook: {
    meaning: `More than ${FEES.backlog.backlogRatio} times the usual number of transactions wait, and at least
      ${FEES.backlog.leastWaiting}. Where the use of blocks is known, more than ${blockUsage.roomUpTo.slow * 100} % of
      the capacity of tenures was used over ${blockUsage.windows.slow}. A flood of cheap transactions has this effect:
      it does not change the percentiles of fees.`,
    impact: `The cheapest transactions may wait for hours. The price of inclusion can rise without a change in any fee
      percentile.`,
    diagnosis: [SEE.backlog, SEE.waiting, SEE.age, SEE.usage, SEE.usageSlow],
    actions: [
      `Find the type that grew, and check its age. If the age grows too, the backlog is not mined; if not, it is a
        burst.`,
      "Check the rate of blocks: if blocks are slow, see StacksChainTipStale and StacksTenureShort.",
      "Pay more than priority low until the backlog is gone.",
    ],
  },
};

const spread = `${series("stacks_mempool_fee_priority_microstx", { tx_type: "all", priority: "high" })} / ignoring (priority) ${series("stacks_mempool_fee_priority_microstx", all)}`;

const topHeavy: Alert = {
  alert: "StacksFeeTopHeavy",
  severity: "info",
  expr: `${spread} > ${FEES.topHeavy.spreadRatio}
and ${onNetwork} ${ratio} < ${FEES.topHeavy.feeRatioBelow}
${enoughWait(FEES.topHeavy.leastWaiting)}`,
  for: FEES.topHeavy.for,
  keepFiringFor: FEES.topHeavy.keepFiringFor,
  summary: "A few very high fees distort priority high on {{ $labels.network }}",
  description: `Priority high is {{ $value | humanize }} times priority low, while low is at its usual level: outliers
    or stuck transactions.`,
  runbook: {
    meaning: `Priority high (the 95th percentile) is more than ${FEES.topHeavy.spreadRatio} times priority low (the
      median), the median is at its usual level, and at least ${FEES.topHeavy.leastWaiting} transactions wait. A few
      transactions offer very high fees, or are stuck with a high fee.`,
    impact: "Senders that use the estimate for priority high pay far too much. The price of inclusion has not changed.",
    diagnosis: [
      { shows: "Priority high divided by priority low.", query: spread },
      SEE.ratio,
      {
        shows: "95th percentile of the fee of each type, in microSTX.",
        query: series("stacks_mempool_tx_fee_microstx", { percentile: "p95" }),
      },
    ],
    actions: [
      "Do not use priority high; medium is enough.",
      "Set an upper limit in programs that choose fees automatically.",
    ],
  },
};

const stuckCluster: Alert = {
  alert: "StacksMempoolStuckCluster",
  severity: "info",
  expr: `${ratio} > ${FEES.stuckCluster.feeRatio}
${enoughWait(FEES.stuckCluster.leastWaiting)}
and ${onNetwork} (
  ${usage.record} < ${blockUsage.idleBelow}
  or (${backlogRatio.record} < ${FEES.stuckCluster.backlogRatioBelow} unless ${onNetwork} ${usage.record})
)`,
  for: FEES.stuckCluster.for,
  keepFiringFor: FEES.stuckCluster.keepFiringFor,
  summary: "High fees wait on {{ $labels.network }}, but the price of inclusion has not changed",
  description: `The median fee of waiting transactions is {{ $value | humanize }} times its usual level although blocks
    have room. A nonce gap is the usual cause.`,
  runbook: {
    meaning: `The median fee is high because transactions with high fees are stuck: less than
      ${blockUsage.idleBelow * 100} % of the capacity of tenures is used or, where this is unknown, the backlog is not
      larger than usual. At least ${FEES.stuckCluster.leastWaiting} transactions wait. Usually a sender skipped a
      nonce, and all its later transactions wait.`,
    impact: `None for other senders: the usual fee is enough. The published priorities are too high meanwhile. This
      alert inhibits StacksFeeSpike.`,
    diagnosis: [SEE.ratio, SEE.usage, SEE.backlog, SEE.age],
    actions: [
      "Continue to pay the usual fee: use the baseline instead of the present priorities.",
      "If you own the stuck sender, send the transaction with the missing nonce.",
    ],
  },
};

const low: Alert = {
  alert: "StacksFeesLow",
  severity: "info",
  optional: "Good news: for senders that wait for low fees.",
  expr: `${ratioSlow} < ${FEES.low.feeRatioBelow}
${enoughWait(FEES.low.leastWaiting)}`,
  for: FEES.low.for,
  keepFiringFor: FEES.low.keepFiringFor,
  summary: "Fees on {{ $labels.network }} are lower than usual",
  description: "The median fee of waiting transactions is {{ $value | humanizePercentage }} of its usual level.",
  runbook: {
    meaning: `Over ${windows.slow} the median fee was below ${FEES.low.feeRatioBelow * 100} % of its usual level, while
      at least ${FEES.low.leastWaiting} transactions waited.`,
    impact: "A good time for transactions that are not urgent.",
    diagnosis: [{ shows: "Fee over the slow window, relative to the usual fee.", query: ratioSlow }, SEE.fees],
    actions: [
      "Send consolidations and payouts now.",
      "Configure Alertmanager to repeat it at most once a day (repeat_interval: 24h).",
    ],
  },
};

const absolute: Alert = {
  alert: "StacksFeeAbsolute",
  severity: "warning",
  optional: "The budgets per type are examples: set your own.",
  expr: Object.entries(FEES.absolute.microstx)
    .map(
      ([tx_type, budget]) =>
        `${series("stacks_mempool_fee_priority_microstx", { tx_type, priority: "medium" })} / ${MICRO} > ${budget / MICRO}`,
    )
    .join("\nor "),
  for: FEES.absolute.for,
  keepFiringFor: FEES.absolute.keepFiringFor,
  summary: "A {{ $labels.tx_type }} on {{ $labels.network }} costs more than the budget",
  description: 'Priority medium for {{ $labels.tx_type }} is {{ printf "%.3f" $value }} STX.',
  runbook: {
    meaning: `Priority medium exceeds the budget of its type: ${Object.entries(FEES.absolute.microstx)
      .map(([type, budget]) => `${type} ${budget / MICRO} STX`)
      .join(", ")}.`,
    impact: "New transactions cost more than the budget, independent of the usual level.",
    diagnosis: [SEE.fees, SEE.ratio],
    actions: [
      "Hold back transactions that are not urgent.",
      "If the budget is outdated, change it and reload the rules.",
    ],
  },
};

const paid = `histogram_quantile(0.5, rate(${series("stacks_address_tx_fee_microstx_bucket")}[${FEES.own.window}]))`;
const own: Alert = {
  alert: "StacksOwnFeeAboveMarket",
  severity: "warning",
  expr: `${paid}
/ on (network, tx_type, job, instance) group_left ()
quantile_over_time(0.5, ${series("stacks_mempool_fee_priority_microstx", { priority: "medium" })}[${FEES.own.window}]) > ${FEES.own.feeRatio}
and on (network, name, address, tx_type, job, instance)
round(increase(${series("stacks_address_tx_fee_microstx_count")}[${FEES.own.window}])) >= ${FEES.own.leastTransactions}`,
  for: FEES.own.for,
  keepFiringFor: FEES.own.keepFiringFor,
  summary: "{{ $labels.name }} pays far more than the market on {{ $labels.network }}",
  description: `The median fee that {{ $labels.name }} paid for {{ $labels.tx_type }} in the last hour is {{ $value |
    humanize }} times priority medium.`,
  runbook: {
    meaning: `The median fee that a watched address paid within ${FEES.own.window} is more than ${FEES.own.feeRatio}
      times priority medium of the same type at that time (at least ${FEES.own.leastTransactions} transactions).`,
    impact: "The address pays too much: a third of the fee would have been enough.",
    diagnosis: [
      {
        shows: "Median fee that the address paid, by type, in microSTX.",
        query: paid,
      },
      {
        shows: "Market fee by type, in microSTX.",
        query: series("stacks_mempool_fee_priority_microstx", { priority: "medium" }),
      },
      {
        shows: "Fees that the address paid in the last day, in microSTX.",
        query: `increase(${series("stacks_address_fees_paid_microstx_total")}[1d])`,
      },
    ],
    actions: [
      "Check how the sender chooses its fee: often it is a constant, or priority high during StacksFeeTopHeavy.",
      "Set an upper limit, or use priority medium.",
    ],
  },
};

/** Rules for the fee market. */
export const fees: Subject = {
  name: "fees",
  title: "Fees and the mempool",
  baselines: [feeMedian, feeBaseline, waiting, waitingBaseline],
  recordings: [feeRatio, feeRatioSlow, backlogRatio, usage, usageSlow],
  alerts: [spike, elevated, backlog, topHeavy, stuckCluster, low, absolute, own],
};
