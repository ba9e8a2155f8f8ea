// Row of the dashboard Fees & mempool: blocks, tenures and reorganisations.
import { coloured, lines, type Panel } from "./panel.ts";
import { dedupe, metric } from "./select.ts";

/** The blocks over time. */
export const chainRow: readonly Panel[] = [
  lines({
    id: 24,
    title: "Tenure used, by dimension",
    description: `Execution cost of the current tenure divided by its limits; it restarts at 0 with each tenure. Fees
      matter only when a dimension reaches 100 %.`,
    unit: "percentunit",
    noValue: "Unknown: no tenure was seen from its first block",
    softMax: 1,
    queries: { "{{dimension}}": dedupe(metric("stacks_chain_tenure_execution_cost_ratio")) },
  }),
  lines({
    id: 25,
    title: "Block rate",
    description: `Mean time between Stacks blocks, and transactions per block. Slow blocks make every queue longer,
      however full they are.`,
    unit: "s",
    noValue: "No block in this range",
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
    queries: { blocks: `max(${metric("stacks_chain_blocks_per_burn_block")})` },
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
];
