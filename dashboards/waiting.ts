import { PRIORITIES } from "./colours.ts";
import { lines, type Panel } from "./panel.ts";
import { freshest, metric, stx } from "./select.ts";
import { NO_MEMPOOL } from "./signals.ts";

const CHOSEN = { tx_type: "~$tx_type" };
// In the first hour after a start, the series are younger than the window.
const covered = `clamp_min(time() - min_over_time(timestamp(${metric("stacks_up")})[1h:1m]), 60)`;
const blocksPerHour = freshest(`increase(${metric("stacks_chain_blocks_total")}[1h]) * 3600 / ${covered}`);

/** Offered fees, and age of the waiting transactions. */
export const waitingRow: readonly Panel[] = [
  lines({
    id: 21,
    title: "Offers by priority: $tx_type (STX)",
    description: `Fees of waiting transactions of the selected type: no, low, medium and high are the 25th, 50th, 75th
      and 95th percentile. They include offers that will never be mined.`,
    decimals: 4,
    noValue: NO_MEMPOOL,
    height: 9,
    axis: "STX",
    log: true,
    queries: {
      "{{priority}}": freshest(stx(metric("stacks_mempool_fee_priority_microstx", CHOSEN))),
    },
    overrides: PRIORITIES,
  }),
  lines({
    id: 23,
    title: "Age of waiting transactions (hours)",
    description: `Blocks since the transactions were received, divided by the blocks of the last hour.
      A young queue is a burst. An old queue is not mined: it needs a higher fee or a missing nonce.`,
    unit: "none",
    noValue: "No data: no transaction waits, or the block interval is unknown",
    height: 9,
    axis: "hours",
    queries: {
      "{{tx_type}} {{percentile}}": `${freshest(metric("stacks_mempool_tx_age_blocks", { tx_type: "~token_transfer|contract_call", percentile: "~p50|p95" }))} / on (network) group_left () (${blocksPerHour} > 0)`,
    },
  }),
];
