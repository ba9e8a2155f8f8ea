// Alerts on the chain: missing blocks, reorganisations, short tenures.
import { successAge, whileFresh } from "./freshness.ts";
import type { Alert, Check, Subject } from "./model.ts";
import { onNetwork, recorded, series } from "./series.ts";
import { WINDOWS } from "./thresholds.ts";
import { limitsOf, scaled } from "./values.ts";

const FRESH: Check = [
  "Intervals since the last success of the collector blocks.",
  recorded(successAge, { collector: "blocks" }),
];
const PACE: Check = ["Blocks per minute.", `60 * rate(${series("stacks_chain_blocks_total")}[10m])`];

/** A limit of an age plus the time between two polls of blocks. Seconds. */
const withInterval = (limit: string) =>
  `${onNetwork} group_left () (${series("stacks_exporter_collector_interval_seconds", { collector: "blocks" })} + ${limit})`;

const tip = limitsOf("StacksChainTipStale");
const tipAge = `time() - ${series("stacks_chain_block_timestamp_seconds")}`;
const tipStale: Alert = {
  alert: "StacksChainTipStale",
  severity: "critical",
  expr: `${tipAge} > ${withInterval(scaled(tip.minutes, 60))}
${whileFresh("blocks")}`,
  summary: "No new Stacks block on {{ $labels.network }}",
  description: "The API responds, and its newest block is {{ $value | humanizeDuration }} old.",
  runbook: {
    meaning: `The API responds, and its newest block is older than ${tip.minutes} minutes plus the time between two polls,
      although blocks arrive every few seconds. The chain has stalled, or the node behind this API no longer follows it.`,
    check: [["Age of the newest block, in seconds.", tipAge], FRESH],
    actions: [
      "Compare the height with another API or an explorer. If that one is ahead, use it and inform the operator.",
      "If all have stalled, follow the status page of the network, and hold back transactions.",
      "Expect many blocks at once when the chain continues.",
    ],
  },
};

const burnTip = limitsOf("StacksBurnTipStale");
const burnAge = `time() - ${series("stacks_chain_burn_block_timestamp_seconds")}`;
const burnTipStale: Alert = {
  alert: "StacksBurnTipStale",
  severity: "warning",
  expr: `${burnAge} > ${withInterval(scaled(burnTip.minutes, 60))}
${whileFresh("blocks")}`,
  summary: "The newest burn block of {{ $labels.network }} is old",
  description: "The burn block that anchors the newest Stacks block is {{ $value | humanizeDuration }} old.",
  runbook: {
    meaning: `The burn block of the current tenure is older than ${burnTip.minutes} minutes plus the time between two polls;
      gaps of ninety minutes occur every other month. The tenure gets no new execution budget: blocks fill up and fees rise.`,
    check: [["Age of the burn block, in seconds.", burnAge], FRESH],
    actions: [
      "Check whether Bitcoin itself is slow; if so, wait.",
      "If not, the node behind the API has lost its Bitcoin node, or no miner won a tenure: see StacksChainTipStale.",
    ],
  },
};

const { blocks: deep } = limitsOf("StacksChainReorgDeep");
const depth = series("stacks_chain_last_reorg_depth_blocks");
const reorgDeep: Alert = {
  alert: "StacksChainReorgDeep",
  severity: "warning",
  // The depth is that of the last one, and absent after a restart. So it counts for 15 minutes after a new one.
  expr: `max_over_time((${depth} and ${onNetwork} increase(${series("stacks_chain_reorgs_total")}[15m]) > 0)[${WINDOWS.usual}:30s]) >= ${deep}`,
  summary: "Blocks were replaced on {{ $labels.network }}",
  description: "A reorganisation replaced {{ $value }} Stacks blocks within the last hour.",
  runbook: {
    meaning: `A reorganisation replaced ${deep} or more blocks that the exporter had read. The alert
      fires for about ${WINDOWS.usual}. Transactions confirmed in these blocks may be mined in other blocks, or not at
      all. Counters are not lowered: such transactions count as reverted.`,
    check: [
      ["Depth of the last reorganisation, in blocks.", depth],
      ["Reorganisations in the last day.", `increase(${series("stacks_chain_reorgs_total")}[1d])`],
      [
        "Reverted transactions of watched addresses.",
        `increase(${series("stacks_address_reverted_transactions_total")}[1d])`,
      ],
    ],
    actions: [
      "Check every payment that was accepted with fewer confirmations than the depth.",
      "If it repeats, raise `confirmations` in the configuration above the depth.",
    ],
  },
};

const { blocks: few } = limitsOf("StacksTenureShort");
const tenuresSeen = `changes(${series("stacks_chain_burn_block_height")}[${WINDOWS.tenures}])`;
const increaseOf = (counter: string) => `increase(${series(counter)}[${WINDOWS.tenures}])`;
const tenure = `(${increaseOf("stacks_chain_blocks_total")} + ${increaseOf("stacks_chain_skipped_blocks_total")}) / ${tenuresSeen}`;
const tenureShort: Alert = {
  alert: "StacksTenureShort",
  severity: "warning",
  // A quick tenure is the last one until the next ends, which can take hours. So it compares numbers, and not times.
  expr: `${tenure} < ${few}
and ${onNetwork} ${tenuresSeen} > 1
${whileFresh("blocks")}`,
  summary: "Few blocks per tenure on {{ $labels.network }}",
  description: `There are {{ printf "%.1f" $value }} Stacks blocks for each burn block of the last ${WINDOWS.tenures}.`,
  runbook: {
    meaning: `The number of Stacks blocks for each burn block seen within ${WINDOWS.tenures} is below
      ${few}. A tenure of ten minutes has dozens of blocks; a single short tenure after a quick
      burn block is normal. Fewer transactions are mined; a backlog builds up and fees rise.`,
    check: [["Blocks of the last tenure.", series("stacks_chain_blocks_per_burn_block")], PACE],
    actions: [
      "Follow the status page of the network: miners or signers have problems.",
      "Pay a higher fee for urgent transactions.",
    ],
  },
};

const skipped = `increase(${series("stacks_chain_skipped_blocks_total")}[${WINDOWS.usual}])`;
const blocksSkipped: Alert = {
  alert: "StacksChainBlocksSkipped",
  severity: "info",
  expr: `${skipped} > 0`,
  summary: "Blocks of {{ $labels.network }} were skipped",
  description: 'Blocks that were not read in the last hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `Since the last poll there were more new blocks than \`catch_up\` allows to read at once. The older ones
      are missing in the counters. Counters of blocks and transactions are too low by the skipped blocks; gauges are
      correct.`,
    check: [["Skipped blocks.", skipped], FRESH],
    actions: [
      "Once after an outage of the exporter or of the API, this is expected.",
      `If it repeats, raise \`catch_up\` of the collector blocks, or the request budget, or poll more often.`,
    ],
  },
};

/** Rules for the chain. */
export const chain: Subject = {
  name: "chain",
  board: "stacks-fees",
  title: "The chain",
  baselines: [],
  recordings: [],
  alerts: [tipStale, burnTipStale, reorgDeep, tenureShort, blocksSkipped],
};
