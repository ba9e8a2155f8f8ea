// Row of the dashboard Fees & mempool: blocks, tenures and reorganisations.
import { coloured, heatmap, lines, type Panel } from "./panel.ts";
import { dedupe, metric, total } from "./select.ts";

/** The blocks over time. */
export const chainRow: readonly Panel[] = [
  lines({
    id: 24,
    title: "Tenure used, by dimension",
    legend: "right",
    description: `Execution cost of the current tenure divided by its limits; it restarts at 0 with each tenure. Fees
      matter only when a dimension reaches 100 %.`,
    unit: "percentunit",
    noValue: "Unknown: no tenure was seen from its first block",
    width: 12,
    height: 8,
    min: 0,
    softMax: 1,
    queries: [{ expr: dedupe(metric("stacks_chain_tenure_execution_cost_ratio")), legend: "{{dimension}}" }],
  }),
  lines({
    id: 25,
    title: "Block rate",
    legend: "right",
    description: `Mean time between Stacks blocks, and transactions per block. Slow blocks make every queue longer,
      however full they are.`,
    unit: "s",
    noValue: "No block in this range",
    width: 12,
    height: 8,
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
];
