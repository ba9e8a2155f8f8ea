// Dashboard Spike investigation: the causes of a spike, and each clause of each fee rule relative to its limit.
import { FEES } from "../alerts/thresholds.ts";
import type { Board } from "./board.ts";
import { causeRow } from "./cause.ts";
import { reference } from "./colours.ts";
import { coloured, lines, type Panel, shown, table, timeline } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { alertsInState, metric, recording, stx } from "./select.ts";

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
const { spike, backlog, low } = FEES;

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

const verdict: readonly Panel[] = [
  timeline({
    id: 1,
    title: "Pending and firing alerts",
    description: `State of the alerts in Prometheus: pending while the clauses hold for less than the configured time,
      then firing. Empty when no alert was pending, or when the alerts are not loaded into this Prometheus.`,
    unit: "none",
    noValue: "No fee alert was pending or firing in this range",
    mappings: [shown(1, "pending", "yellow", 0), shown(2, "firing", "red", 1)],
    queries: {
      "{{alertname}}": `max by (alertname) (${alertsInState("firing", "Stacks(Fee|Mempool|OwnFee).*")} * 2 or ${alertsInState("pending", "Stacks(Fee|Mempool|OwnFee).*")})`,
    },
  }),
  timeline({
    id: 2,
    title: "Rules with all clauses true",
    description: `The rules without their for clause, computed by this panel: red while every clause holds. A rule
      fires when its bar is as long as its for clause. Grey: a clause is unknown.`,
    unit: "none",
    noValue: NO_BASELINE,
    mappings: [shown(0, "no", "green", 0), shown(1, "all hold", "red", 1)],
    queries: Object.fromEntries(RULES.map((rule) => [`${rule.alert} (for ${rule.for})`, holds(rule)])),
  }),
  table({
    id: 3,
    title: "Present clauses",
    description: `Each clause of each fee rule: its present value, and whether it holds. A rule fires when all of its
      clauses hold for the configured time. A clause without a value is unknown; StacksFeeSpike ignores an unknown
      backlog.`,
    unit: "none",
    noValue: "No data: no response, or no usual level yet",
    height: 22,
    labels: ["rule", "clause"],
    values: {
      value: `sum by (rule, clause) (${forAll(({ value }) => VALUES[value])})`,
      holds: `sum by (rule, clause) (${forAll(met)})`,
    },
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
  lines({
    id: 5,
    title: "Mined fee and its usual level (STX)",
    description: `The 25th percentile of the fees of the transactions that were mined in the last 10 minutes, its usual
        level, and the limit of StacksFeeSpike. Low: the median of waiting transactions.`,
    height: 22,
    decimals: 4,
    noValue: "No data: the mempool is empty, or was not read",
    axis: "STX",
    log: true,
    queries: {
      mined: `max(${stx(metric("stacks_chain_mined_fee_microstx", MINED))})`,
      usual: `max(${stx(metric("stacks_chain_mined_fee_baseline_microstx", MINED))})`,
      [`usual × ${spike.feeRatio}`]: `max(${stx(metric("stacks_chain_mined_fee_baseline_microstx", MINED))}) * ${spike.feeRatio}`,
      low: `max(${stx(metric("stacks_mempool_fee_priority_microstx", LOW))})`,
    },
    overrides: [
      coloured("mined", "green"),
      reference("usual", "text"),
      reference(`usual × ${spike.feeRatio}`, "red"),
      coloured("low", "blue", { "custom.lineWidth": 1 }),
    ],
  }),
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
    queries: Object.fromEntries(rule.clauses.map((clause) => [named(clause), nearness(clause)])),
    overrides: rule.clauses.map((clause) => coloured(named(clause), COLOURS[clause.value])),
    link: runbook(rule.alert),
  }),
);

/** The dashboard Spike investigation. */
export const spikes: Board = {
  uid: "stacks-spike",
  title: "Stacks / Spike investigation",
  description: `What causes a spike, is it over, and why did a fee alert fire or not? The course of the spike, and each
    clause of each rule relative to its limit.`,
  from: "now-6h",
  networks: "one",
  rows: [
    { panels: causeRow },
    { id: 10, title: "Alerts and rules", panels: verdict },
    { id: 20, title: "Clauses of each rule relative to their limits", panels: clauses },
  ],
};
