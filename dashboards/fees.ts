// Fees & mempool: what should I pay, and is something wrong? The first line answers; the rest says why.
import { FEES } from "../alerts/thresholds.ts";
import { type Board, type Slot, stack } from "./board.ts";
import { PRIORITIES, reference, TX_TYPES, worse } from "./colours.ts";
import { between, coloured, gauge, heatmap, lines, type Panel, shown, stat, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { firingNames, of, once, rec, stx, total } from "./select.ts";
import { FEW_LEFT_OUT, feeRatioByType } from "./signals.ts";

const RATIO = "stacks:mempool_fee_priority_microstx:ratio7d";
const BASELINE = "stacks:mempool_fee_priority_microstx:baseline7d";
const MEDIAN = "stacks:mempool_fee_priority_microstx:median10m";
const ALL_LOW = { tx_type: "all", priority: "low" };
const CHOSEN = { tx_type: "~$tx_type" };
// Where the gauge ends: far beyond every threshold, and still readable.
const GAUGE_END = 3 * FEES.spike.feeRatio;
// From here on a fee is no longer what anybody would call usual.
const RAISED = FEES.spike.feeRatio / 2;
// Beyond any ratio: states of their own.
const STUCK = 1e6;
const EMPTY = 2e6;
const UNREAD = 3e6;
const UNCLEAR = 4e6;

const NO_BASELINE = "No usual level yet: it needs the recording rules and a day of history";
const NO_MEMPOOL = "Nothing: the mempool is empty, or not read";

const ratio = `max(${rec(RATIO, ALL_LOW)})`;
const ratioSlow = `max(${rec("stacks:mempool_fee_priority_microstx:ratio7d_slow", ALL_LOW)})`;
// Counters stay when no block can be read, and their pace falls to nothing: it counts as long as the tip itself is there.
const usage = `(max(${rec("stacks:chain_block_usage:ratio")}) and max(${of("stacks_chain_block_height")}))`;
const highWithRoom = `((${ratio} > ${FEES.stuckCluster.feeRatio}) and (${usage} < ${FEES.blockUsage.idleBelow}))`;
// A rush begins like that too: the use of blocks is the pace of minutes, and follows.
const highForLong = `(${ratioSlow} > ${FEES.stuckCluster.feeRatio})`;
// Recorded ratios look some minutes back, so they outlive what they are about: they count as long as the fee itself is there.
const low = `max(${of("stacks_mempool_fee_priority_microstx", ALL_LOW)})`;
const waiting = `sum(${once(of("stacks_mempool_transactions"))})`;
const increase = (part: string) => once(`increase(${of(`stacks_chain_block_interval_seconds_${part}`)}[1h])`);
const blockSeconds = `${increase("sum")} / ${increase("count")}`;

const usualFee = `max(${stx(rec(BASELINE, { ...CHOSEN, priority: "low" }))})`;
const USUAL_LIMIT = `low, usual × ${FEES.spike.feeRatio}`;
const line = (name: string, expr: string) => `label_replace(${expr}, "line", "${name}", "", "")`;

const now: readonly Panel[] = [
  stat({
    id: 1,
    title: "Fee market",
    description: `The verdict: the present fee (priority low, median of ${FEES.windows.fast}) against its median of ${FEES.baseline.window}. Spike: more than ${FEES.spike.feeRatio} times the usual. "Stuck" means that high fees wait although blocks have room: the price to get in has not moved, pay the usual fee; for the first minutes a rush looks the same ("Spike or stuck?"). "Not read" means that the fees are not fresh: see the board Exporter. See the board Spike investigation for the clauses of the alerts.`,
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
      shown(EMPTY, "Nothing waits", "blue", 5),
      shown(UNREAD, "Not read", "purple", 6),
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
    title: "What waiting transactions offer (STX)",
    description:
      "Fee of waiting transactions of all types: no, low, medium and high are the 25th, 50th, 75th and 95th percentile. Low gets in on a normal day; medium when it must be soon. High is often the bid of a few outliers: see Spread.",
    unit: "short",
    decimals: 4,
    noValue: NO_MEMPOOL,
    width: 10,
    height: 5,
    text: "both",
    // Sorted by value they come in the order of the priorities, which are percentiles.
    queries: [
      {
        expr: `sort(max by (priority) (${stx(of("stacks_mempool_fee_priority_microstx", { tx_type: "all" }))}))`,
        legend: "{{priority}}",
      },
    ],
    overrides: PRIORITIES,
  }),
  gauge({
    id: 3,
    title: "Times usual",
    description: `Present fee (priority low) over its median of ${FEES.baseline.window}: 1 is as usual, ${FEES.spike.feeRatio} is where StacksFeeSpike looks closer. Above it, hold back what can wait.`,
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
    description: `Execution cost at the pace of the last ${FEES.blockUsage.windows.fast}, in the tightest dimension; 100 % is as much as tenures of ${FEES.blockUsage.tenure} allow. Up to ${FEES.blockUsage.roomUpTo.fast * 100} % there is room, and a high fee buys nothing.`,
    unit: "percentunit",
    decimals: 0,
    noValue: "unknown",
    width: 3,
    height: 5,
    min: 0,
    // A long tenure uses more than what is usual for one.
    max: 1.5,
    steps: worse(FEES.blockUsage.roomUpTo.fast, 1),
    queries: [{ expr: usage, legend: "used" }],
  }),
  stat({
    id: 5,
    title: "Waiting",
    description: `Transactions in the mempool, of all types. Against its usual number it is a clause of most fee alerts: a price that rises without a queue is mostly an outlier.`,
    unit: "locale",
    decimals: 0,
    noValue: "not read",
    width: 3,
    height: 5,
    min: 0,
    steps: [[null, "text"]],
    queries: [{ expr: waiting, legend: "waiting" }],
    link: runbook("StacksMempoolBacklog"),
  }),
  stat({
    id: 6,
    title: "Alerts that fire",
    description:
      "Every alert of this exporter that fires now, as Prometheus keeps it (rules provisioned in Grafana are not among them). Read the runbook of the name you see.",
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
    description: `Waiting transactions over their median of ${FEES.baseline.window}. ${FEES.spike.backlogRatio} is a clause of StacksFeeSpike, ${FEES.backlog.backlogRatio} is StacksMempoolBacklog.`,
    unit: "none",
    decimals: 1,
    noValue: "unknown",
    width: 4,
    height: 3,
    min: 0,
    steps: worse(FEES.spike.backlogRatio, FEES.backlog.backlogRatio),
    queries: [{ expr: `max(${rec("stacks:mempool_transactions:ratio7d")}) and ${waiting}`, legend: "times" }],
  }),
  stat({
    id: 8,
    title: "Fees read",
    description:
      "How long ago the fees were last received, or confirmed unchanged. Beyond a few intervals they are gone from this board, rather than wrong: see the board Exporter.",
    unit: "s",
    decimals: 0,
    noValue: "Never",
    width: 3,
    height: 3,
    min: 0,
    steps: worse(120, 300),
    queries: [
      {
        expr: `time() - max(${of("stacks_exporter_collector_last_success_timestamp_seconds", { collector: "fees" })})`,
        legend: "age",
      },
    ],
  }),
  stat({
    id: 9,
    title: "Tip",
    description:
      "Age of the newest Stacks block that was read. Blocks come every few seconds; after ten minutes without one nothing gets in, whatever it pays.",
    unit: "s",
    decimals: 0,
    noValue: "No block read",
    width: 3,
    height: 3,
    min: 0,
    steps: worse(120, 600),
    queries: [
      { expr: `time() - max(last_over_time(${of("stacks_chain_block_timestamp_seconds")}[6h]))`, legend: "age" },
    ],
  }),
];

// The same hour on each of the last seven days.
const thisHour = Array.from(
  { length: 7 },
  (_, index) =>
    `label_replace(${once(`${rec(MEDIAN, { priority: "low" })} offset ${index + 1}d`)}, "day", "${index + 1}", "", "")`,
).join(" or ");
const as = (column: string, expr: string) => `label_replace(${expr}, "priority", "${column}", "", "")`;

const advice: readonly Panel[] = [
  table({
    id: 10,
    title: "What should I pay? (STX)",
    description:
      "Offers of waiting transactions by type and priority, beside what is usual: the median of seven days, and of this hour on each of the last seven days. Pay low when it is near the usual; when it is far above, wait or pay medium.",
    unit: "short",
    decimals: 4,
    noValue: NO_MEMPOOL,
    width: 12,
    height: 7,
    queries: [
      {
        expr: `(${once(of("stacks_mempool_fee_priority_microstx"))} or ${as("usual", once(rec(BASELINE, { priority: "low" })))} or ${as("hour", `quantile by (tx_type) (0.5, ${thisHour})`)}) / 1e6`,
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
    title: "Fee against the usual, by type",
    description: `Priority low of each type over its own median of ${FEES.baseline.window}. One type alone: a mint or a batch. All of them: space is short. The line is the limit of StacksFeeSpike. ${FEW_LEFT_OUT}`,
    unit: "none",
    noValue: NO_BASELINE,
    width: 12,
    height: 7,
    axis: "times the usual",
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
    description: `Fees of waiting transactions of the chosen type. Broken lines: what is usual for priority low, and ${FEES.spike.feeRatio} times that. Logarithmic, because fees are multiplied rather than added.`,
    unit: "short",
    decimals: 4,
    noValue: NO_MEMPOOL,
    width: 12,
    height: 9,
    axis: "STX",
    log: true,
    queries: [
      { expr: once(stx(of("stacks_mempool_fee_priority_microstx", CHOSEN))), legend: "{{priority}}" },
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
    description: `How many wait, and the usual number (median of ${FEES.baseline.window}). Growth in one type shows who floods; growth in all, that blocks do not keep up.`,
    unit: "short",
    noValue: NO_MEMPOOL,
    width: 12,
    height: 9,
    axis: "transactions",
    min: 0,
    stacked: true,
    queries: [
      { expr: once(of("stacks_mempool_transactions")), legend: "{{tx_type}}" },
      { expr: `max(${rec("stacks:mempool_transactions:baseline7d")})`, legend: "all, usual" },
    ],
    overrides: [...TX_TYPES, reference("all, usual", "text")],
  }),
  lines({
    id: 23,
    title: "How long they have waited (hours)",
    description:
      "Age of waiting transactions: blocks since they were received, times the mean interval of blocks in the last hour. A young queue is a burst; an old one is not being served, and needs a higher fee or a missing nonce.",
    unit: "none",
    noValue: "Nothing: no transaction waits, or no block interval is known",
    width: 8,
    height: 10,
    axis: "hours",
    min: 0,
    queries: [
      {
        expr: `${once(of("stacks_mempool_tx_age_blocks", { tx_type: "~token_transfer|contract_call", percentile: "~p50|p95" }))} * on (network) group_left () (${blockSeconds}) / 3600`,
        legend: "{{tx_type}} {{percentile}}",
      },
    ],
  }),
  lines({
    id: 24,
    title: "Tenure used, by dimension",
    legend: "right",
    description:
      "Execution cost of the current tenure over its limits; a new tenure begins at nothing. What reaches 100 % first is what is short, and only then do fees buy a place.",
    unit: "percentunit",
    noValue: "Not known: no tenure was seen from its first block yet",
    width: 9,
    height: 10,
    min: 0,
    softMax: 1,
    queries: [{ expr: once(of("stacks_chain_tenure_execution_cost_ratio")), legend: "{{dimension}}" }],
  }),
  lines({
    id: 25,
    title: "Pace of blocks",
    description:
      "Mean time between Stacks blocks, and the transactions in each. Slow blocks make every queue longer, however full they are.",
    unit: "s",
    noValue: "No block was followed in this range",
    width: 7,
    height: 10,
    axis: "seconds",
    min: 0,
    queries: [
      {
        expr: `max(rate(${of("stacks_chain_block_interval_seconds_sum")}[$__rate_interval]) / rate(${of("stacks_chain_block_interval_seconds_count")}[$__rate_interval]))`,
        legend: "seconds between blocks",
      },
      {
        expr: `max(rate(${of("stacks_chain_transactions_total")}[$__rate_interval]) / rate(${of("stacks_chain_blocks_total")}[$__rate_interval]))`,
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
    const selected = of(family, { tx_type: "~$distribution_type", percentile });
    return `max(${isStx ? stx(selected) : selected})`;
  };
  return lines({
    id,
    title,
    description,
    unit,
    noValue: "Nothing of this type waits",
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
    "Percentiles of the total fee of waiting transactions of the chosen type; the band holds the middle half. A wide band means that people disagree about the price.",
    "stacks_mempool_tx_fee_microstx",
    "short",
    true,
  ),
  ribbon(
    32,
    "Age in blocks: $distribution_type",
    "Percentiles of the Stacks blocks since a waiting transaction was received. A high p95 beside a low p50: a few are stuck, mostly behind a missing nonce.",
    "stacks_mempool_tx_age_blocks",
    "short",
    false,
  ),
  ribbon(
    33,
    "Size: $distribution_type",
    "Percentiles of the size of waiting transactions. Large ones cost more to include; a sudden change shows another kind of traffic.",
    "stacks_mempool_tx_size_bytes",
    "bytes",
    false,
  ),
  lines({
    id: 34,
    title: "Spread: high over low",
    legend: "right",
    description: `Priority high over priority low, by type. Above ${FEES.topHeavy.spreadRatio} a few outliers or stuck transactions rule the top (StacksFeeTopHeavy): do not pay priority high then.`,
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
        expr: `${once(of("stacks_mempool_fee_priority_microstx", { priority: "high" }))} / ignoring (priority) ${once(of("stacks_mempool_fee_priority_microstx", { priority: "low" }))}`,
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
    description:
      "By how many transactions the mempool grew or shrank within the last hour. Above zero blocks do not keep up; below, the queue drains.",
    unit: "short",
    noValue: "No hour of history yet",
    width: 12,
    height: 8,
    axis: "transactions in an hour",
    queries: [
      {
        expr: `${once(of("stacks_mempool_transactions"))} - ${once(`${of("stacks_mempool_transactions")} offset 1h`)}`,
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
    description:
      "Fees of counted transactions of the chosen type, of all watched addresses: how many fell into each range. What was really paid, against what others offer.",
    unit: "short",
    noValue: "No watched address paid a fee in this range",
    width: 12,
    height: 9,
    queries: [
      {
        expr: total(
          "le",
          `increase(${of("stacks_address_tx_fee_microstx_bucket", { tx_type: "~$distribution_type" })}[$__rate_interval])`,
        ),
        legend: "{{le}}",
      },
    ],
  }),
  lines({
    id: 42,
    title: "Paid against offered",
    interval: "5m",
    legend: "right",
    description: `Mean fee that watched addresses paid within an hour, over priority low of the same type. Types of which they paid fewer than ${FEES.own.leastTransactions} are left out. StacksOwnFeeAboveMarket looks at the median of each address: see the board Addresses.`,
    unit: "none",
    decimals: 2,
    noValue: "Watched addresses paid too few fees within an hour",
    width: 12,
    height: 9,
    axis: "times priority low",
    min: 0,
    queries: [
      {
        expr: `(sum by (tx_type) (increase(${of("stacks_address_tx_fee_microstx_sum")}[1h])) / (sum by (tx_type) (increase(${of("stacks_address_tx_fee_microstx_count")}[1h])) >= ${FEES.own.leastTransactions})) / on (tx_type) ${once(of("stacks_mempool_fee_priority_microstx", { priority: "low" }))}`,
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
    description:
      "Newest Stacks block, and the burn block that anchors it. A flat line is a chain, or an API, that stands still.",
    unit: "locale",
    decimals: 0,
    noValue: "No block read",
    width: 8,
    height: 8,
    queries: [
      { expr: `max(${of("stacks_chain_block_height")})`, legend: "Stacks" },
      { expr: `max(${of("stacks_chain_burn_block_height")})`, legend: "burn chain" },
    ],
    overrides: [
      coloured("burn chain", "orange", { "custom.axisPlacement": "right", "custom.axisLabel": "burn chain" }),
      coloured("Stacks", "purple"),
    ],
  }),
  lines({
    id: 52,
    title: "Age of the tips",
    description:
      "Time since the newest Stacks block and since its burn block. Burn blocks take ten minutes on average, and now and then an hour.",
    unit: "m",
    noValue: "No block read",
    width: 8,
    height: 8,
    min: 0,
    queries: [
      { expr: `(time() - max(${of("stacks_chain_block_timestamp_seconds")})) / 60`, legend: "Stacks" },
      { expr: `(time() - max(${of("stacks_chain_burn_block_timestamp_seconds")})) / 60`, legend: "burn chain" },
    ],
    overrides: [coloured("burn chain", "orange"), coloured("Stacks", "purple")],
  }),
  lines({
    id: 53,
    title: "Blocks per burn block",
    description:
      "Stacks blocks of the last complete tenure. Few of them: signers or miners have trouble, and the queue grows whatever people pay.",
    unit: "short",
    decimals: 0,
    noValue: "No complete tenure was seen yet",
    width: 8,
    height: 8,
    min: 0,
    queries: [{ expr: `max(${of("stacks_chain_blocks_per_burn_block")})`, legend: "blocks" }],
  }),
  heatmap({
    id: 54,
    title: "Time between blocks",
    description: "How many intervals of Stacks blocks fell into each range of seconds. A second band above is trouble.",
    unit: "s",
    noValue: "No block was followed in this range",
    width: 8,
    height: 8,
    queries: [
      {
        expr: total("le", `increase(${of("stacks_chain_block_interval_seconds_bucket")}[$__rate_interval])`),
        legend: "{{le}}",
      },
    ],
  }),
  heatmap({
    id: 55,
    title: "Transactions per block",
    description: "How many Stacks blocks held how many transactions.",
    unit: "short",
    noValue: "No block was followed in this range",
    width: 8,
    height: 8,
    queries: [
      {
        expr: total("le", `increase(${of("stacks_chain_block_size_transactions_bucket")}[$__rate_interval])`),
        legend: "{{le}}",
      },
    ],
  }),
  lines({
    id: 56,
    title: "The newest block",
    description:
      "Execution cost of the newest Stacks block, in the units of each dimension, and its transactions. Logarithmic: the dimensions differ by powers of ten.",
    unit: "short",
    noValue: "No block read",
    width: 8,
    height: 8,
    log: true,
    queries: [
      { expr: once(of("stacks_chain_block_execution_cost")), legend: "{{dimension}}" },
      { expr: `max(${of("stacks_chain_block_transactions")})`, legend: "transactions" },
    ],
  }),
  lines({
    id: 57,
    title: "Reorganisations",
    description:
      "Times that followed blocks were replaced, and how many blocks. Deep ones undo what was thought to be settled: raise the confirmations.",
    unit: "short",
    decimals: 0,
    noValue: "No block read",
    width: 12,
    height: 8,
    min: 0,
    bars: true,
    queries: [
      { expr: `max(increase(${of("stacks_chain_reorgs_total")}[$__rate_interval]))`, legend: "reorganisations" },
      {
        expr: `max(increase(${of("stacks_chain_reorged_blocks_total")}[$__rate_interval]))`,
        legend: "blocks replaced",
      },
    ],
  }),
  stack(
    stat({
      id: 58,
      title: "Last reorganisation",
      description: "How many Stacks blocks the last one replaced, and when it was noticed.",
      unit: "short",
      decimals: 0,
      noValue: "None since the exporter started",
      width: 12,
      height: 4,
      text: "both",
      queries: [
        { expr: `max(${of("stacks_chain_last_reorg_depth_blocks")})`, legend: "blocks" },
        { expr: `max(${of("stacks_chain_last_reorg_timestamp_seconds")}) * 1000`, legend: "noticed" },
      ],
      overrides: [{ name: "noticed", properties: { unit: "dateTimeFromNow" } }],
    }),
    stat({
      id: 59,
      title: "Relics of microblocks",
      description:
        "Microblocks accepted and streamed in this range, transactions in those of the newest block, and the sequence of its parent. None since Nakamoto; absent where blocks are read from the list.",
      unit: "short",
      decimals: 0,
      noValue: "Not told by this API",
      width: 12,
      height: 4,
      text: "both",
      queries: [
        {
          expr: `max by (state) (increase(${of("stacks_chain_microblocks_total")}[$__range]))`,
          legend: "{{state}}",
        },
        { expr: `max(${of("stacks_chain_microblock_transactions")})`, legend: "transactions" },
        { expr: `max(${of("stacks_chain_parent_microblock_sequence")})`, legend: "parent sequence" },
      ],
    }),
  ),
];

const quality: readonly Panel[] = [
  lines({
    id: 61,
    title: "Answers that differed from the one before",
    description:
      "Changed answers a minute, by operation. A mempool that never changes while blocks are made is a frozen upstream, not a calm market.",
    unit: "short",
    noValue: "Nothing was polled in this range",
    width: 6,
    height: 8,
    min: 0,
    axis: "a minute",
    queries: [
      {
        expr: `${once(`rate(${of("stacks_mempool_snapshots_changed_total")}[$__rate_interval])`)} * 60`,
        legend: "{{operation}}",
      },
    ],
  }),
  lines({
    id: 64,
    title: "Age of the mempool's values",
    description:
      "Time since the values of each operation were received, or confirmed unchanged. Teeth as high as the interval are normal; a line that ends is values that expired.",
    unit: "s",
    noValue: "No value of the mempool is fresh",
    width: 6,
    height: 8,
    min: 0,
    queries: [{ expr: `time() - ${once(of("stacks_mempool_snapshot_timestamp_seconds"))}`, legend: "{{operation}}" }],
  }),
  lines({
    id: 62,
    title: "Two operations, one market",
    description:
      "Largest relative difference between a percentile of the mempool statistics and the priority that should equal it. Both are polled at their own pace, so small differences are normal; a lasting one means that the service changed its method.",
    unit: "percentunit",
    noValue: NO_MEMPOOL,
    width: 6,
    height: 8,
    min: 0,
    queries: [
      {
        expr: `max by (tx_type) (abs(label_replace(label_replace(${once(of("stacks_mempool_tx_fee_microstx", { percentile: "~p50|p75" }))}, "priority", "low", "percentile", "p50"), "priority", "medium", "percentile", "p75") / on (tx_type, priority) ${once(of("stacks_mempool_fee_priority_microstx", { priority: "~low|medium" }))} - 1))`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
  }),
  lines({
    id: 63,
    title: "Blocks passed over",
    description:
      "Blocks that came faster than they could be read, and heights that the server did not have. Totals of the chain lack them: poll blocks more often, or raise the budget.",
    unit: "short",
    decimals: 0,
    noValue: "No block read",
    width: 6,
    height: 8,
    min: 0,
    bars: true,
    queries: [
      { expr: `max(increase(${of("stacks_chain_skipped_blocks_total")}[$__rate_interval]))`, legend: "skipped" },
      { expr: `max(increase(${of("stacks_chain_missing_blocks_total")}[$__rate_interval]))`, legend: "missing" },
    ],
  }),
];

/** What should I pay, and is something wrong? */
export const fees: Board = {
  uid: "stacks-fees",
  title: "Stacks / Fees & mempool",
  description:
    "What should I pay, and is something wrong? The fee market of a Stacks network against what is usual, the queue, and the blocks behind it.",
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
    { id: 30, title: "Distribution of what waits", collapsed: true, panels: distribution },
    { id: 40, title: "What watched addresses paid", collapsed: true, panels: confirmed },
    { id: 50, title: "Chain", collapsed: true, panels: chain },
    { id: 60, title: "Quality of the data", collapsed: true, panels: quality },
  ],
};
