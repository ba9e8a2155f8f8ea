// Spike investigation: why did a fee alert fire, or why not? Each clause of each rule against its limit.
import { FEES } from "../alerts/thresholds.ts";
import { type Board, type Slot, stack } from "./board.ts";
import { reference, TX_TYPES } from "./colours.ts";
import { coloured, lines, type Panel, shown, table, timeline } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { alertsInState, of, once, rec, stx } from "./select.ts";
import { FEW_LEFT_OUT, feeRatioByType } from "./signals.ts";

const LOW = { tx_type: "all", priority: "low" };
const NO_BASELINE = "No usual level yet: it needs the recording rules and a day of history";

// What the clauses look at; one number each, so that they can stand beside each other.
const VALUES = {
  "fee ratio": `max(${rec("stacks:mempool_fee_priority_microstx:ratio7d", LOW)})`,
  "slow fee ratio": `max(${rec("stacks:mempool_fee_priority_microstx:ratio7d_slow", LOW)})`,
  "queue ratio": `max(${rec("stacks:mempool_transactions:ratio7d")})`,
  waiting: `sum(${once(of("stacks_mempool_transactions"))})`,
  "blocks full": `max(${rec("stacks:chain_block_usage:ratio")})`,
  "slow blocks full": `max(${rec("stacks:chain_block_usage:ratio_slow")})`,
  spread: `max(${of("stacks_mempool_fee_priority_microstx", { tx_type: "all", priority: "high" })}) / max(${of("stacks_mempool_fee_priority_microstx", LOW)})`,
} as const;

// The same value has the same colour in every rule, and where its signal is drawn.
const COLOURS: Readonly<Record<keyof typeof VALUES, string>> = {
  "fee ratio": "green",
  "slow fee ratio": "green",
  "queue ratio": "yellow",
  waiting: "blue",
  "blocks full": "purple",
  "slow blocks full": "orange",
  spread: "text",
};

interface Clause {
  readonly value: keyof typeof VALUES;
  readonly op: ">" | ">=" | "<";
  readonly limit: number;
  /** What the rule looks at instead where the value is not known. */
  readonly unknown?: string;
}
interface Rule {
  readonly alert: string;
  readonly for: string;
  readonly clauses: readonly Clause[];
}

const above = (value: Clause["value"], limit: number): Clause => ({ value, op: ">", limit });
const least = (limit: number): Clause => ({ value: "waiting", op: ">=", limit });
const below = (value: Clause["value"], limit: number): Clause => ({ value, op: "<", limit });
const { spike, elevated, backlog, topHeavy, stuckCluster, low, blockUsage } = FEES;
// Where the use of blocks is not known, the rules do without that clause.
const noRoom: Clause = { ...above("blocks full", blockUsage.roomUpTo.fast), unknown: "vector(1)" };
const noRoomSlow: Clause = { ...above("slow blocks full", blockUsage.roomUpTo.slow), unknown: "vector(1)" };
const idle: Clause = {
  ...below("blocks full", blockUsage.idleBelow),
  unknown: `${VALUES["queue ratio"]} < bool ${stuckCluster.backlogRatioBelow}`,
};

const RULES: readonly Rule[] = [
  {
    alert: "StacksFeeSpike",
    for: spike.for,
    clauses: [
      above("fee ratio", spike.feeRatio),
      above("queue ratio", spike.backlogRatio),
      least(spike.leastWaiting),
      noRoom,
    ],
  },
  {
    alert: "StacksFeeElevated",
    for: elevated.for,
    clauses: [
      above("slow fee ratio", elevated.feeRatio),
      above("queue ratio", elevated.backlogRatio),
      least(elevated.leastWaiting),
      noRoomSlow,
    ],
  },
  {
    alert: "StacksMempoolBacklog",
    for: backlog.for,
    clauses: [above("queue ratio", backlog.backlogRatio), least(backlog.leastWaiting), noRoomSlow],
  },
  {
    alert: "StacksFeeTopHeavy",
    for: topHeavy.for,
    clauses: [
      above("spread", topHeavy.spreadRatio),
      below("fee ratio", topHeavy.feeRatioBelow),
      least(topHeavy.leastWaiting),
    ],
  },
  {
    alert: "StacksMempoolStuckCluster",
    for: stuckCluster.for,
    clauses: [above("fee ratio", stuckCluster.feeRatio), least(stuckCluster.leastWaiting), idle],
  },
  {
    alert: "StacksFeesLow",
    for: low.for,
    clauses: [below("slow fee ratio", low.feeRatioBelow), least(low.leastWaiting)],
  },
];

const named = ({ value, op, limit }: Clause) => `${value} ${op} ${limit}`;
const labelled = (expr: string, { alert }: Rule, clause: Clause) =>
  `label_replace(label_replace(${expr}, "rule", "${alert}", "", ""), "clause", "${named(clause)}", "", "")`;
const forAll = (expr: (clause: Clause) => string) =>
  RULES.flatMap((rule) => rule.clauses.map((clause) => labelled(expr(clause), rule, clause))).join(" or ");
const met = ({ value, op, limit, unknown }: Clause) => {
  const clause = `${VALUES[value]} ${op} bool ${limit}`;
  return unknown === undefined ? `(${clause})` : `((${clause}) or (${unknown}))`;
};
/** 1 while every clause holds, 0 while one does not; nothing while one of them is not known. */
const holds = ({ clauses }: Rule) => clauses.map(met).join(" * ");
/** How near a clause is to its limit: 1 is the limit, more is beyond it. */
const nearness = ({ value, op, limit }: Clause) =>
  op === "<" ? `${limit} / (${VALUES[value]} > 0)` : `(${VALUES[value]}) / ${limit}`;

const verdict: readonly Slot[] = [
  timeline({
    id: 1,
    title: "Alerts: pending and firing",
    description:
      "What Prometheus made of the rules: pending while the clauses hold and the time has not passed, then firing. Empty when no rule was near, or when the alerts are not loaded into this Prometheus.",
    unit: "none",
    noValue: "No fee alert was pending or firing in this range",
    width: 12,
    height: 8,
    mappings: [shown(1, "pending", "yellow", 0), shown(2, "firing", "red", 1)],
    queries: [
      {
        expr: `max by (alertname) (${alertsInState("firing", "Stacks(Fee|Mempool|OwnFee).*")} * 2 or ${alertsInState("pending", "Stacks(Fee|Mempool|OwnFee).*")})`,
        legend: "{{alertname}}",
      },
    ],
  }),
  timeline({
    id: 2,
    title: "Do all clauses hold?",
    description:
      "The same rules without their waiting time, computed on the spot: red while every clause holds. A rule fires when its bar is as long as its time (for). Grey: a clause cannot be told.",
    unit: "none",
    noValue: NO_BASELINE,
    width: 12,
    height: 8,
    mappings: [shown(0, "no", "green", 0), shown(1, "all hold", "red", 1)],
    queries: RULES.map((rule) => ({ expr: holds(rule), legend: `${rule.alert} (for ${rule.for})` })),
  }),
  table({
    id: 3,
    title: "Why it fires, or why not",
    description:
      "Each clause of each fee rule now: its value, and whether it holds. A rule needs all of its clauses, for its time; the one that does not hold is why it is quiet. A clause without a value is not known, and the rule does without it where that is the use of blocks.",
    unit: "none",
    noValue: "Nothing is known now: no answer, or no usual level yet",
    width: 12,
    height: 22,
    queries: [
      { expr: `sum by (rule, clause) (${forAll(({ value }) => VALUES[value])})` },
      { expr: `sum by (rule, clause) (${forAll(met)})` },
    ],
    columns: { rule: "rule", clause: "clause", "Value #A": "value", "Value #B": "holds" },
    sortBy: "rule",
    overrides: [
      {
        name: "holds",
        properties: {
          decimals: 0,
          mappings: [shown(0, "no", "green", 0), shown(1, "yes", "orange", 1)],
          "custom.cellOptions": { type: "color-text" },
          "custom.width": 80,
        },
      },
      { name: "value", properties: { "custom.width": 90 } },
    ],
  }),
  stack(
    lines({
      id: 5,
      title: "Fee and its usual level (STX)",
      description:
        "Priority low of all types, the usual level, and where the fee clauses of StacksFeeElevated and StacksFeeSpike are.",
      unit: "short",
      decimals: 4,
      noValue: "Nothing: the mempool is empty, or not read",
      width: 12,
      height: 15,
      axis: "STX",
      log: true,
      queries: [
        { expr: `max(${stx(of("stacks_mempool_fee_priority_microstx", LOW))})`, legend: "low" },
        { expr: `max(${stx(rec("stacks:mempool_fee_priority_microstx:baseline7d", LOW))})`, legend: "usual" },
        {
          expr: `max(${stx(rec("stacks:mempool_fee_priority_microstx:baseline7d", LOW))}) * ${elevated.feeRatio}`,
          legend: `usual × ${elevated.feeRatio}`,
        },
        {
          expr: `max(${stx(rec("stacks:mempool_fee_priority_microstx:baseline7d", LOW))}) * ${spike.feeRatio}`,
          legend: `usual × ${spike.feeRatio}`,
        },
      ],
      overrides: [
        coloured("low", "green"),
        reference("usual", "text"),
        reference(`usual × ${elevated.feeRatio}`, "yellow"),
        reference(`usual × ${spike.feeRatio}`, "red"),
      ],
    }),
    timeline({
      id: 4,
      title: "What if the limits were others?",
      description:
        "StacksFeeSpike with the limits from the boxes above, without its waiting time: red while it would hold. Change a box and see how often it would have fired; the shipped limits are in alerts/thresholds.ts.",
      unit: "none",
      noValue: NO_BASELINE,
      width: 12,
      height: 7,
      mappings: [shown(0, "no", "green", 0), shown(1, "would hold", "red", 1)],
      queries: [
        {
          expr: `(${VALUES["fee ratio"]} > bool $fee_ratio) * (${VALUES["queue ratio"]} > bool $queue_ratio) * (${VALUES.waiting} >= bool $least_waiting) * ((${VALUES["blocks full"]} > bool $blocks_full) or vector(1))`,
          legend: "with your limits",
        },
        { expr: holds(RULES[0] as Rule), legend: "as shipped" },
      ],
    }),
  ),
];

const clauses: readonly Panel[] = RULES.map((rule, index) =>
  lines({
    id: 21 + index,
    title: rule.alert,
    description: `Each clause of ${rule.alert} over its limit (for "<", the limit over the value): the rule holds while every line is above 1, and fires after ${rule.for}. The lowest line is why it does not.`,
    unit: "none",
    // Else the axis says 0 where it has a hundredth, and a logarithm has no 0.
    decimals: 2,
    noValue: NO_BASELINE,
    width: 8,
    height: 10,
    axis: "of the limit",
    log: true,
    limits: true,
    steps: [
      [null, "transparent"],
      [1, "red"],
    ],
    queries: rule.clauses.map((clause) => ({ expr: nearness(clause), legend: named(clause) })),
    overrides: rule.clauses.map((clause) => coloured(named(clause), COLOURS[clause.value])),
    link: runbook(rule.alert),
  }),
);

const signals: readonly Panel[] = [
  lines({
    id: 31,
    title: "Which type drives it",
    legend: "right",
    description: `Fee of each type against its own usual level (priority low). One type alone is an event of one kind; all of them mean that space is short. ${FEW_LEFT_OUT}`,
    unit: "none",
    noValue: NO_BASELINE,
    width: 12,
    height: 8,
    axis: "times the usual",
    log: true,
    limits: true,
    steps: [
      [null, "transparent"],
      [spike.feeRatio, "red"],
    ],
    queries: [feeRatioByType],
    overrides: TX_TYPES,
  }),
  lines({
    id: 32,
    title: "Queue and its usual length",
    legend: "right",
    description: `Waiting transactions by type, the usual number, and where StacksMempoolBacklog begins: ${backlog.backlogRatio} times the usual, and not below ${backlog.leastWaiting}.`,
    unit: "short",
    noValue: "Nothing: the mempool is empty, or not read",
    width: 12,
    height: 8,
    axis: "transactions",
    min: 0,
    stacked: true,
    queries: [
      { expr: once(of("stacks_mempool_transactions")), legend: "{{tx_type}}" },
      { expr: `max(${rec("stacks:mempool_transactions:baseline7d")})`, legend: "usual" },
      {
        expr: `clamp_min(max(${rec("stacks:mempool_transactions:baseline7d")}) * ${backlog.backlogRatio}, ${backlog.leastWaiting})`,
        legend: "backlog from",
      },
    ],
    overrides: [...TX_TYPES, reference("usual", "text"), reference("backlog from", "red")],
  }),
  lines({
    id: 33,
    title: "Priority medium against a budget of your own (STX)",
    legend: "right",
    description: `Priority medium by type, and the budgets of the optional alert StacksFeeAbsolute as shipped (${Object.entries(
      FEES.absolute.microstx,
    )
      .map(([type, budget]) => `${type} ${budget / 1e6} STX`)
      .join(", ")}): put in your own.`,
    unit: "short",
    decimals: 4,
    noValue: "Nothing: the mempool is empty, or not read",
    width: 12,
    height: 8,
    axis: "STX",
    log: true,
    queries: [
      {
        expr: once(stx(of("stacks_mempool_fee_priority_microstx", { tx_type: "!all", priority: "medium" }))),
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
    link: runbook("StacksFeeAbsolute"),
  }),
  lines({
    id: 34,
    title: "Use of the blocks",
    legend: "right",
    description: `Limit of the present tenure that is used, in its tightest dimension, and the pace of the last ${blockUsage.windows.fast} and ${blockUsage.windows.slow}, where 100 % is as much as tenures of ${blockUsage.tenure} allow; the rules look at the pace, those of StacksFeeElevated and StacksMempoolBacklog at the slower one: below ${blockUsage.idleBelow * 100} % high fees are stuck rather than bid, up to ${blockUsage.roomUpTo.fast * 100} % (the slower one: ${blockUsage.roomUpTo.slow * 100} %) there is room.`,
    unit: "percentunit",
    noValue: "Not known: no block was read",
    width: 12,
    height: 8,
    min: 0,
    softMax: 1,
    limits: true,
    steps: [
      [null, "transparent"],
      [blockUsage.roomUpTo.slow, "orange"],
      [blockUsage.idleBelow, "blue"],
      [blockUsage.roomUpTo.fast, "red"],
    ],
    queries: [
      { expr: `max(${of("stacks_chain_tenure_execution_cost_ratio")})`, legend: "this tenure" },
      { expr: VALUES["blocks full"], legend: `pace of ${blockUsage.windows.fast}` },
      { expr: VALUES["slow blocks full"], legend: `pace of ${blockUsage.windows.slow}` },
    ],
    overrides: [
      coloured("this tenure", "blue", { "custom.lineWidth": 1 }),
      coloured(`pace of ${blockUsage.windows.fast}`, COLOURS["blocks full"]),
      coloured(`pace of ${blockUsage.windows.slow}`, COLOURS["slow blocks full"]),
    ],
  }),
];

/** Why did a fee alert fire, or why not? */
export const spikes: Board = {
  uid: "stacks-spike",
  title: "Stacks / Spike investigation",
  description: "Why did a fee alert fire, or why did it not? Each clause of each rule against its limit.",
  from: "now-6h",
  networks: "one",
  variables: [
    { kind: "number", name: "fee_ratio", label: "Fee ratio >", value: spike.feeRatio },
    { kind: "number", name: "queue_ratio", label: "Queue ratio >", value: spike.backlogRatio },
    { kind: "number", name: "least_waiting", label: "Waiting ≥", value: spike.leastWaiting },
    { kind: "number", name: "blocks_full", label: "Blocks full >", value: blockUsage.roomUpTo.fast },
  ],
  rows: [
    { panels: verdict },
    { id: 20, title: "Each rule: how near its clauses are to their limits", panels: clauses },
    { id: 30, title: "The signals behind them", panels: signals },
  ],
};
