// The chain: whether blocks come, and whether they stay.
import { successAge, whileFresh } from "./guards.ts";
import type { Alert, Subject } from "./model.ts";
import { onNetwork, recorded, series } from "./series.ts";
import { CHAIN, seconds } from "./thresholds.ts";

const FRESH = {
  shows: "Whether the exporter reads the chain at all: intervals since its last success.",
  query: recorded(successAge, { collector: "blocks" }),
};
const PACE = {
  shows: "Blocks a minute.",
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
  description: "The newest block is {{ $value | humanizeDuration }} old, and the API answers.",
  runbook: {
    meaning: `The API answers, and its newest block is older than ${CHAIN.tipStale.after}. Blocks come every few seconds since Nakamoto. Either the chain stands still, or the node behind this API no longer follows it.`,
    impact:
      "Nothing is confirmed, or this API shows an old state: balances, nonces and fees of it are not to be trusted.",
    diagnosis: [{ shows: "Age of the newest block. Seconds.", query: tipAge }, FRESH, PACE],
    actions: [
      "Compare the height with another API or an explorer: if that is ahead, this API is stuck; use the other one and tell its operator.",
      "If all stand still, follow the status page of the network; hold back what depends on confirmation.",
      "Expect a burst of blocks, and a reorganisation perhaps, when it goes on.",
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
  summary: "The anchor of {{ $labels.network }} is old",
  description: "The burn block that anchors the newest Stacks block is {{ $value | humanizeDuration }} old.",
  runbook: {
    meaning: `The tenure's burn block is older than ${CHAIN.burnTipStale.after}. Burn blocks come every ten minutes on average; gaps of an hour happen every third day, of ninety minutes every other month.`,
    impact: "The tenure goes on without a new budget, or nobody won one: blocks get fuller and fees rise.",
    diagnosis: [{ shows: "Age of the anchor. Seconds.", query: burnAge }, FRESH, PACE],
    actions: [
      "Look whether Bitcoin itself is slow; then wait.",
      "If Bitcoin goes on, the node behind the API has lost its Bitcoin node, or no miner won a tenure: treat it like StacksChainTipStale.",
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
    meaning: `${CHAIN.reorg.blocks} or more blocks that had been read are canonical no more. It stays for ${CHAIN.reorg.window}.`,
    impact:
      "What was confirmed in them may be gone, or mined elsewhere. Counted transactions are not taken back; they are counted as reverted.",
    diagnosis: [
      { shows: "Depth of the last one. Blocks.", query: depth },
      { shows: "Reorganisations a day.", query: `increase(${series("stacks_chain_reorgs_total")}[1d])` },
      {
        shows: "Watched transactions that were reverted.",
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
  summary: "Few blocks in each tenure on {{ $labels.network }}",
  description: "Half of the recent tenures had {{ $value | humanize }} Stacks blocks or fewer.",
  runbook: {
    meaning: `The median number of Stacks blocks of a tenure, over ${CHAIN.tenureShort.window}, is below ${CHAIN.tenureShort.blocks}. A tenure of ten minutes has dozens; one short tenure after a quick burn block is nothing.`,
    impact: "Fewer transactions are mined; a backlog builds up and fees rise.",
    diagnosis: [
      { shows: "Blocks of the last tenure.", query: series("stacks_chain_blocks_per_burn_block") },
      PACE,
      {
        shows: "Median time between blocks. Seconds.",
        query: `histogram_quantile(0.5, rate(${series("stacks_chain_block_interval_seconds_bucket")}[1h]))`,
      },
    ],
    actions: ["Follow the status page of the network: miners or signers have trouble.", "Pay more for what is urgent."],
  },
};

const skipped = `increase(${series("stacks_chain_skipped_blocks_total")}[${CHAIN.skipped.window}])`;
const blocksSkipped: Alert = {
  alert: "StacksChainBlocksSkipped",
  severity: "info",
  expr: `${skipped} > 0`,
  for: CHAIN.skipped.for,
  summary: "Blocks of {{ $labels.network }} were passed over",
  description:
    'Blocks that were not read in the last hour, because there was too much to catch up: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning:
      "More blocks had come since the last poll than `catch_up` allows to read at once; those before them are not in the counters.",
    impact: "Counters of blocks and transactions are too low by what was passed over; the present state is right.",
    diagnosis: [{ shows: "Blocks passed over.", query: skipped }, FRESH],
    actions: [
      "After an outage of the exporter or of the API it is expected, once.",
      "If it repeats, raise `catch_up` of the collector blocks, or the request budget, or poll more often.",
    ],
  },
};

/** The rules about the chain. */
export const chain: Subject = {
  name: "chain",
  title: "The chain",
  baselines: [],
  recordings: [],
  alerts: [tipStale, burnTipStale, reorgDeep, tenureShort, blocksSkipped],
};
