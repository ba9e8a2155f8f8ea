// The fee market: what is usual, what it costs now against that, and when somebody should know.
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
  about: `Fee by type and priority, the median over ${baseline.smoothing}. MicroSTX.`,
  expr: `quantile_over_time(0.5, ${fee}[${baseline.smoothing}])`,
  labels: feeLabels,
};
const feeBaseline: Recording = {
  record: `stacks:mempool_fee_priority_microstx:baseline${baseline.window}`,
  about: `Usual fee by type and priority, the median over ${baseline.window}. MicroSTX. Absent before there is a history of ${baseline.leastHistory}.`,
  expr: `quantile_over_time(0.5, ${feeMedian.record}[${baseline.window}])
and count_over_time(${feeMedian.record}[${baseline.window}]) >= ${leastSamples}`,
  labels: feeLabels,
};
// Where only the number of waiting transactions matters, it is summed on the spot; the recorded sum is for the baseline.
const waitingNow = `sum without (tx_type) (${series("stacks_mempool_transactions")})`;
const waiting: Recording = {
  record: "stacks:mempool_transactions:sum",
  about: "Transactions that wait, of all types.",
  expr: waitingNow,
  labels: ["network"],
};
const waitingBaseline: Recording = {
  record: `stacks:mempool_transactions:baseline${baseline.window}`,
  about: `Usual number of waiting transactions, the median over ${baseline.window}. Absent before there is a history of ${baseline.leastHistory}.`,
  expr: `quantile_over_time(0.5, ${waiting.record}[${baseline.window}])
and count_over_time(${waiting.record}[${baseline.window}]) >= ${leastSamples}`,
  labels: ["network"],
};
const feeRatio: Recording = {
  record: `stacks:mempool_fee_priority_microstx:ratio${baseline.window}`,
  about: `Fee (median over ${windows.fast}) over what is usual, by type and priority. Ratio.`,
  expr: `quantile_over_time(0.5, ${fee}[${windows.fast}]) / last_over_time(${feeBaseline.record}[${baseline.staleness}])`,
  labels: feeLabels,
};
const feeRatioSlow: Recording = {
  record: `stacks:mempool_fee_priority_microstx:ratio${baseline.window}_slow`,
  about: `Fee (median over ${windows.slow}) over what is usual, by type and priority. Ratio.`,
  expr: `quantile_over_time(0.5, ${fee}[${windows.slow}]) / last_over_time(${feeBaseline.record}[${baseline.staleness}])`,
  labels: feeLabels,
};
const backlogRatio: Recording = {
  record: `stacks:mempool_transactions:ratio${baseline.window}`,
  about: "Waiting transactions over their usual number. Ratio.",
  expr: `${waitingNow} / last_over_time(${waitingBaseline.record}[${baseline.staleness}])`,
  labels: ["network"],
};
const usageOver = (record: Recording["record"], window: Duration): Recording => ({
  record,
  about: `Use of the blocks: execution cost of ${blockUsage.tenure}, the usual length of a tenure, at the pace of the last ${window}, over the limit of a tenure, in the fullest dimension. Ratio. Absent when it is unknown.`,
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
  ratio: { shows: "The fee against what is usual.", query: ratio },
  backlog: { shows: "The backlog against what is usual.", query: backlogRatio.record },
  waiting: { shows: "How many wait, by type.", query: series("stacks_mempool_transactions") },
  usageSlow: { shows: "The same over a longer time.", query: usageSlow.record },
  usage: { shows: "How much of what tenures allow was used; nothing means that it is not known.", query: usage.record },
  fees: {
    shows: "What to pay now, by priority. MicroSTX.",
    query: series("stacks_mempool_fee_priority_microstx", { tx_type: "all" }),
  },
  types: { shows: "Which type of transaction drives it.", query: recorded(feeRatio, { priority: "low" }) },
  age: {
    shows: "How long the median transaction of each type has waited. Blocks.",
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
  description:
    "The median fee of waiting transactions is {{ $value | humanize }} times its usual level, more wait than usual, and blocks are not known to have room.",
  runbook: {
    meaning: `The median fee of what waits is more than ${FEES.spike.feeRatio} times its median over ${baseline.window}, and the backlog has grown with it (over ${FEES.spike.backlogRatio} times, and at least ${FEES.spike.leastWaiting}). Where the use of blocks is known, more than ${blockUsage.roomUpTo.fast * 100} % of what tenures allow was used over ${blockUsage.windows.fast}; so the price to get in has risen, not only what some people offer.`,
    impact: "Transactions sent at the usual fee wait for long, or until the rush is over.",
    diagnosis: [SEE.ratio, SEE.types, SEE.backlog, SEE.usage, SEE.fees],
    actions: [
      "Decide which transactions cannot wait, and give them the fee of priority medium or high.",
      "Hold back what can wait: rushes of a mint last minutes to hours.",
      "Raise the fee of transactions that already wait, with the same nonce, if they must go through.",
      "When the level stays for days, it is the new usual one: the alert falls silent by itself once the baseline has followed.",
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
  summary: "Fees on {{ $labels.network }} have been above what is usual for a while",
  description:
    "Over the last half hour the median fee of waiting transactions was {{ $value | humanize }} times its usual level, with a large backlog.",
  runbook: {
    meaning: `A slow rise: the median over ${windows.slow} of the fee is more than ${FEES.elevated.feeRatio} times its usual level, and more than ${FEES.elevated.backlogRatio} times the usual number wait, at least ${FEES.elevated.leastWaiting}. Where the use of blocks is known, more than ${blockUsage.roomUpTo.slow * 100} % of what tenures allow was used over ${blockUsage.windows.slow}.`,
    impact: "Cheap transactions wait longer than usual. Nothing is broken.",
    diagnosis: [{ shows: "The slow fee ratio.", query: ratioSlow }, SEE.backlog, SEE.usage, SEE.usageSlow, SEE.age],
    actions: [
      "Send what is urgent at priority medium.",
      "Move batches (payouts, consolidations) to a quieter hour.",
      "Watch for StacksFeeSpike: it often begins like this.",
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
    meaning: `More than ${FEES.backlog.backlogRatio} times the usual number of transactions wait, and at least ${FEES.backlog.leastWaiting}. Where the use of blocks is known, more than ${blockUsage.roomUpTo.slow * 100} % of what tenures allow was used over ${blockUsage.windows.slow}. A flood of cheap transactions looks like this: percentiles of fees do not move, because what floods in is cheap.`,
    impact:
      "The cheapest transactions may not be mined for hours; the price to get in can rise without any fee percentile showing it.",
    diagnosis: [SEE.backlog, SEE.waiting, SEE.age, SEE.usage, SEE.usageSlow],
    actions: [
      "Find the type that grew, and whether its age grows too: an old backlog is not served, a young one is a burst.",
      "Compare with the pace of blocks: when blocks come slowly, see StacksChainTipStale and StacksTenureShort.",
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
  description:
    "Priority high is {{ $value | humanize }} times priority low, while low is as usual: outliers or stuck transactions.",
  runbook: {
    meaning: `Priority high (the 95th percentile) is more than ${FEES.topHeavy.spreadRatio} times priority low (the median), and the median is as usual, while at least ${FEES.topHeavy.leastWaiting} wait. A handful of transactions offers very much, or has been stuck with a high fee.`,
    impact: "Whoever takes the estimate for high priority pays far too much. The price to get in has not changed.",
    diagnosis: [
      { shows: "The spread.", query: spread },
      SEE.ratio,
      {
        shows: "The top fee of each type. MicroSTX.",
        query: series("stacks_mempool_tx_fee_microstx", { percentile: "p95" }),
      },
    ],
    actions: ["Do not use priority high; medium is enough.", "Set an upper bound in whatever chooses fees by itself."],
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
  summary: "High fees wait on {{ $labels.network }}, but the price to get in has not moved",
  description:
    "The median fee of waiting transactions is {{ $value | humanize }} times its usual level although blocks have room: probably a cluster that cannot be mined, such as a gap of nonces.",
  runbook: {
    meaning: `The median of what waits is high because transactions with high fees are stuck: less than ${blockUsage.idleBelow * 100} % of what tenures allow is used or, where that is not known, the backlog is not larger than usual. At least ${FEES.stuckCluster.leastWaiting} wait. Mostly a sender left out a nonce, and everything after it waits.`,
    impact:
      "None for others: the usual fee gets in. The published priorities are too high while it lasts. It silences StacksFeeSpike.",
    diagnosis: [SEE.ratio, SEE.usage, SEE.backlog, SEE.age],
    actions: [
      "Go on paying the usual fee: the baseline is a better guide than the present priorities.",
      "If the stuck sender is one of yours, send the missing nonce.",
    ],
  },
};

const low: Alert = {
  alert: "StacksFeesLow",
  severity: "info",
  optional: "Good news rather than trouble: for those who wait for a cheap moment.",
  expr: `${ratioSlow} < ${FEES.low.feeRatioBelow}
${enoughWait(FEES.low.leastWaiting)}`,
  for: FEES.low.for,
  keepFiringFor: FEES.low.keepFiringFor,
  summary: "Fees on {{ $labels.network }} are lower than usual",
  description: "The median fee of waiting transactions is {{ $value | humanizePercentage }} of its usual level.",
  runbook: {
    meaning: `Over ${windows.slow} the median fee was below ${FEES.low.feeRatioBelow * 100} % of its usual level, while at least ${FEES.low.leastWaiting} waited.`,
    impact: "A good time for what can wait for a good time.",
    diagnosis: [{ shows: "The slow fee ratio.", query: ratioSlow }, SEE.fees],
    actions: [
      "Send consolidations and payouts now.",
      "Let Alertmanager repeat it once a day at most (repeat_interval: 24h).",
    ],
  },
};

const absolute: Alert = {
  alert: "StacksFeeAbsolute",
  severity: "warning",
  optional: "The budgets per type are examples: put in your own.",
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
    meaning: `Priority medium is above the budget of its type: ${Object.entries(FEES.absolute.microstx)
      .map(([type, budget]) => `${type} ${budget / MICRO} STX`)
      .join(", ")}.`,
    impact: "What is sent now costs more than was decided on, whatever is usual.",
    diagnosis: [SEE.fees, SEE.ratio],
    actions: ["Hold back what can wait.", "When the budget is out of date, change it and load the rules again."],
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
  description:
    "The median fee that {{ $labels.name }} paid for {{ $labels.tx_type }} in the last hour is {{ $value | humanize }} times priority medium.",
  runbook: {
    meaning: `Half of the fees that a watched address paid within ${FEES.own.window} are more than ${FEES.own.feeRatio} times priority medium of the same type at that time (at least ${FEES.own.leastTransactions} transactions).`,
    impact: "Money is wasted: the same place in a block was to be had for a third.",
    diagnosis: [
      {
        shows: "The median fee it paid, by type. MicroSTX.",
        query: paid,
      },
      { shows: "The market. MicroSTX.", query: series("stacks_mempool_fee_priority_microstx", { priority: "medium" }) },
      {
        shows: "What it has paid in a day. MicroSTX.",
        query: `increase(${series("stacks_address_fees_paid_microstx_total")}[1d])`,
      },
    ],
    actions: [
      "See how the sender chooses its fee: often a constant, or priority high during StacksFeeTopHeavy.",
      "Give it an upper bound, or priority medium.",
    ],
  },
};

/** The rules about the fee market. */
export const fees: Subject = {
  name: "fees",
  title: "Fees and the mempool",
  baselines: [feeMedian, feeBaseline, waiting, waitingBaseline],
  recordings: [feeRatio, feeRatioSlow, backlogRatio, usage, usageSlow],
  alerts: [spike, elevated, backlog, topHeavy, stuckCluster, low, absolute, own],
};
