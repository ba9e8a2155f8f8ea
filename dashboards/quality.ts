// Row of the dashboard Fees & mempool: quality of its data.
import { lines, type Panel } from "./panel.ts";
import { dedupe, metric } from "./select.ts";
import { NO_MINED } from "./signals.ts";

/** Freshness, completeness and consistency of what the dashboard shows. */
export const qualityRow: readonly Panel[] = [
  lines({
    id: 61,
    title: "Changed responses",
    description: `Changed responses per minute, by operation. If the mempool never changes despite new blocks, the
      upstream is frozen.`,
    noValue: "No poll in this range",
    width: 8,
    axis: "per minute",
    queries: {
      "{{operation}}": `${dedupe(`rate(${metric("stacks_mempool_snapshots_changed_total")}[$__rate_interval])`)} * 60`,
    },
  }),
  lines({
    id: 63,
    title: "Skipped blocks",
    description: `Blocks that arrived faster than they could be read, and heights for which the server had no block.
      The totals of the chain do not include them: poll blocks more often, or raise the budget.`,
    decimals: 0,
    noValue: "No block read",
    width: 8,
    bars: true,
    queries: {
      skipped: `max(increase(${metric("stacks_chain_skipped_blocks_total")}[$__rate_interval]))`,
      missing: `max(increase(${metric("stacks_chain_missing_blocks_total")}[$__rate_interval]))`,
    },
  }),
  lines({
    id: 66,
    title: "Counting of mined transactions",
    description: `Mined transactions that wait for confirmations; those that were skipped after a pause; and counted ones
      whose block was replaced, or that are in a block again. Totals do not include the skipped ones: raise
      catch_up, or the budget.`,
    width: 8,
    decimals: 0,
    noValue: NO_MINED,
    axis: "transactions",
    queries: {
      pending: `max(${metric("stacks_chain_pending_depth_transactions")})`,
      skipped: `max(increase(${metric("stacks_chain_transactions_gap_total")}[$__rate_interval]))`,
      reverted: `max(increase(${metric("stacks_chain_reverted_transactions_total")}[$__rate_interval]))`,
      restored: `max(increase(${metric("stacks_chain_restored_transactions_total")}[$__rate_interval]))`,
    },
  }),
];
