// Dashboard Fees & mempool: the price to be mined, and problems. The first panels are the
// summary, the others show the causes.
import { PRICE } from "../alerts/thresholds.ts";
import { limitsOf } from "../alerts/values.ts";
import { type Board, type Slot, stack } from "./board.ts";
import { chainRow } from "./chain.ts";
import { worse } from "./colours.ts";
import { countedRow, marketRow } from "./mined.ts";
import { ownNodeRow } from "./own-node.ts";
import { between, coloured, gauge, level, shown, stat, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { freshest, metric, stx } from "./select.ts";
import { firingAlerts } from "./shared-panels.ts";
import { estimate, lowestFee, minedFee, RAISED, ratio, spikeRatio, unlisted, usualFee, waiting } from "./signals.ts";
import { waitingRow } from "./waiting.ts";

const spike = limitsOf("StacksFeeSpike");
const SPIKE = level(spike.feeRatio);

/** Below this share of the usual level, the fee market is called cheap. */
const CHEAP = 0.4;

// Values above any ratio mean other states.
const IDLE = 2e6;
const LEARNING = 3e6;
const UNREAD = 4e6;
const UNLISTED = 5e6;
const BID_UP = 6e6;

const notListed = `(${unlisted}) * ${UNLISTED}`;
const shownNotListed = (index: number) => shown(UNLISTED, "not listed", "purple", index);
const sample = `max(${freshest(metric("stacks_chain_mined_fee_sample_transactions", { tx_type: "all" }))})`;
// What a transaction has to pay rises before what is mined does.
const CALLS = { tx_type: PRICE.type };
const isBidUp = `(max(${estimate({ ...CALLS, target: "10m" })}) / max(${usualFee(CALLS)}) > ${spike.feeRatio})`;
const state = [
  spikeRatio,
  `(${ratio} > ${spike.feeRatio} or ${isBidUp}) * 0 + ${BID_UP}`,
  ratio,
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
const OF_TIP = worse(300, 600).map(([value, color]) => ({ value, color }));
const offered = (priority: string) =>
  `(${freshest(stx(metric("stacks_mempool_fee_priority_microstx", { priority })))} and on () (${unlisted}))`;

const now: readonly Slot[] = [
  stat({
    id: 1,
    title: "Mined fees",
    description: `The lowest fee with which contract calls are mined, relative to the usual fee (${PRICE.usual}).
      Spike: more than ${spike.feeRatio} times usual for ${spike.window}, or more than ${spike.highRatio} times now, as StacksFeeSpike. Rising:
      more than ${RAISED} times, or the estimate is above the limit. No usual level yet: it takes eight polls.
      No data: nothing was read for some time; see Age of the values. Not listed: the API does not list mined
      transactions.`,
    unit: "none",
    decimals: 1,
    noValue: "No data",
    width: 5,
    height: 5,
    colour: "background",
    queries: { market: state },
    mappings: [
      shown(IDLE, "Nothing mined", "purple", 5),
      shown(LEARNING, "No usual level yet", "blue", 6),
      shown(UNREAD, "No data", "purple", 7),
      shownNotListed(8),
      between(null, CHEAP, "Cheap", "blue", 1),
      between(CHEAP, RAISED, "As usual", "green", 2),
      between(RAISED, SPIKE, "Rising", "orange", 3),
      shown(BID_UP, "Rising", "orange", 9),
      between(SPIKE, IDLE - 1, "Spike", "red", 4),
    ],
    link: runbook("StacksFeeSpike"),
  }),
  stat({
    id: 12,
    title: "What it costs to get in (STX)",
    description: `The fee with which a new contract call or transfer is mined within ten minutes, and what a quarter of
      them usually pays at most (${PRICE.usual}).`,
    decimals: 4,
    noValue: "No estimate: see Age of the values",
    width: 14,
    height: 5,
    text: "both",
    size: 34,
    queries: {
      "{{what}}": [
        named("what", "call", `max(${estimate({ tx_type: "contract_call", target: "10m" })})`),
        named("what", "call, usual", `max(${usualFee({ tx_type: "contract_call" })})`),
        named("what", "transfer", `max(${estimate({ tx_type: "token_transfer", target: "10m" })})`),
        named("what", "transfer, usual", `max(${usualFee({ tx_type: "token_transfer" })})`),
        named("what", "mined transactions", notListed),
      ].join(" or "),
    },
    mappings: [shownNotListed(0)],
    overrides: [coloured("call, usual", "green"), coloured("transfer, usual", "green")],
  }),
  gauge({
    id: 3,
    title: `Times usual: alert above ${spike.feeRatio} for ${spike.window}`,
    description: `The ratio of StacksFeeSpike: the lowest fee with which contract calls are mined, relative to the usual
      fee. Usually below 1. Above the limit for ${spike.window}, or above ${spike.highRatio}, hold back transactions that are not urgent.`,
    unit: "none",
    decimals: 1,
    noValue: "unknown",
    width: 5,
    height: 5,
    min: 0,
    // Above every threshold, and still readable.
    max: level(spike.feeRatio, 3),
    steps: worse(RAISED, SPIKE),
    queries: { times: ratio },
  }),
  table({
    id: 10,
    title: "What should I pay? (STX)",
    description: `The lowest fee with which a new transaction is mined within the time, by type; the lowest fee of the
      last two minutes, and the median of ten; and the usual level. If the API does not list mined transactions: what
      waiting transactions offer, which is not a price.`,
    decimals: 4,
    noValue: "No data: nothing was read lately",
    height: 6,
    only: [
      [
        named("column", "soon", estimate({ target: "10m" })),
        named("column", "later", estimate({ target: "1h" })),
        named("column", "lowest", lowestFee()),
        named("column", "p50", minedFee({ percentile: "p50" })),
        named("column", "usual", usualFee()),
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
      lowest: "mined: lowest",
      p50: "mined p50",
      usual: "usual p25",
      low: "offered: low",
      medium: "offered: medium",
    },
    overrides: [{ name: "type", properties: { "custom.width": 130 } }],
  }),
  stack(
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
      size: 24,
      // With a free key, offers are read every 20 minutes.
      steps: worse(1500, 3600),
      queries: {
        "{{collector}}": `topk(1, time() - ${freshest(metric("stacks_exporter_collector_last_success_timestamp_seconds", { collector: `~${Object.keys(SHOWN).join("|")}` }))}) or ${named("collector", "newest block", `time() - ${newestBlock}`)}`,
      },
      overrides: [
        ...Object.entries(SHOWN).map(([name, displayName]) => ({ name, properties: { displayName } })),
        { name: "newest block", properties: { thresholds: { mode: "absolute", steps: OF_TIP } } },
      ],
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
    }),
  ),
  firingAlerts({
    id: 6,
    description: `Alerts of this exporter that fire now, as reported by Prometheus (without the rules provisioned in
      Grafana). The runbook of each alert says what to do.`,
    width: 6,
    height: 6,
    link: { title: "Runbooks", url: runbook("StacksFeeSpike").url.replace(/[^/]*$/, "") },
  }),
];

/** The dashboard Fees & mempool. */
export const fees: Board = {
  uid: "stacks-fees",
  title: "Stacks / Fees & mempool",
  description: `What does it cost to get in, and is something wrong? What was mined on a Stacks network relative to the
    usual level, what waits, and the blocks.`,
  from: "now-6h",
  networks: "one",
  variables: [{ kind: "choice", name: "tx_type", label: "Type", values: ["contract_call", "token_transfer", "all"] }],
  rows: [
    { panels: now },
    { id: 70, title: "What gets mined", panels: marketRow },
    { id: 30, title: "What waits", collapsed: true, panels: waitingRow },
    { id: 80, title: "Counted transactions", collapsed: true, panels: countedRow },
    { id: 50, title: "Blocks", collapsed: true, panels: chainRow },
    { id: 60, title: "Node and signer of your own", collapsed: true, panels: ownNodeRow },
  ],
};
