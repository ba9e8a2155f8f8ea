// Alerts on the chain: missing blocks, reorganisations, short tenures.
import { successAge, whileFresh } from "./freshness.ts";
import type { Alert, Subject } from "./model.ts";
import { onNetwork, recorded, series } from "./series.ts";
import { CHAIN, seconds } from "./thresholds.ts";

const FRESH = {
  shows: "Intervals since the last success of the collector blocks.",
  query: recorded(successAge, { collector: "blocks" }),
};
const PACE = {
  shows: "Blocks per minute.",
  query: `60 * rate(${series("stacks_chain_blocks_total")}[10m])`,
};

const tipAge = `time() - ${series("stacks_chain_block_timestamp_seconds")}`;
const tipStale: Alert = {
  alert: "StacksChainTipStale",
  severity: "critical",
  expr: `${tipAge} > ${seconds(CHAIN.tipStale.after)}
${whileFresh("blocks")}`,
  for: CHAIN.tipStale.for,
  keepFiringFor: CHAIN.tipStale.keepFiringFor,
  summary: "No new Stacks block on {{ $labels.network }}",
  description: "The API responds, and its newest block is {{ $value | humanizeDuration }} old.",
  runbook: {
    meaning: `The API responds, and its newest block is older than ${CHAIN.tipStale.after}. Since Nakamoto, blocks
      arrive every few seconds. Either the chain has stalled, or the node behind this API no longer follows it.`,
    impact: "No transaction is confirmed, or this API returns outdated balances, nonces and fees.",
    diagnosis: [{ shows: "Age of the newest block, in seconds.", query: tipAge }, FRESH, PACE],
    actions: [
      `Compare the height with another API or an explorer. If that one is ahead, this API is stuck: use the other one
        and inform the operator.`,
      `If all have stalled, follow the status page of the network, and hold back transactions that need confirmations.`,
      "Expect many blocks at once, and possibly a reorganisation, when the chain continues.",
    ],
  },
};

const burnAge = `time() - ${series("stacks_chain_burn_block_timestamp_seconds")}`;
const burnTipStale: Alert = {
  alert: "StacksBurnTipStale",
  severity: "warning",
  expr: `${burnAge} > ${seconds(CHAIN.burnTipStale.after)}
${whileFresh("blocks")}`,
  for: CHAIN.burnTipStale.for,
  keepFiringFor: CHAIN.burnTipStale.keepFiringFor,
  summary: "The newest burn block of {{ $labels.network }} is old",
  description: "The burn block that anchors the newest Stacks block is {{ $value | humanizeDuration }} old.",
  runbook: {
    meaning: `The burn block of the current tenure is older than ${CHAIN.burnTipStale.after}. Burn blocks arrive every
      ten minutes on average; gaps of an hour occur every third day, of ninety minutes every other month.`,
    impact: `The tenure continues without a new execution budget, or no miner won one: blocks fill up and fees rise.`,
    diagnosis: [{ shows: "Age of the burn block, in seconds.", query: burnAge }, FRESH, PACE],
    actions: [
      "Check whether Bitcoin itself is slow; if so, wait.",
      `If Bitcoin continues, the node behind the API has lost its Bitcoin node, or no miner won a tenure: proceed as
        for StacksChainTipStale.`,
    ],
  },
};

const depth = series("stacks_chain_last_reorg_depth_blocks");
const reorgDeep: Alert = {
  alert: "StacksChainReorgDeep",
  severity: "warning",
  expr: `${depth} >= ${CHAIN.reorg.blocks}
and ${onNetwork} time() - ${series("stacks_chain_last_reorg_timestamp_seconds")} < ${seconds(CHAIN.reorg.window)}`,
  for: CHAIN.reorg.for,
  summary: "Blocks were replaced on {{ $labels.network }}",
  description: "A reorganisation replaced {{ $value }} Stacks blocks within the last hour.",
  runbook: {
    meaning: `A reorganisation replaced ${CHAIN.reorg.blocks} or more blocks that the exporter had read. The alert
      fires for ${CHAIN.reorg.window}.`,
    impact: `Transactions confirmed in these blocks may be mined in other blocks, or not at all. Counters are not
      lowered: such transactions count as reverted.`,
    diagnosis: [
      { shows: "Depth of the last reorganisation, in blocks.", query: depth },
      { shows: "Reorganisations in the last day.", query: `increase(${series("stacks_chain_reorgs_total")}[1d])` },
      {
        shows: "Reverted transactions of watched addresses.",
        query: `increase(${series("stacks_address_reverted_transactions_total")}[1d])`,
      },
    ],
    actions: [
      "Check every payment that was accepted with fewer confirmations than the depth.",
      "If it repeats, raise `confirmations` in the configuration above the depth.",
    ],
  },
};

const tenure = `quantile_over_time(0.5, ${series("stacks_chain_blocks_per_burn_block")}[${CHAIN.tenureShort.window}])`;
const tenureShort: Alert = {
  alert: "StacksTenureShort",
  severity: "warning",
  expr: `${tenure} < ${CHAIN.tenureShort.blocks}
${whileFresh("blocks")}`,
  for: CHAIN.tenureShort.for,
  keepFiringFor: CHAIN.tenureShort.keepFiringFor,
  summary: "Few blocks per tenure on {{ $labels.network }}",
  description: "Half of the recent tenures had {{ $value | humanize }} Stacks blocks or fewer.",
  runbook: {
    meaning: `The median number of Stacks blocks per tenure over ${CHAIN.tenureShort.window} is below
      ${CHAIN.tenureShort.blocks}. A tenure of ten minutes has dozens of blocks; a single short tenure after a quick
      burn block is normal.`,
    impact: "Fewer transactions are mined; a backlog builds up and fees rise.",
    diagnosis: [
      { shows: "Blocks of the last tenure.", query: series("stacks_chain_blocks_per_burn_block") },
      PACE,
      {
        shows: "Median time between blocks, in seconds.",
        query: `histogram_quantile(0.5, rate(${series("stacks_chain_block_interval_seconds_bucket")}[1h]))`,
      },
    ],
    actions: [
      "Follow the status page of the network: miners or signers have problems.",
      "Pay a higher fee for urgent transactions.",
    ],
  },
};

const skipped = `increase(${series("stacks_chain_skipped_blocks_total")}[${CHAIN.skipped.window}])`;
const blocksSkipped: Alert = {
  alert: "StacksChainBlocksSkipped",
  severity: "info",
  expr: `${skipped} > 0`,
  for: CHAIN.skipped.for,
  summary: "Blocks of {{ $labels.network }} were skipped",
  description: 'Blocks that were not read in the last hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `Since the last poll there were more new blocks than \`catch_up\` allows to read at once. The older ones
      are missing in the counters.`,
    impact: "Counters of blocks and transactions are too low by the skipped blocks; gauges are correct.",
    diagnosis: [{ shows: "Skipped blocks.", query: skipped }, FRESH],
    actions: [
      "Once after an outage of the exporter or of the API, this is expected.",
      `If it repeats, raise \`catch_up\` of the collector blocks, or the request budget, or poll more often.`,
    ],
  },
};

/** Rules for the chain. */
export const chain: Subject = {
  name: "chain",
  title: "The chain",
  baselines: [],
  recordings: [],
  alerts: [tipStale, burnTipStale, reorgDeep, tenureShort, blocksSkipped],
};
