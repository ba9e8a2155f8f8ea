// Dashboard Spike investigation: the causes of a spike, and each clause of each fee rule relative to its limit.
import { FEES } from "../alerts/thresholds.ts";
import { type Board, type Slot, stack } from "./board.ts";
import { causeRow } from "./cause.ts";
import { reference, TX_TYPES } from "./colours.ts";
import { coloured, lines, type Panel, shown, table, timeline } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { alertsInState, dedupe, metric, recording, stx } from "./select.ts";
import { minedRatios } from "./shared-panels.ts";
import { FEW_LEFT_OUT } from "./signals.ts";

const LOW = { tx_type: "all", priority: "low" };
const MINED = { tx_type: "all", percentile: "p25" };
const NO_BASELINE = "No usual level yet: needs the recording rules";

const RATIO = "stacks:chain_mined_fee_microstx:ratio";
const quartiles = { ...MINED, percentile: `~${FEES.spike.percentiles.join("|")}` };

// The values that the clauses compare, one number each.
const VALUES = {
  // StacksFeeSpike compares waiting transactions if mined ones are unknown.
  "fee ratio": `(max(${recording(RATIO, quartiles)}) or max(${recording("stacks:mempool_fee_priority_microstx:ratio7d", LOW)}))`,
  "mined fee ratio": `max(${recording(RATIO, MINED)})`,
  backlog: `max(${recording("stacks:mempool_backlog:tenures")})`,
  "blocks full": `max(${recording("stacks:chain_block_usage:ratio")})`,
  mined: `max(${metric("stacks_chain_mined_fee_sample_transactions", { tx_type: "all" })})`,
} as const;

// A value has the same colour in every panel.
const COLOURS: Readonly<Record<keyof typeof VALUES, string>> = {
  "fee ratio": "green",
  "mined fee ratio": "green",
  backlog: "yellow",
  "blocks full": "purple",
  mined: "blue",
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
const { spike, backlog, low, blockUsage } = FEES;

const RULES: readonly Rule[] = [
  {
    alert: "StacksFeeSpike",
    for: spike.for,
    clauses: [
      above("fee ratio", spike.feeRatio),
      above("blocks full", spike.blockUsage),
      // The rule ignores an unknown backlog.
      { ...above("backlog", spike.tenures), unknown: "vector(1)" },
    ],
  },
  {
    alert: "StacksMempoolBacklog",
    for: backlog.for,
    clauses: [{ value: "backlog", op: ">=", limit: backlog.tenures }, above("blocks full", backlog.blockUsage)],
  },
  {
    alert: "StacksFeesLow",
    for: low.for,
    clauses: [
      { value: "mined fee ratio", op: "<", limit: low.feeRatioBelow },
      { value: "mined", op: ">=", limit: low.minMined },
    ],
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
      clauses hold for the configured time. A clause without a value is unknown; StacksFeeSpike ignores an unknown
      backlog.`,
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
      title: "Mined fee and its usual level (STX)",
      description: `The 25th percentile of the fees of the transactions that were mined in the last 10 minutes, its usual
        level, and the limit of StacksFeeSpike. Low: the median of waiting transactions.`,
      unit: "short",
      decimals: 4,
      noValue: "No data: the mempool is empty, or was not read",
      width: 12,
      height: 15,
      axis: "STX",
      log: true,
      queries: [
        { expr: `max(${stx(metric("stacks_chain_mined_fee_microstx", MINED))})`, legend: "mined" },
        { expr: `max(${stx(metric("stacks_chain_mined_fee_baseline_microstx", MINED))})`, legend: "usual" },
        {
          expr: `max(${stx(metric("stacks_chain_mined_fee_baseline_microstx", MINED))}) * ${spike.feeRatio}`,
          legend: `usual × ${spike.feeRatio}`,
        },
        { expr: `max(${stx(metric("stacks_mempool_fee_priority_microstx", LOW))})`, legend: "low" },
      ],
      overrides: [
        coloured("mined", "green"),
        reference("usual", "text"),
        reference(`usual × ${spike.feeRatio}`, "red"),
        coloured("low", "blue", { "custom.lineWidth": 1 }),
      ],
    }),
    timeline({
      id: 4,
      title: "StacksFeeSpike with other limits",
      description: `StacksFeeSpike with the limits from the variables of this dashboard, without its for clause: red while
        it would hold. Use it to see how often other limits would have fired; the default limits are in
        alerts/thresholds.ts.`,
      unit: "none",
      noValue: NO_BASELINE,
      width: 12,
      height: 7,
      mappings: [shown(0, "no", "green", 0), shown(1, "would hold", "red", 1)],
      queries: [
        {
          expr: `(${VALUES["fee ratio"]} > bool $fee_ratio) * (${VALUES["blocks full"]} > bool $blocks_full) * ((${VALUES.backlog} > bool $backlog) or vector(1))`,
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
    limit: 1,
    queries: rule.clauses.map((clause) => ({ expr: nearness(clause), legend: named(clause) })),
    overrides: rule.clauses.map((clause) => coloured(named(clause), COLOURS[clause.value])),
    link: runbook(rule.alert),
  }),
);

const signals: readonly Panel[] = [
  minedRatios({
    id: 31,
    title: "Fee relative to the usual fee, by type",
    description: `Fee of mined transactions of each type relative to its usual level. If one type rises, it is a single
      event; if all rise, space is short. ${FEW_LEFT_OUT}`,
    width: 12,
    height: 8,
  }),
  lines({
    id: 32,
    title: "Waiting transactions by type",
    legend: "right",
    description: `Waiting transactions by type, the usual number, and the limit of StacksMempoolBacklog:
      ${backlog.tenures} tenures more than usual.`,
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
        expr: `max(${recording("stacks:mempool_transactions:baseline7d")}) + ${backlog.tenures} * max(${recording("stacks:chain_tenure_capacity:transactions")})`,
        legend: "backlog from",
      },
    ],
    overrides: [...TX_TYPES, reference("usual", "text"), reference("backlog from", "red")],
  }),
  lines({
    id: 33,
    title: "Median fee of mined transactions (STX)",
    legend: "right",
    description: `Median fee of the transactions that were mined in the last 10 minutes, by type. Default budgets of the
      optional alert StacksFeeAbsolute: ${Object.entries(FEES.absolute.microstx)
        .map(([type, budget]) => `${type} ${budget / 1e6} STX`)
        .join(", ")}.`,
    unit: "short",
    decimals: 4,
    noValue: "No data: nothing was mined, or the collector transactions has no data",
    width: 12,
    height: 8,
    axis: "STX",
    log: true,
    queries: [
      {
        expr: dedupe(stx(metric("stacks_chain_mined_fee_microstx", { tx_type: "!all", percentile: "p50" }))),
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
      the last ${blockUsage.window}, where 100 % is the capacity of tenures of ${blockUsage.tenure}. The rules use the
      rate: StacksFeeSpike needs more than ${spike.blockUsage * 100} %, StacksMempoolBacklog more than
      ${backlog.blockUsage * 100} %.`,
    unit: "percentunit",
    noValue: "Unknown: no block was read",
    width: 12,
    height: 8,
    min: 0,
    softMax: 1,
    limit: [spike.blockUsage, backlog.blockUsage],
    queries: [
      { expr: `max(${metric("stacks_chain_tenure_execution_cost_ratio")})`, legend: "this tenure" },
      { expr: VALUES["blocks full"], legend: `rate of ${blockUsage.window}` },
    ],
    overrides: [
      coloured("this tenure", "blue", { "custom.lineWidth": 1 }),
      coloured(`rate of ${blockUsage.window}`, COLOURS["blocks full"]),
    ],
  }),
];

/** The dashboard Spike investigation. */
export const spikes: Board = {
  uid: "stacks-spike",
  title: "Stacks / Spike investigation",
  description: `What causes a spike, is it over, and why did a fee alert fire or not? The course of the spike, and each
    clause of each rule relative to its limit.`,
  from: "now-6h",
  networks: "one",
  variables: [
    { kind: "number", name: "fee_ratio", label: "Fee ratio >", value: spike.feeRatio },
    { kind: "number", name: "blocks_full", label: "Blocks full >", value: spike.blockUsage },
    { kind: "number", name: "backlog", label: "Backlog >", value: spike.tenures },
  ],
  rows: [
    { panels: causeRow },
    { id: 10, title: "Alerts and rules", panels: verdict },
    { id: 20, title: "Clauses of each rule relative to their limits", panels: clauses },
    { id: 30, title: "Signals", panels: signals },
  ],
};
