// Dashboard Fees & mempool: the price to be mined, and problems. The first panels are the
// summary, the others show the causes.
import { FEES } from "../alerts/thresholds.ts";
import { type Board, type Slot, stack } from "./board.ts";
import { chainRow } from "./chain.ts";
import { worse } from "./colours.ts";
import { countedRow, marketRow } from "./mined.ts";
import { between, coloured, gauge, shown, stat, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, metric, stx } from "./select.ts";
import { firingAlerts } from "./shared-panels.ts";
import {
  competing,
  estimate,
  minedFee,
  minedRatio,
  PRICE,
  price,
  RAISED,
  unlisted,
  usage,
  usualMinedFee,
  usualPrice,
  waiting,
} from "./signals.ts";
import { waitingRow } from "./waiting.ts";

const { spike, blockUsage } = FEES;

/** Below this share of the usual level, the fee market is called cheap. */
const CHEAP = 0.7;

// Maximum of the gauge: above every threshold, and still readable.
const GAUGE_END = 3 * spike.feeRatio;
// Values above any ratio mean other states.
const OVERPAID = 1e6;
const IDLE = 2e6;
const LEARNING = 3e6;
const UNREAD = 4e6;
const UNLISTED = 5e6;
const COMPETING = 6e6;

const notListed = `(${unlisted}) * ${UNLISTED}`;
const shownNotListed = (index: number) => shown(UNLISTED, "not listed", "purple", index);
const sample = `max(${metric("stacks_chain_mined_fee_sample_transactions", { tx_type: "all" })})`;
const isOverpaid = `((${minedRatio} > ${spike.feeRatio}) and (${usage} <= ${spike.blockUsage}))`;
const state = [
  `${isOverpaid} * 0 + ${OVERPAID}`,
  `((${minedRatio} <= ${spike.feeRatio}) and (${competing})) * 0 + ${COMPETING}`,
  minedRatio,
  `(${sample} == 0) + ${IDLE}`,
  `${sample} * 0 + ${LEARNING}`,
  notListed,
  `vector(${UNREAD})`,
].join(" or ");
const named = (label: string, name: string, expr: string) => `label_replace(${expr}, "${label}", "${name}", "", "")`;
const newestBlock = `max(last_over_time(${metric("stacks_chain_block_timestamp_seconds")}[6h]))`;
// The collectors whose values the first panels show, and what they are.
const SHOWN = {
  transactions: "mined",
  mempool_transactions: "estimate",
  mempool: "waiting",
  fees: "offers",
  blocks: "blocks",
};
const offered = (priority: string) =>
  `(${dedupe(stx(metric("stacks_mempool_fee_priority_microstx", { priority })))} and on () (${unlisted}))`;

const now: readonly Slot[] = [
  stat({
    id: 1,
    title: "Fee market",
    description: `Fee of mined transactions relative to the usual level (${PRICE} of the last ten minutes). Spike: more
      than ${spike.feeRatio} times usual, and blocks are full or their use is unknown. Overpaid: the same although
      blocks have room, so the usual fee is enough. Fees compete: more waits than blocks can include, and what was mined
      does not show it yet, or no longer. No data: nothing was read for some time; see Age of the values. Not listed:
      the API does not list mined transactions.`,
    unit: "none",
    decimals: 1,
    noValue: "No data",
    width: 5,
    height: 5,
    colour: "background",
    queries: { market: state },
    mappings: [
      shown(OVERPAID, "Overpaid, no spike", "blue", 0),
      shown(COMPETING, "Fees compete", "orange", 9),
      shown(IDLE, "Nothing mined", "purple", 5),
      shown(LEARNING, "No usual level yet", "blue", 6),
      shown(UNREAD, "No data", "purple", 7),
      shownNotListed(8),
      between(null, CHEAP, "Cheap", "blue", 1),
      between(CHEAP, RAISED, "As usual", "green", 2),
      between(RAISED, spike.feeRatio, "Raised", "orange", 3),
      between(spike.feeRatio, OVERPAID - 1, "Spike", "red", 4),
    ],
    link: runbook("StacksFeeSpike"),
  }),
  stat({
    id: 12,
    title: "What it costs to get in (STX)",
    description: `To pay: the lowest fee with which a new transaction is mined within ten minutes. Mined: a quarter of the
      transactions mined in the last ten minutes paid less than this (${PRICE}, zero fees left out); in a rush it
      follows minutes later. Usual: its level in the last seven days.`,
    decimals: 4,
    noValue: "Not read lately",
    width: 9,
    height: 5,
    text: "both",
    size: 42,
    queries: {
      "{{what}}": [
        named("what", "to pay", `max(${estimate({ tx_type: "all", target: "10m" })})`),
        named("what", "mined", price),
        named("what", "usual", usualPrice),
        named("what", "mined transactions", notListed),
      ].join(" or "),
    },
    mappings: [shownNotListed(0)],
    overrides: [coloured("to pay", "text"), coloured("mined", "blue"), coloured("usual", "green")],
  }),
  gauge({
    id: 3,
    title: "Times usual",
    description: `Fee of mined transactions (${PRICE}), divided by its usual level: 1 is as usual, ${spike.feeRatio} is a
      limit of StacksFeeSpike. Above it, hold back transactions that are not urgent.`,
    unit: "none",
    decimals: 1,
    noValue: "unknown",
    width: 5,
    height: 5,
    min: 0,
    max: GAUGE_END,
    steps: worse(RAISED, spike.feeRatio),
    queries: { times: minedRatio },
  }),
  gauge({
    id: 4,
    title: "Blocks full",
    description: `Execution cost at the rate of the last ${blockUsage.window}, in the fullest dimension; 100 % is the
      capacity of tenures of ${blockUsage.tenure}. Up to ${spike.blockUsage * 100} % blocks have room, and a high fee
      has no advantage.`,
    unit: "percentunit",
    decimals: 0,
    noValue: "unknown",
    width: 5,
    height: 5,
    min: 0,
    // A long tenure exceeds the usual capacity.
    max: 1.5,
    steps: worse(spike.blockUsage, 1),
    queries: { used: usage },
  }),
  table({
    id: 10,
    title: "What should I pay? (STX)",
    description: `The lowest fee with which a new transaction is mined within the time, by type; what the
      transactions of the last ten minutes paid; and the usual level.
      While blocks have room, the usual fee is enough. If the API does not list mined transactions: what waiting
      transactions offer, which is not a price.`,
    decimals: 4,
    noValue: "No data: nothing was read lately",
    height: 6,
    only: [
      [
        named("column", "soon", estimate({ target: "10m" })),
        named("column", "later", estimate({ target: "1h" })),
        named("column", "p25", minedFee()),
        named("column", "p50", minedFee({ percentile: "p50" })),
        named("column", "usual", usualMinedFee()),
        named("column", "low", offered("low")),
        named("column", "medium", offered("medium")),
      ].join(" or "),
    ],
    transformations: [
      { id: "groupingToMatrix", options: { rowField: "tx_type", columnField: "column", valueField: "Value" } },
    ],
    labels: {
      "tx_type\\column": "type",
      soon: "in 10 min",
      later: "in 1 h",
      p25: "mined p25",
      p50: "mined p50",
      usual: "usual p25",
      low: "offered: low",
      medium: "offered: medium",
    },
    overrides: [{ name: "type", properties: { "custom.width": 130 } }],
  }),
  stack(
    stat({
      id: 14,
      title: "Room in blocks",
      description: `Whether everything that waits or arrives is mined within the target times. If so, no fee has to
        compete: the usual fee is enough. Otherwise the fees of What should I pay? are needed.`,
      unit: "none",
      noValue: "Unknown",
      width: 6,
      height: 3,
      colour: "background",
      mappings: [shown(1, "Yes: pay the usual fee", "green", 0), shown(0, "No: fees compete", "orange", 1)],
      queries: { room: `max(${metric("stacks_fee_estimate_blocks_have_room")})` },
    }),
    stat({
      id: 13,
      title: "Age of the values",
      description: `Time since the values that are oldest were read, or confirmed unchanged: mined transactions, the
        estimate, waiting transactions, or blocks; and the age of the newest block. Values that are not renewed expire after three
        intervals and disappear from this dashboard: see the dashboard Exporter.`,
      unit: "s",
      decimals: 0,
      noValue: "Never read",
      width: 6,
      height: 3,
      text: "both",
      steps: worse(300, 600),
      queries: {
        "{{collector}}": `topk(1, time() - ${dedupe(metric("stacks_exporter_collector_last_success_timestamp_seconds", { collector: `~${Object.keys(SHOWN).join("|")}` }))}) or ${named("collector", "newest block", `time() - ${newestBlock}`)}`,
      },
      overrides: Object.entries(SHOWN).map(([name, displayName]) => ({ name, properties: { displayName } })),
    }),
  ),
  stack(
    firingAlerts({
      id: 6,
      description: `Alerts of this exporter that fire now, as reported by Prometheus (without the rules provisioned in
        Grafana). The runbook of each alert says what to do.`,
      width: 6,
      height: 3,
      link: { title: "Runbooks", url: runbook("StacksFeeSpike").url.replace(/[^/]*$/, "") },
    }),
    stat({
      id: 5,
      title: "Waiting transactions",
      description: "Waiting transactions of all types. Some of them wait for a missing nonce, at any fee.",
      unit: "locale",
      decimals: 0,
      noValue: "No data",
      width: 6,
      height: 3,
      steps: [[null, "text"]],
      queries: { waiting: waiting },
      link: runbook("StacksMempoolBacklog"),
    }),
  ),
];

/** The dashboard Fees & mempool. */
export const fees: Board = {
  uid: "stacks-fees",
  title: "Stacks / Fees & mempool",
  description: `What does it cost to get in, and is something wrong? What was mined on a Stacks network relative to the
    usual level, what waits, and the blocks.`,
  from: "now-6h",
  networks: "one",
  variables: [{ kind: "choice", name: "tx_type", label: "Type", values: ["all", "token_transfer", "contract_call"] }],
  rows: [
    { panels: now },
    { id: 70, title: "What gets mined", panels: marketRow },
    { id: 30, title: "What waits", collapsed: true, panels: waitingRow },
    { id: 80, title: "Counted transactions", collapsed: true, panels: countedRow },
    { id: 50, title: "Blocks", collapsed: true, panels: chainRow },
  ],
};
