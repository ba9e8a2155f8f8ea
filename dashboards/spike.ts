// Dashboard Spike investigation: the causes of a spike, and each clause of each fee rule relative to its limit.
import { FEES } from "../alerts/thresholds.ts";
import type { Board } from "./board.ts";
import { causeRow } from "./cause.ts";
import { reference } from "./colours.ts";
import { coloured, lines, type Panel, shown, timeline } from "./panel.ts";
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

const { spike, backlog, low } = FEES;
const above = (value: keyof typeof VALUES, limit: number, op = ">") => ({
  [`${value} ${op} ${limit}`]: `(${VALUES[value]}) / ${limit}`,
});
const below = (value: keyof typeof VALUES, limit: number) => ({
  [`${value} < ${limit}`]: `${limit} / (${VALUES[value]} > 0)`,
});
/** The clauses of each rule, relative to their limits: above 1, a clause holds. */
const RULES = {
  StacksFeeSpike: {
    for: spike.for,
    queries: {
      ...above("fee ratio", spike.feeRatio),
      ...above("blocks full", spike.blockUsage),
      ...above("backlog", spike.tenures),
    },
  },
  StacksMempoolBacklog: {
    for: backlog.for,
    queries: { ...above("backlog", backlog.tenures, ">="), ...above("blocks full", backlog.blockUsage) },
  },
  StacksFeesLow: {
    for: low.for,
    queries: { ...below("mined fee ratio", low.feeRatioBelow), ...above("mined", low.minMined, ">=") },
  },
};

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
  lines({
    id: 5,
    title: "Mined fee and its usual level (STX)",
    description: `The 25th percentile of the fees of the transactions that were mined in the last 10 minutes, its usual
        level, and the limit of StacksFeeSpike. Low: the median of waiting transactions.`,
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

const clauses: readonly Panel[] = Object.entries(RULES).map(([alert, rule], index) =>
  lines({
    id: 21 + index,
    title: alert,
    description: `Each clause of ${alert} divided by its limit (for "<", the limit divided by the value). The rule
      holds while every line is above 1, and fires after ${rule.for}. The lowest line is the reason why it does not
      fire. A missing line is unknown; StacksFeeSpike ignores an unknown backlog.`,
    unit: "none",
    // Otherwise the axis shows 0 for 0.01, and a logarithmic axis has no 0.
    decimals: 2,
    noValue: NO_BASELINE,
    width: 8,
    height: 10,
    axis: "times the limit",
    log: true,
    limit: 1,
    queries: rule.queries,
    link: runbook(alert),
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
