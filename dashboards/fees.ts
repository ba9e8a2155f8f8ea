// Board Fees & mempool: what should I pay, and is something wrong? The first row answers; the others show the causes.
import { FEES } from "../alerts/thresholds.ts";
import { type Board, type Slot, stack } from "./board.ts";
import { PRIORITIES, reference, TX_TYPES, worse } from "./colours.ts";
import { between, coloured, gauge, heatmap, lines, type Panel, shown, stat, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, firingNames, metric, recording, stx, total } from "./select.ts";
import { FEW_LEFT_OUT, feeRatioByType } from "./signals.ts";

const RATIO = "stacks:mempool_fee_priority_microstx:ratio7d";
const BASELINE = "stacks:mempool_fee_priority_microstx:baseline7d";
const MEDIAN = "stacks:mempool_fee_priority_microstx:median10m";
const ALL_LOW = { tx_type: "all", priority: "low" };
const CHOSEN = { tx_type: "~$tx_type" };
// Maximum of the gauge: above every threshold, and still readable.
const GAUGE_END = 3 * FEES.spike.feeRatio;
// Above this ratio a fee is raised.
const RAISED = FEES.spike.feeRatio / 2;
// Values above any ratio stand for other states.
const STUCK = 1e6;
const EMPTY = 2e6;
const UNREAD = 3e6;
const UNCLEAR = 4e6;

const NO_BASELINE = "No usual level yet: needs the recording rules and a day of history";
const NO_MEMPOOL = "No data: the mempool is empty, or was not read";

const ratio = `max(${recording(RATIO, ALL_LOW)})`;
const ratioSlow = `max(${recording("stacks:mempool_fee_priority_microstx:ratio7d_slow", ALL_LOW)})`;
// Counters do not disappear when no block can be read, and their rate falls to 0. So the rate is used only while the
// tip is present.
const usage = `(max(${recording("stacks:chain_block_usage:ratio")}) and max(${metric("stacks_chain_block_height")}))`;
const highWithRoom = `((${ratio} > ${FEES.stuckCluster.feeRatio}) and (${usage} < ${FEES.blockUsage.idleBelow}))`;
// A rush starts in the same way: the use of blocks is a rate over minutes and follows later.
const highForLong = `(${ratioSlow} > ${FEES.stuckCluster.feeRatio})`;
// Recorded ratios cover the last minutes and outlive the fee. So they are used only while the fee is present.
const low = `max(${metric("stacks_mempool_fee_priority_microstx", ALL_LOW)})`;
const waiting = `sum(${dedupe(metric("stacks_mempool_transactions"))})`;
const increase = (part: string) => dedupe(`increase(${metric(`stacks_chain_block_interval_seconds_${part}`)}[1h])`);
const blockSeconds = `${increase("sum")} / ${increase("count")}`;

const usualFee = `max(${stx(recording(BASELINE, { ...CHOSEN, priority: "low" }))})`;
const USUAL_LIMIT = `low, usual × ${FEES.spike.feeRatio}`;
const line = (name: string, expr: string) => `label_replace(${expr}, "line", "${name}", "", "")`;

const now: readonly Panel[] = [
  stat({
    id: 1,
    title: "Fee market",
    description: `The present fee (priority low, median of ${FEES.windows.fast}) relative to its median of
      ${FEES.baseline.window}. Spike: more than ${FEES.spike.feeRatio} times the usual fee. Stuck: high fees wait
      although blocks have room; the price of inclusion has not changed, so pay the usual fee. A rush looks the same in
      its first minutes ("Spike or stuck?"). No data: the fees are not fresh; see the board Exporter. The board Spike
      investigation shows the clauses of the alerts.`,
    unit: "none",
    decimals: 1,
    noValue: "No usual level yet",
    width: 5,
    height: 5,
    colour: "background",
    queries: [
      {
        expr: `((${highWithRoom} and ${highForLong}) * 0 + ${STUCK} or ${highWithRoom} * 0 + ${UNCLEAR} or ${ratio}) and ${low} or (${waiting} == 0) + ${EMPTY} or vector(${UNREAD}) unless ${low}`,
        legend: "market",
      },
    ],
    mappings: [
      shown(STUCK, "Stuck, no spike", "blue", 0),
      shown(EMPTY, "Empty mempool", "blue", 5),
      shown(UNREAD, "No data", "purple", 6),
      shown(UNCLEAR, "Spike or stuck?", "orange", 7),
      between(null, FEES.low.feeRatioBelow, "Cheap", "blue", 1),
      between(FEES.low.feeRatioBelow, RAISED, "As usual", "green", 2),
      between(RAISED, FEES.spike.feeRatio, "Raised", "orange", 3),
      between(FEES.spike.feeRatio, STUCK - 1, "Spike", "red", 4),
    ],
    link: runbook("StacksFeeSpike"),
  }),
  stat({
    id: 2,
    title: "Offered fees (STX)",
    description: `Fees of waiting transactions of all types: no, low, medium and high are the 25th, 50th, 75th and 95th
      percentile. Low is enough on a normal day; use medium for urgent transactions. High is often the offer of a few
      outliers: see Spread.`,
    unit: "short",
    decimals: 4,
    noValue: NO_MEMPOOL,
    width: 10,
    height: 5,
    text: "both",
    // Sorting by value gives the order of the priorities, because these are percentiles.
    queries: [
      {
        expr: `sort(max by (priority) (${stx(metric("stacks_mempool_fee_priority_microstx", { tx_type: "all" }))}))`,
        legend: "{{priority}}",
      },
    ],
    overrides: PRIORITIES,
  }),
  gauge({
    id: 3,
    title: "Times usual",
    description: `Present fee (priority low) divided by its median of ${FEES.baseline.window}: 1 is as usual,
      ${FEES.spike.feeRatio} is a limit of StacksFeeSpike. Above it, hold back transactions that are not urgent.`,
    unit: "none",
    decimals: 1,
    noValue: "unknown",
    width: 3,
    height: 5,
    min: 0,
    max: GAUGE_END,
    steps: worse(RAISED, FEES.spike.feeRatio),
    queries: [{ expr: `${ratio} and ${low}`, legend: "times" }],
  }),
  gauge({
    id: 4,
    title: "Blocks full",
    description: `Execution cost at the rate of the last ${FEES.blockUsage.windows.fast}, in the fullest dimension; 100
      % is the capacity of tenures of ${FEES.blockUsage.tenure}. Up to ${FEES.blockUsage.roomUpTo.fast * 100} % blocks
      have room, and a high fee has no advantage.`,
    unit: "percentunit",
    decimals: 0,
    noValue: "unknown",
    width: 3,
    height: 5,
    min: 0,
    // A long tenure exceeds the usual capacity.
    max: 1.5,
    steps: worse(FEES.blockUsage.roomUpTo.fast, 1),
    queries: [{ expr: usage, legend: "used" }],
  }),
  stat({
    id: 5,
    title: "Waiting",
    description: `Waiting transactions of all types. Most fee alerts compare them with their usual number: when the
      price rises without a queue, the cause is usually an outlier.`,
    unit: "locale",
    decimals: 0,
    noValue: "no data",
    width: 3,
    height: 5,
    min: 0,
    steps: [[null, "text"]],
    queries: [{ expr: waiting, legend: "waiting" }],
    link: runbook("StacksMempoolBacklog"),
  }),
  stat({
    id: 6,
    title: "Firing alerts",
    description: `Alerts of this exporter that fire now, as reported by Prometheus (without the rules provisioned in
      Grafana). The runbook of each alert says what to do.`,
    unit: "none",
    noValue: "None",
    width: 14,
    height: 3,
    colour: "background",
    text: "name",
    steps: [
      [null, "green"],
      [1, "red"],
    ],
    queries: [{ expr: firingNames(), legend: "{{alertname}}" }],
    link: { title: "Runbooks", url: runbook("StacksFeeSpike").url.replace(/[^/]*$/, "") },
  }),
  stat({
    id: 7,
    title: "Queue, times usual",
    description: `Waiting transactions divided by their median of ${FEES.baseline.window}. ${FEES.spike.backlogRatio}
      is a limit of StacksFeeSpike, ${FEES.backlog.backlogRatio} of StacksMempoolBacklog.`,
    unit: "none",
    decimals: 1,
    noValue: "unknown",
    width: 4,
    height: 3,
    min: 0,
    steps: worse(FEES.spike.backlogRatio, FEES.backlog.backlogRatio),
    queries: [{ expr: `max(${recording("stacks:mempool_transactions:ratio7d")}) and ${waiting}`, legend: "times" }],
  }),
  stat({
    id: 8,
    title: "Age of fees",
    description: `Time since the fees were last received, or confirmed unchanged. After a few intervals they expire and
      disappear from this board: see the board Exporter.`,
    unit: "s",
    decimals: 0,
    noValue: "Never",
    width: 3,
    height: 3,
    min: 0,
    steps: worse(120, 300),
    queries: [
      {
        expr: `time() - max(${metric("stacks_exporter_collector_last_success_timestamp_seconds", { collector: "fees" })})`,
        legend: "age",
      },
    ],
  }),
  stat({
    id: 9,
    title: "Age of tip",
    description: `Age of the newest Stacks block. Blocks arrive every few seconds; without a block for ten minutes, no
      transaction is included at any fee.`,
    unit: "s",
    decimals: 0,
    noValue: "No block read",
    width: 3,
    height: 3,
    min: 0,
    steps: worse(120, 600),
    queries: [
      { expr: `time() - max(last_over_time(${metric("stacks_chain_block_timestamp_seconds")}[6h]))`, legend: "age" },
    ],
  }),
];

// The same hour on each of the last seven days.
const thisHour = Array.from(
  { length: 7 },
  (_, index) =>
    `label_replace(${dedupe(`${recording(MEDIAN, { priority: "low" })} offset ${index + 1}d`)}, "day", "${index + 1}", "", "")`,
).join(" or ");
const as = (column: string, expr: string) => `label_replace(${expr}, "priority", "${column}", "", "")`;

const advice: readonly Panel[] = [
  table({
    id: 10,
    title: "What should I pay? (STX)",
    description: `Offered fees by type and priority, and the usual fees: the median of seven days, and of this hour on
      each of the last seven days. If low is near its usual level, pay low. If it is far above, wait or pay medium.`,
    unit: "short",
    decimals: 4,
    noValue: NO_MEMPOOL,
    width: 12,
    height: 7,
    queries: [
      {
        expr: `(${dedupe(metric("stacks_mempool_fee_priority_microstx"))} or ${as("usual", dedupe(recording(BASELINE, { priority: "low" })))} or ${as("hour", `quantile by (tx_type) (0.5, ${thisHour})`)}) / 1e6`,
      },
    ],
    transformations: [
      { id: "groupingToMatrix", options: { rowField: "tx_type", columnField: "priority", valueField: "Value" } },
    ],
    columns: {
      "tx_type\\priority": "type",
      no: "no",
      low: "low",
      medium: "medium",
      high: "high",
      usual: "usual low",
      hour: "this hour",
    },
    overrides: [{ name: "type", properties: { "custom.width": 140 } }],
  }),
  lines({
    id: 11,
    title: "Fee relative to the usual fee, by type",
    description: `Priority low of each type divided by its own median of ${FEES.baseline.window}. If one type rises, it
      is a mint or a batch; if all rise, space is short. The line is the limit of StacksFeeSpike. ${FEW_LEFT_OUT}`,
    unit: "none",
    noValue: NO_BASELINE,
    width: 12,
    height: 7,
    axis: "times usual",
    log: true,
    limits: true,
    legend: "right",
    steps: [
      [null, "transparent"],
      [FEES.spike.feeRatio, "red"],
    ],
    queries: [feeRatioByType],
    overrides: TX_TYPES,
  }),
];

const market: readonly Panel[] = [
  lines({
    id: 21,
    title: "Offers by priority: $tx_type (STX)",
    legend: "right",
    description: `Fees of waiting transactions of the selected type. Dashed lines: the usual fee of priority low, and
      ${FEES.spike.feeRatio} times the usual fee. The axis is logarithmic.`,
    unit: "short",
    decimals: 4,
    noValue: NO_MEMPOOL,
    width: 12,
    height: 9,
    axis: "STX",
    log: true,
    queries: [
      { expr: dedupe(stx(metric("stacks_mempool_fee_priority_microstx", CHOSEN))), legend: "{{priority}}" },
      {
        expr: `${line("low, usual", usualFee)} or ${line(USUAL_LIMIT, `${usualFee} * ${FEES.spike.feeRatio}`)}`,
        legend: "{{line}}",
      },
    ],
    overrides: [...PRIORITIES, reference("low, usual", "green"), reference(USUAL_LIMIT, "red")],
  }),
  lines({
    id: 22,
    title: "Waiting transactions by type",
    legend: "right",
    description: `Waiting transactions by type, and the usual number (median of ${FEES.baseline.window}). If one type
      grows, it floods the mempool; if all grow, blocks do not keep up.`,
    unit: "short",
    noValue: NO_MEMPOOL,
    width: 12,
    height: 9,
    axis: "transactions",
    min: 0,
    stacked: true,
    queries: [
      { expr: dedupe(metric("stacks_mempool_transactions")), legend: "{{tx_type}}" },
      { expr: `max(${recording("stacks:mempool_transactions:baseline7d")})`, legend: "all, usual" },
    ],
    overrides: [...TX_TYPES, reference("all, usual", "text")],
  }),
  lines({
    id: 23,
    title: "Age of waiting transactions (hours)",
    description: `Blocks since the transactions were received, multiplied by the mean block interval of the last hour.
      A young queue is a burst. An old queue is not mined: it needs a higher fee or a missing nonce.`,
    unit: "none",
    noValue: "No data: no transaction waits, or the block interval is unknown",
    width: 8,
    height: 10,
    axis: "hours",
    min: 0,
    queries: [
      {
        expr: `${dedupe(metric("stacks_mempool_tx_age_blocks", { tx_type: "~token_transfer|contract_call", percentile: "~p50|p95" }))} * on (network) group_left () (${blockSeconds}) / 3600`,
        legend: "{{tx_type}} {{percentile}}",
      },
    ],
  }),
  lines({
    id: 24,
    title: "Tenure used, by dimension",
    legend: "right",
    description: `Execution cost of the current tenure divided by its limits; it restarts at 0 with each tenure. Fees
      matter only when a dimension reaches 100 %.`,
    unit: "percentunit",
    noValue: "Unknown: no tenure was seen from its first block",
    width: 9,
    height: 10,
    min: 0,
    softMax: 1,
    queries: [{ expr: dedupe(metric("stacks_chain_tenure_execution_cost_ratio")), legend: "{{dimension}}" }],
  }),
  lines({
    id: 25,
    title: "Block rate",
    description: `Mean time between Stacks blocks, and transactions per block. Slow blocks make every queue longer,
      however full they are.`,
    unit: "s",
    noValue: "No block in this range",
    width: 7,
    height: 10,
    axis: "seconds",
    min: 0,
    queries: [
      {
        expr: `max(rate(${metric("stacks_chain_block_interval_seconds_sum")}[$__rate_interval]) / rate(${metric("stacks_chain_block_interval_seconds_count")}[$__rate_interval]))`,
        legend: "seconds between blocks",
      },
      {
        expr: `max(rate(${metric("stacks_chain_transactions_total")}[$__rate_interval]) / rate(${metric("stacks_chain_blocks_total")}[$__rate_interval]))`,
        legend: "transactions per block",
      },
    ],
    overrides: [
      coloured("transactions per block", "purple", {
        unit: "short",
        "custom.axisPlacement": "right",
        "custom.axisLabel": "transactions",
      }),
      coloured("seconds between blocks", "blue"),
    ],
  }),
];

const PERCENTILES = ["p25", "p50", "p75", "p95"];

function ribbon(id: number, title: string, description: string, family: string, unit: string, isStx: boolean): Panel {
  const expr = (percentile: string) => {
    const selected = metric(family, { tx_type: "~$distribution_type", percentile });
    return `max(${isStx ? stx(selected) : selected})`;
  };
  return lines({
    id,
    title,
    description,
    unit,
    noValue: "No transaction of this type waits",
    width: 8,
    height: 10,
    ...(isStx ? { log: true, axis: "STX", decimals: 4 } : { min: 0 }),
    queries: PERCENTILES.map((percentile) => ({ expr: expr(percentile), legend: percentile })),
    overrides: [
      coloured("p25", "blue", { "custom.lineWidth": 1 }),
      coloured("p50", "green"),
      coloured("p75", "blue", { "custom.lineWidth": 1, "custom.fillBelowTo": "p25", "custom.fillOpacity": 20 }),
      coloured("p95", "orange", { "custom.lineWidth": 1 }),
    ],
  });
}

const distribution: readonly Panel[] = [
  ribbon(
    31,
    "Fee: $distribution_type (STX)",
    `Percentiles of the fee of waiting transactions of the selected type. The band is the middle half; the wider it is,
      the more the offers differ.`,
    "stacks_mempool_tx_fee_microstx",
    "short",
    true,
  ),
  ribbon(
    32,
    "Age in blocks: $distribution_type",
    `Percentiles of the Stacks blocks since a waiting transaction was received. If p95 is high and p50 low, a few are
      stuck, usually behind a nonce gap.`,
    "stacks_mempool_tx_age_blocks",
    "short",
    false,
  ),
  ribbon(
    33,
    "Size: $distribution_type",
    `Percentiles of the size of waiting transactions. Larger transactions cost more; a sudden change indicates another
      kind of traffic.`,
    "stacks_mempool_tx_size_bytes",
    "bytes",
    false,
  ),
  lines({
    id: 34,
    title: "Spread: high over low",
    legend: "right",
    description: `Priority high divided by priority low, by type. Above ${FEES.topHeavy.spreadRatio}, a few outliers or
      stuck transactions determine the top (StacksFeeTopHeavy): do not pay priority high then.`,
    unit: "none",
    noValue: NO_MEMPOOL,
    width: 12,
    height: 8,
    axis: "high / low",
    log: true,
    limits: true,
    steps: [
      [null, "transparent"],
      [FEES.topHeavy.spreadRatio, "red"],
    ],
    queries: [
      {
        expr: `${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "high" }))} / ignoring (priority) ${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "low" }))}`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
    link: runbook("StacksFeeTopHeavy"),
  }),
  lines({
    id: 35,
    title: "Queue: change per hour",
    legend: "right",
    description: `Change of the number of waiting transactions within the last hour. Above zero, blocks do not keep up;
      below zero, the queue shrinks.`,
    unit: "short",
    noValue: "Needs an hour of history",
    width: 12,
    height: 8,
    axis: "transactions per hour",
    queries: [
      {
        expr: `${dedupe(metric("stacks_mempool_transactions"))} - ${dedupe(`${metric("stacks_mempool_transactions")} offset 1h`)}`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
  }),
];

const confirmed: readonly Panel[] = [
  heatmap({
    id: 41,
    title: "Fees that watched addresses paid: $distribution_type (microSTX)",
    interval: "10m",
    description: `Distribution of the fees of counted transactions of the selected type, of all watched addresses.
      Compares paid fees with offered fees.`,
    unit: "short",
    noValue: "No watched address paid a fee in this range",
    width: 12,
    height: 9,
    queries: [
      {
        expr: total(
          "le",
          `increase(${metric("stacks_address_tx_fee_microstx_bucket", { tx_type: "~$distribution_type" })}[$__rate_interval])`,
        ),
        legend: "{{le}}",
      },
    ],
  }),
  lines({
    id: 42,
    title: "Paid fees relative to offered fees",
    interval: "5m",
    legend: "right",
    description: `Mean fee that watched addresses paid within an hour, divided by priority low of the same type. Types
      with fewer than ${FEES.own.leastTransactions} paid fees are not shown. StacksOwnFeeAboveMarket compares the
      median of each address: see the board Addresses.`,
    unit: "none",
    decimals: 2,
    noValue: "Watched addresses paid too few fees within an hour",
    width: 12,
    height: 9,
    axis: "times priority low",
    min: 0,
    queries: [
      {
        expr: `(sum by (tx_type) (increase(${metric("stacks_address_tx_fee_microstx_sum")}[1h])) / (sum by (tx_type) (increase(${metric("stacks_address_tx_fee_microstx_count")}[1h])) >= ${FEES.own.leastTransactions})) / on (tx_type) ${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "low" }))}`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
    link: runbook("StacksOwnFeeAboveMarket"),
  }),
];

const chain: readonly Slot[] = [
  lines({
    id: 51,
    title: "Heights",
    description: `Height of the newest Stacks block, and of the burn block that anchors it. A flat line is a stalled
      chain or a stalled API.`,
    unit: "locale",
    decimals: 0,
    noValue: "No block read",
    width: 8,
    height: 8,
    queries: [
      { expr: `max(${metric("stacks_chain_block_height")})`, legend: "Stacks" },
      { expr: `max(${metric("stacks_chain_burn_block_height")})`, legend: "burn chain" },
    ],
    overrides: [
      coloured("burn chain", "orange", { "custom.axisPlacement": "right", "custom.axisLabel": "burn chain" }),
      coloured("Stacks", "purple"),
    ],
  }),
  lines({
    id: 52,
    title: "Age of the tips",
    description: `Time since the newest Stacks block, and since its burn block. Burn blocks take ten minutes on
      average, and occasionally an hour.`,
    unit: "m",
    noValue: "No block read",
    width: 8,
    height: 8,
    min: 0,
    queries: [
      { expr: `(time() - max(${metric("stacks_chain_block_timestamp_seconds")})) / 60`, legend: "Stacks" },
      { expr: `(time() - max(${metric("stacks_chain_burn_block_timestamp_seconds")})) / 60`, legend: "burn chain" },
    ],
    overrides: [coloured("burn chain", "orange"), coloured("Stacks", "purple")],
  }),
  lines({
    id: 53,
    title: "Blocks per burn block",
    description: `Stacks blocks of the last complete tenure. If there are few, signers or miners have problems, and the
      queue grows at any fee.`,
    unit: "short",
    decimals: 0,
    noValue: "No complete tenure was seen yet",
    width: 8,
    height: 8,
    min: 0,
    queries: [{ expr: `max(${metric("stacks_chain_blocks_per_burn_block")})`, legend: "blocks" }],
  }),
  heatmap({
    id: 54,
    title: "Time between blocks",
    description:
      "Distribution of the intervals between Stacks blocks. A second band at higher values indicates a problem.",
    unit: "s",
    noValue: "No block in this range",
    width: 8,
    height: 8,
    queries: [
      {
        expr: total("le", `increase(${metric("stacks_chain_block_interval_seconds_bucket")}[$__rate_interval])`),
        legend: "{{le}}",
      },
    ],
  }),
  heatmap({
    id: 55,
    title: "Transactions per block",
    description: "Distribution of the number of transactions per Stacks block.",
    unit: "short",
    noValue: "No block in this range",
    width: 8,
    height: 8,
    queries: [
      {
        expr: total("le", `increase(${metric("stacks_chain_block_size_transactions_bucket")}[$__rate_interval])`),
        legend: "{{le}}",
      },
    ],
  }),
  lines({
    id: 56,
    title: "Newest block",
    description: `Execution cost of the newest Stacks block, in the units of each dimension, and its transactions.
      Logarithmic, because dimensions differ by powers of ten.`,
    unit: "short",
    noValue: "No block read",
    width: 8,
    height: 8,
    log: true,
    queries: [
      { expr: dedupe(metric("stacks_chain_block_execution_cost")), legend: "{{dimension}}" },
      { expr: `max(${metric("stacks_chain_block_transactions")})`, legend: "transactions" },
    ],
  }),
  lines({
    id: 57,
    title: "Reorganisations",
    description: `Reorganisations, and the number of replaced blocks. A deep one reverts transactions that seemed
      final: raise the confirmations.`,
    unit: "short",
    decimals: 0,
    noValue: "No block read",
    width: 12,
    height: 8,
    min: 0,
    bars: true,
    queries: [
      { expr: `max(increase(${metric("stacks_chain_reorgs_total")}[$__rate_interval]))`, legend: "reorganisations" },
      {
        expr: `max(increase(${metric("stacks_chain_reorged_blocks_total")}[$__rate_interval]))`,
        legend: "blocks replaced",
      },
    ],
  }),
  stack(
    stat({
      id: 58,
      title: "Last reorganisation",
      description: "Number of Stacks blocks that the last reorganisation replaced, and the time of its detection.",
      unit: "short",
      decimals: 0,
      noValue: "None since the exporter started",
      width: 12,
      height: 4,
      text: "both",
      queries: [
        { expr: `max(${metric("stacks_chain_last_reorg_depth_blocks")})`, legend: "blocks" },
        { expr: `max(${metric("stacks_chain_last_reorg_timestamp_seconds")}) * 1000`, legend: "detected" },
      ],
      overrides: [{ name: "detected", properties: { unit: "dateTimeFromNow" } }],
    }),
    stat({
      id: 59,
      title: "Microblocks",
      description: `Microblocks accepted and streamed in this range, transactions in those of the newest block, and the
        sequence of its parent. None since Nakamoto; absent when blocks are read from the list.`,
      unit: "short",
      decimals: 0,
      noValue: "Not provided by this API",
      width: 12,
      height: 4,
      text: "both",
      queries: [
        {
          expr: `max by (state) (increase(${metric("stacks_chain_microblocks_total")}[$__range]))`,
          legend: "{{state}}",
        },
        { expr: `max(${metric("stacks_chain_microblock_transactions")})`, legend: "transactions" },
        { expr: `max(${metric("stacks_chain_parent_microblock_sequence")})`, legend: "parent sequence" },
      ],
    }),
  ),
];

const quality: readonly Panel[] = [
  lines({
    id: 61,
    title: "Changed responses",
    description: `Changed responses per minute, by operation. If the mempool never changes despite new blocks, the
      upstream is frozen.`,
    unit: "short",
    noValue: "No poll in this range",
    width: 6,
    height: 8,
    min: 0,
    axis: "per minute",
    queries: [
      {
        expr: `${dedupe(`rate(${metric("stacks_mempool_snapshots_changed_total")}[$__rate_interval])`)} * 60`,
        legend: "{{operation}}",
      },
    ],
  }),
  lines({
    id: 64,
    title: "Age of the mempool values",
    description: `Time since the values of each operation were received, or confirmed unchanged. A sawtooth as high as
      the interval is normal; if a line ends, the values expired.`,
    unit: "s",
    noValue: "No value of the mempool is fresh",
    width: 6,
    height: 8,
    min: 0,
    queries: [
      { expr: `time() - ${dedupe(metric("stacks_mempool_snapshot_timestamp_seconds"))}`, legend: "{{operation}}" },
    ],
  }),
  lines({
    id: 62,
    title: "Difference between both operations",
    description: `Largest relative difference between a percentile of the mempool statistics and the corresponding
      priority. Small differences are normal, because the operations are polled at different times; after a lasting
      one, check whether the API changed its method.`,
    unit: "percentunit",
    noValue: NO_MEMPOOL,
    width: 6,
    height: 8,
    min: 0,
    queries: [
      {
        expr: `max by (tx_type) (abs(label_replace(label_replace(${dedupe(metric("stacks_mempool_tx_fee_microstx", { percentile: "~p50|p75" }))}, "priority", "low", "percentile", "p50"), "priority", "medium", "percentile", "p75") / on (tx_type, priority) ${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "~low|medium" }))} - 1))`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
  }),
  lines({
    id: 63,
    title: "Skipped blocks",
    description: `Blocks that arrived faster than they could be read, and heights for which the server had no block.
      The totals of the chain lack them: poll blocks more often, or raise the budget.`,
    unit: "short",
    decimals: 0,
    noValue: "No block read",
    width: 6,
    height: 8,
    min: 0,
    bars: true,
    queries: [
      { expr: `max(increase(${metric("stacks_chain_skipped_blocks_total")}[$__rate_interval]))`, legend: "skipped" },
      { expr: `max(increase(${metric("stacks_chain_missing_blocks_total")}[$__rate_interval]))`, legend: "missing" },
    ],
  }),
];

/** The board Fees & mempool. */
export const fees: Board = {
  uid: "stacks-fees",
  title: "Stacks / Fees & mempool",
  description: `What should I pay, and is something wrong? The fee market of a Stacks network relative to its usual
    level, the queue, and the blocks.`,
  from: "now-6h",
  networks: "one",
  variables: [
    {
      kind: "choice",
      name: "tx_type",
      label: "Type",
      values: ["all", "token_transfer", "contract_call", "smart_contract"],
    },
    {
      kind: "choice",
      name: "distribution_type",
      label: "Distribution of",
      values: ["token_transfer", "contract_call", "smart_contract", "poison_microblock"],
    },
  ],
  rows: [
    { panels: [...now, ...advice] },
    { id: 20, title: "Market and blocks", panels: market },
    { id: 30, title: "Distribution of waiting transactions", collapsed: true, panels: distribution },
    { id: 40, title: "Fees paid by watched addresses", collapsed: true, panels: confirmed },
    { id: 50, title: "Chain", collapsed: true, panels: chain },
    { id: 60, title: "Data quality", collapsed: true, panels: quality },
  ],
};
