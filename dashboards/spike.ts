// Board Spike investigation: what causes a spike, and why did a fee alert fire, or why not? Each clause of each rule
// relative to its limit.
import { FEES } from "../alerts/thresholds.ts";
import { type Board, type Slot, stack } from "./board.ts";
import { causeRow } from "./cause.ts";
import { reference, TX_TYPES } from "./colours.ts";
import { coloured, lines, type Panel, shown, table, timeline } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { alertsInState, dedupe, metric, recording, stx } from "./select.ts";
import { FEW_LEFT_OUT, minedRatioByType, NO_MINED } from "./signals.ts";

const LOW = { tx_type: "all", priority: "low" };
const NO_BASELINE = "No usual level yet: needs the recording rules and a day of history";

// The values that the clauses compare, one number each.
const VALUES = {
  "fee ratio": `max(${recording("stacks:mempool_fee_priority_microstx:ratio7d", LOW)})`,
  "slow fee ratio": `max(${recording("stacks:mempool_fee_priority_microstx:ratio7d_slow", LOW)})`,
  "queue ratio": `max(${recording("stacks:mempool_transactions:ratio7d")})`,
  waiting: `sum(${dedupe(metric("stacks_mempool_transactions"))})`,
  "blocks full": `max(${recording("stacks:chain_block_usage:ratio")})`,
  "slow blocks full": `max(${recording("stacks:chain_block_usage:ratio_slow")})`,
  spread: `max(${metric("stacks_mempool_fee_priority_microstx", { tx_type: "all", priority: "high" })}) / max(${metric("stacks_mempool_fee_priority_microstx", LOW)})`,
} as const;

// A value has the same colour in every panel.
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
  /** Replaces the clause when the value is unknown. */
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
// When the use of blocks is unknown, the rules ignore this clause.
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
/** 1 while every clause holds, 0 while one does not; absent while one of them is unknown. */
const holds = ({ clauses }: Rule) => clauses.map(met).join(" * ");
/** Value relative to the limit: above 1, the clause holds. */
const nearness = ({ value, op, limit }: Clause) =>
  op === "<" ? `${limit} / (${VALUES[value]} > 0)` : `(${VALUES[value]}) / ${limit}`;

const verdict: readonly Slot[] = [
  timeline({
    id: 1,
    title: "Pending and firing alerts",
    description: `State of the alerts in Prometheus: pending while the clauses hold for less than the configured time,
      then firing. Empty when no alert was pending, or when the alerts are not loaded into this Prometheus.`,
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
    title: "Rules with all clauses true",
    description: `The rules without their for clause, computed by this panel: red while every clause holds. A rule
      fires when its bar is as long as its for clause. Grey: a clause is unknown.`,
    unit: "none",
    noValue: NO_BASELINE,
    width: 12,
    height: 8,
    mappings: [shown(0, "no", "green", 0), shown(1, "all hold", "red", 1)],
    queries: RULES.map((rule) => ({ expr: holds(rule), legend: `${rule.alert} (for ${rule.for})` })),
  }),
  table({
    id: 3,
    title: "Present clauses",
    description: `Each clause of each fee rule: its present value, and whether it holds. A rule fires when all of its
      clauses hold for the configured time. A clause without a value is unknown; if it is the use of blocks, the rule
      ignores it.`,
    unit: "none",
    noValue: "No data: no response, or no usual level yet",
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
        "Priority low of all types, its usual level, and the limits of StacksFeeElevated and StacksFeeSpike.",
      unit: "short",
      decimals: 4,
      noValue: "No data: the mempool is empty, or was not read",
      width: 12,
      height: 15,
      axis: "STX",
      log: true,
      queries: [
        { expr: `max(${stx(metric("stacks_mempool_fee_priority_microstx", LOW))})`, legend: "low" },
        { expr: `max(${stx(recording("stacks:mempool_fee_priority_microstx:baseline7d", LOW))})`, legend: "usual" },
        {
          expr: `max(${stx(recording("stacks:mempool_fee_priority_microstx:baseline7d", LOW))}) * ${elevated.feeRatio}`,
          legend: `usual × ${elevated.feeRatio}`,
        },
        {
          expr: `max(${stx(recording("stacks:mempool_fee_priority_microstx:baseline7d", LOW))}) * ${spike.feeRatio}`,
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
      title: "StacksFeeSpike with other limits",
      description: `StacksFeeSpike with the limits from the variables of this board, without its for clause: red while
        it would hold. Use it to see how often other limits would have fired; the default limits are in
        alerts/thresholds.ts.`,
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
    description: `Each clause of ${rule.alert} divided by its limit (for "<", the limit divided by the value). The rule
      holds while every line is above 1, and fires after ${rule.for}. The lowest line is the reason why it does not
      fire.`,
    unit: "none",
    // Otherwise the axis shows 0 for 0.01, and a logarithmic axis has no 0.
    decimals: 2,
    noValue: NO_BASELINE,
    width: 8,
    height: 10,
    axis: "times the limit",
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
    title: "Fee relative to the usual fee, by type",
    legend: "right",
    description: `Fee of mined transactions of each type relative to its usual level. If one type rises, it is a single
      event; if all rise, space is short. ${FEW_LEFT_OUT}`,
    unit: "none",
    noValue: NO_MINED,
    width: 12,
    height: 8,
    axis: "times usual",
    log: true,
    limits: true,
    steps: [
      [null, "transparent"],
      [spike.feeRatio, "red"],
    ],
    queries: [minedRatioByType],
    overrides: TX_TYPES,
  }),
  lines({
    id: 32,
    title: "Waiting transactions by type",
    legend: "right",
    description: `Waiting transactions by type, the usual number, and the limit of StacksMempoolBacklog:
      ${backlog.backlogRatio} times the usual number, and at least ${backlog.leastWaiting}.`,
    unit: "short",
    noValue: "No data: the mempool is empty, or was not read",
    width: 12,
    height: 8,
    axis: "transactions",
    min: 0,
    stacked: true,
    queries: [
      { expr: dedupe(metric("stacks_mempool_transactions")), legend: "{{tx_type}}" },
      { expr: `max(${recording("stacks:mempool_transactions:baseline7d")})`, legend: "usual" },
      {
        expr: `clamp_min(max(${recording("stacks:mempool_transactions:baseline7d")}) * ${backlog.backlogRatio}, ${backlog.leastWaiting})`,
        legend: "backlog from",
      },
    ],
    overrides: [...TX_TYPES, reference("usual", "text"), reference("backlog from", "red")],
  }),
  lines({
    id: 33,
    title: "Priority medium (STX)",
    legend: "right",
    description: `Priority medium by type. Default budgets of the optional alert StacksFeeAbsolute: ${Object.entries(
      FEES.absolute.microstx,
    )
      .map(([type, budget]) => `${type} ${budget / 1e6} STX`)
      .join(", ")}.`,
    unit: "short",
    decimals: 4,
    noValue: "No data: the mempool is empty, or was not read",
    width: 12,
    height: 8,
    axis: "STX",
    log: true,
    queries: [
      {
        expr: dedupe(stx(metric("stacks_mempool_fee_priority_microstx", { tx_type: "!all", priority: "medium" }))),
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
    link: runbook("StacksFeeAbsolute"),
  }),
  lines({
    id: 34,
    title: "Use of blocks",
    legend: "right",
    description: `Used share of the limits of the current tenure, in the fullest dimension, and the use at the rate of
      the last ${blockUsage.windows.fast} and ${blockUsage.windows.slow}, where 100 % is the capacity of tenures of
      ${blockUsage.tenure}. The rules use the rates; StacksFeeElevated and StacksMempoolBacklog use the slower one.
      Below ${blockUsage.idleBelow * 100} %, high fees are stuck. Up to ${blockUsage.roomUpTo.fast * 100} % (slower
      rate: ${blockUsage.roomUpTo.slow * 100} %), blocks have room.`,
    unit: "percentunit",
    noValue: "Unknown: no block was read",
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
      { expr: `max(${metric("stacks_chain_tenure_execution_cost_ratio")})`, legend: "this tenure" },
      { expr: VALUES["blocks full"], legend: `rate of ${blockUsage.windows.fast}` },
      { expr: VALUES["slow blocks full"], legend: `rate of ${blockUsage.windows.slow}` },
    ],
    overrides: [
      coloured("this tenure", "blue", { "custom.lineWidth": 1 }),
      coloured(`rate of ${blockUsage.windows.fast}`, COLOURS["blocks full"]),
      coloured(`rate of ${blockUsage.windows.slow}`, COLOURS["slow blocks full"]),
    ],
  }),
];

/** The board Spike investigation. */
export const spikes: Board = {
  uid: "stacks-spike",
  title: "Stacks / Spike investigation",
  description: `What causes a spike, is it over, and why did a fee alert fire or not? The course of the spike, and each
    clause of each rule relative to its limit.`,
  from: "now-6h",
  networks: "one",
  variables: [
    { kind: "number", name: "fee_ratio", label: "Fee ratio >", value: spike.feeRatio },
    { kind: "number", name: "queue_ratio", label: "Queue ratio >", value: spike.backlogRatio },
    { kind: "number", name: "least_waiting", label: "Waiting ≥", value: spike.leastWaiting },
    { kind: "number", name: "blocks_full", label: "Blocks full >", value: blockUsage.roomUpTo.fast },
  ],
  rows: [
    { panels: causeRow },
    { id: 10, title: "Alerts and rules", panels: verdict },
    { id: 20, title: "Clauses of each rule relative to their limits", panels: clauses },
    { id: 30, title: "Signals", panels: signals },
  ],
};
