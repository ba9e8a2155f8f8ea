// Row of the dashboard Fees & mempool: blocks, tenures and reorganisations.
import { coloured, lines, type Panel, rates, stat } from "./panel.ts";
import { freshest, metric, perMinute } from "./select.ts";

/** The blocks over time. */
export const chainRow: readonly Panel[] = [
  lines({
    id: 24,
    title: "Budget used, by dimension",
    description: `Execution cost since the budget was renewed, divided by its limits. A new tenure or an extend renews it.
      Contract calls wait when a dimension is used up.`,
    unit: "percentunit",
    noValue: "Unknown: no renewal is listed",
    softMax: 1,
    queries: { "{{dimension}}": freshest(metric("stacks_chain_tenure_execution_cost_ratio")) },
  }),
  lines({
    id: 25,
    title: "Block rate",
    interval: "10m",
    description: `Mean time between Stacks blocks, and transactions per block. Slow blocks make every queue longer,
      however full they are.`,
    unit: "s",
    noValue: "No block was counted in this range",
    axis: "seconds",
    queries: {
      "seconds between blocks": `1 / max(rate(${metric("stacks_chain_blocks_total")}[$__rate_interval]) > 0)`,
      "transactions per block": `max(rate(${metric("stacks_chain_transactions_total")}[$__rate_interval]) / rate(${metric("stacks_chain_blocks_total")}[$__rate_interval]))`,
    },
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
    id: 52,
    title: "Age of the tips",
    description: `Time since the newest Stacks block, and since its burn block. Burn blocks take ten minutes on
      average, and occasionally an hour.`,
    unit: "m",
    noValue: "No block read",
    width: 8,
    queries: {
      Stacks: `(time() - max(${metric("stacks_chain_block_timestamp_seconds")})) / 60`,
      "burn chain": `(time() - max(${metric("stacks_chain_burn_block_timestamp_seconds")})) / 60`,
    },
    overrides: [coloured("burn chain", "orange"), coloured("Stacks", "purple")],
  }),
  lines({
    id: 53,
    title: "Blocks per burn block",
    description: `Stacks blocks of the last complete tenure. If there are few, signers or miners have problems, and the
      queue grows at any fee.`,
    decimals: 0,
    noValue: "No complete tenure was seen yet",
    width: 8,
    queries: { blocks: freshest(metric("stacks_chain_blocks_per_burn_block")) },
  }),
  lines({
    id: 57,
    title: "Reorganisations",
    description: `Reorganisations, and the number of replaced blocks. A deep one reverts transactions that seemed
      final: raise the confirmations.`,
    width: 8,
    decimals: 0,
    noValue: "No block read",
    bars: true,
    queries: {
      reorganisations: `max(increase(${metric("stacks_chain_reorgs_total")}[$__rate_interval]))`,
      "blocks replaced": `max(increase(${metric("stacks_chain_reorged_blocks_total")}[$__rate_interval]))`,
    },
  }),
  rates({
    id: 59,
    title: "Renewals of the budget",
    interval: "10m",
    description: `Tenure changes per minute, by cause: a new tenure (block_found), an extend of the whole budget (extended)
      or of one dimension. With fewer of them, contract calls wait longer. Used: execution cost per minute, in budgets.`,
    noValue: "No renewal was counted in this range",
    width: 18,
    height: 6,
    queries: {
      "{{cause}}": perMinute("cause", metric("stacks_chain_tenure_changes_total")),
      "used: {{dimension}}": `${perMinute("dimension", metric("stacks_chain_execution_cost_total"))} / on (dimension) max by (dimension) (${freshest(metric("stacks_chain_tenure_execution_cost_limit"))})`,
    },
  }),
  stat({
    id: 58,
    title: "Newest block",
    description: "Height of the newest Stacks block. It increases every few seconds.",
    unit: "locale",
    decimals: 0,
    noValue: "No block read",
    width: 6,
    height: 6,
    queries: { height: `max(${metric("stacks_chain_block_height")})` },
  }),
];
