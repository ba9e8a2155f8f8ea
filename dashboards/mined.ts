// Rows of the dashboard Fees & mempool: mined and waiting transactions, and their causes.
import { PRICE } from "../alerts/thresholds.ts";
import { limitsOf } from "../alerts/values.ts";
import { PERCENTILES, reference, TX_TYPES } from "./colours.ts";
import { coloured, level, lines, type Panel, rates } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { freshest, metric, perMinute } from "./select.ts";
import { estimate, lowestFee, minedFee, NO_MEMPOOL, NO_MINED, ratioByType, recentCalls, usualFee } from "./signals.ts";

const spike = limitsOf("StacksFeeSpike");
const CHOSEN = { tx_type: "~$tx_type" };
const SHOWN = Object.keys(PERCENTILES).join("|");
const USUAL_LINE = `${PRICE.usual}, usual`;
const LOWEST = "lowest";
const PAY = "to pay for 10 min";
const LIMIT = `${PRICE.usual}, usual × ${spike.feeRatio}`;
const line = (name: string, expr: string) => `label_replace(${expr}, "line", "${name}", "", "")`;
const usual = `max(${usualFee(CHOSEN)})`;

/** The market over time. */
export const marketRow: readonly Panel[] = [
  lines({
    id: 71,
    title: "What gets mined pays: $tx_type (STX)",
    description: `Fees of the transactions of users that were mined in the last ten minutes, by percentile; the band is
      the middle half. They follow a rush within ten minutes; the lowest fee of the last two minutes, and what to pay to
      be mined within ten minutes rise first. Dashed: the usual level of ${PRICE.usual}, and the limit of the lowest fee:
      ${spike.feeRatio} times this level. Zero fees are left out.`,
    decimals: 4,
    noValue: NO_MINED,
    height: 10,
    axis: "STX",
    log: true,
    queries: {
      "{{percentile}}": minedFee({ ...CHOSEN, percentile: `~${SHOWN}` }),
      "{{line}}": `${line(USUAL_LINE, usual)} or ${line(LIMIT, `${usual} * ${spike.feeRatio}`)} or ${line(LOWEST, `max(${lowestFee(CHOSEN)})`)} or ${line(PAY, `max(${estimate({ ...CHOSEN, target: "10m" })})`)}`,
    },
    overrides: [
      ...Object.values(PERCENTILES),
      coloured(LOWEST, "blue"),
      coloured(PAY, "text"),
      reference(USUAL_LINE, "green"),
      reference(LIMIT, "red"),
    ],
    link: runbook("StacksFeeSpike"),
  }),
  lines({
    id: 72,
    title: "Times usual, by type",
    description: `The lowest fee with which transactions of a type are mined, divided by its usual fee (${PRICE.usual}).
      Calls wait for space: above ${spike.feeRatio} for ${spike.window}, or above ${spike.highRatio}, StacksFeeSpike fires. Transfers hardly ever
      wait.`,
    unit: "none",
    noValue: "No usual level yet: it takes eight polls. Or not read: see Age of the values",
    height: 10,
    axis: "times usual",
    log: true,
    limit: level(spike.feeRatio),
    queries: { "{{tx_type}}": ratioByType },
    overrides: TX_TYPES,
  }),
  lines({
    id: 22,
    title: "Waiting transactions by type",
    description: `Waiting transactions by type. If one type grows, it floods the mempool; if all grow, blocks do not keep
      up.`,
    noValue: NO_MEMPOOL,
    height: 9,
    axis: "transactions",
    stacked: true,
    queries: { "{{tx_type}}": freshest(metric("stacks_mempool_transactions")) },
    overrides: TX_TYPES,
  }),
  lines({
    id: 73,
    title: "Contracts with the most calls",
    description: `Mined calls in the last ten minutes, of the ten contracts with the most calls in this range. A
      contract that suddenly leads is the cause of a rush.`,
    decimals: 0,
    noValue: NO_MINED,
    height: 9,
    axis: "calls",
    stacked: true,
    queries: { "{{contract}}": recentCalls },
  }),
];

/** All mined transactions, once they are confirmed, and whether all are counted. */
export const countedRow: readonly Panel[] = [
  rates({
    id: 82,
    title: "Counted transactions by type (above), failed ones by status (below)",
    interval: "5m",
    description: `Mined transactions per minute, including those of miners (coinbase, tenure_change). They count when they
      have the configured confirmations. Failed ones paid their fee; in a mint rush most late calls fail.`,
    noValue: "No transaction was counted in this range",
    height: 9,
    width: 24,
    min: "auto",
    queries: {
      "{{tx_type}}": perMinute("tx_type", metric("stacks_chain_mined_transactions_total")),
      "{{tx_status}}": `-1 * ${perMinute("tx_status", metric("stacks_chain_mined_transactions_total", { tx_status: "!success" }))}`,
    },
    overrides: [...TX_TYPES, coloured("abort_by_response", "red"), coloured("abort_by_post_condition", "purple")],
  }),
  lines({
    id: 63,
    title: "Skipped blocks",
    description: `Blocks that arrived faster than they could be read. The totals of the chain do not include them: poll
      blocks more often, or raise the budget.`,
    decimals: 0,
    noValue: "No block read",
    bars: true,
    queries: {
      skipped: `max(increase(${metric("stacks_chain_skipped_blocks_total")}[$__rate_interval]))`,
    },
  }),
  lines({
    id: 66,
    title: "Counting of mined transactions",
    description: `Mined transactions that wait for confirmations, and counted ones whose block was replaced, or that are in
      a block again.`,
    decimals: 0,
    noValue: NO_MINED,
    axis: "transactions",
    queries: {
      pending: freshest(metric("stacks_chain_pending_depth_transactions")),
      reverted: `max(increase(${metric("stacks_chain_reverted_transactions_total")}[$__rate_interval]))`,
      restored: `max(increase(${metric("stacks_chain_restored_transactions_total")}[$__rate_interval]))`,
    },
  }),
];
