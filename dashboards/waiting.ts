import { PRIORITIES, reference, TX_TYPES } from "./colours.ts";
import { lines, type Panel } from "./panel.ts";
import { dedupe, metric, recording, stx } from "./select.ts";
import { NO_MEMPOOL } from "./signals.ts";

const CHOSEN = { tx_type: "~$tx_type" };
const increase = (part: string) => dedupe(`increase(${metric(`stacks_chain_block_interval_seconds_${part}`)}[1h])`);
const blockSeconds = `${increase("sum")} / ${increase("count")}`;

/** Offered fees, and age and size of the waiting transactions. */
export const waitingRow: readonly Panel[] = [
  lines({
    id: 21,
    title: "Offers by priority: $tx_type (STX)",
    legend: "right",
    description: `Fees of waiting transactions of the selected type: no, low, medium and high are the 25th, 50th, 75th
      and 95th percentile. They include offers that will never be mined. Dashed: the usual level of low.`,
    unit: "short",
    decimals: 4,
    noValue: NO_MEMPOOL,
    width: 12,
    height: 9,
    axis: "STX",
    log: true,
    queries: [
      { expr: dedupe(stx(metric("stacks_mempool_fee_priority_microstx", CHOSEN))), legend: "{{priority}}" },
      {
        expr: dedupe(stx(recording("stacks:mempool_fee_priority_microstx:baseline7d", { ...CHOSEN, priority: "low" }))),
        legend: "low, usual",
      },
    ],
    overrides: [...PRIORITIES, reference("low, usual", "green")],
  }),
  lines({
    id: 34,
    title: "Spread: high over low",
    legend: "right",
    description: `Priority high divided by priority low, by type. When it is much higher than usual, a few
      outliers or stuck transactions determine the top: do not pay priority high then.`,
    unit: "none",
    noValue: NO_MEMPOOL,
    width: 12,
    height: 9,
    axis: "high / low",
    log: true,
    queries: [
      {
        expr: `${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "high" }))} / ignoring (priority) ${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "low" }))}`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
  }),
  lines({
    id: 23,
    title: "Age of waiting transactions (hours)",
    legend: "right",
    description: `Blocks since the transactions were received, multiplied by the mean block interval of the last hour.
      A young queue is a burst. An old queue is not mined: it needs a higher fee or a missing nonce.`,
    unit: "none",
    noValue: "No data: no transaction waits, or the block interval is unknown",
    width: 12,
    height: 9,
    axis: "hours",
    min: 0,
    queries: [
      {
        expr: `${dedupe(metric("stacks_mempool_tx_age_blocks", { tx_type: "~token_transfer|contract_call", percentile: "~p50|p95" }))} * on (network) group_left () (${blockSeconds}) / 3600`,
        legend: "{{tx_type}} {{percentile}}",
      },
    ],
  }),
  lines({
    id: 33,
    title: "Size of waiting transactions",
    legend: "right",
    description: `Median and 95th percentile of the size by type. Larger transactions cost more; a sudden change
      indicates another kind of traffic.`,
    unit: "bytes",
    noValue: NO_MEMPOOL,
    width: 12,
    height: 9,
    min: 0,
    queries: [
      {
        expr: dedupe(metric("stacks_mempool_tx_size_bytes", { percentile: "~p50|p95" })),
        legend: "{{tx_type}} {{percentile}}",
      },
    ],
  }),
];
