// Addresses: what the watched ones did in the range shown, and what does not look right about any of them.
import { FEES } from "../alerts/thresholds.ts";
import type { Board } from "./board.ts";
import { TX_TYPES, worse } from "./colours.ts";
import { coloured, heatmap, lines, type Panel, stat, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { each, of, once, perMinute, stx, total } from "./select.ts";

const NAMED = { name: "~$name" };
const NOBODY = "No watched address: see addresses in the configuration";
const NOTHING = "Nothing counted in this range";

const watched = (family: string, matchers: Readonly<Record<string, string>> = {}) =>
  of(family, { ...NAMED, ...matchers });
/** Only the addresses of the chosen groups. */
const grouped = (expr: string) =>
  `(${expr} and on (network, name) ${of("stacks_address_info", { ...NAMED, group: "~$group" })})`;
const inRange = (labels: string, selector: string) => grouped(total(labels, `increase(${selector}[$__range])`));
const fleet = (selector: string) => inRange("network, name", selector);

const overview: readonly Panel[] = [
  stat({
    id: 1,
    title: "Watched",
    description:
      "Addresses of the chosen groups and names. Fewer than configured: some were never polled, see the board Exporter.",
    unit: "short",
    decimals: 0,
    noValue: NOBODY,
    width: 3,
    height: 4,
    queries: [
      {
        expr: `count(${once(of("stacks_address_info", { ...NAMED, group: "~$group" }))})`,
        legend: "addresses",
      },
    ],
  }),
  stat({
    id: 2,
    title: "Transactions",
    description:
      "Counted transactions of these addresses in the range shown, each once for every address that takes part.",
    unit: "locale",
    decimals: 0,
    noValue: NOTHING,
    width: 3,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${fleet(watched("stacks_address_transactions_total"))})`, legend: "transactions" }],
  }),
  stat({
    id: 3,
    title: "Failed",
    description:
      "Share of the transactions they sent that were aborted; each paid its fee for nothing. Above some percent: look at the contract they call.",
    unit: "percentunit",
    decimals: 1,
    noValue: "Nothing was sent",
    width: 3,
    height: 4,
    min: 0,
    steps: worse(0.05, 0.2),
    queries: [
      {
        expr: `sum(${fleet(watched("stacks_address_transactions_total", { direction: "sent", tx_status: "!success" }))}) / (sum(${fleet(watched("stacks_address_transactions_total", { direction: "sent" }))}) > 0)`,
        legend: "failed",
      },
    ],
  }),
  stat({
    id: 4,
    title: "STX received",
    description: "STX that reached these addresses in the range shown. Transfers among them count on both sides.",
    unit: "short",
    decimals: 1,
    noValue: NOTHING,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: stx(`sum(${fleet(watched("stacks_address_received_microstx_total"))})`), legend: "received" }],
    steps: [[null, "green"]],
  }),
  stat({
    id: 5,
    title: "STX sent",
    description:
      "STX that left these addresses in the range shown, with the fees they paid. Unusual outflow is worth a call.",
    unit: "short",
    decimals: 1,
    noValue: NOTHING,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: stx(`sum(${fleet(watched("stacks_address_sent_microstx_total"))})`), legend: "sent" }],
    steps: [[null, "orange"]],
  }),
  stat({
    id: 6,
    title: "Fees paid (STX)",
    description: "Fees that these addresses paid in the range shown, as sender or as sponsor.",
    unit: "short",
    decimals: 3,
    noValue: NOTHING,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: stx(`sum(${fleet(watched("stacks_address_fees_paid_microstx_total"))})`), legend: "fees" }],
  }),
  stat({
    id: 7,
    title: "Unprotected",
    description:
      "Transactions they sent in mode allow and without any post-condition: the called contract could have moved everything. A treasury should never send one.",
    unit: "locale",
    decimals: 0,
    noValue: "Not told by this API",
    width: 3,
    height: 4,
    min: 0,
    steps: [
      [null, "text"],
      [0, "green"],
      [1, "yellow"],
    ],
    queries: [
      { expr: `sum(${fleet(watched("stacks_address_unprotected_transactions_total"))})`, legend: "unprotected" },
    ],
  }),
  table({
    id: 8,
    title: "The fleet",
    description:
      "One line for each address: what it did in the range shown. Last activity is that of the newest transaction seen, whatever its depth; the nonce is that of its newest mined transaction; pending ones are not deep enough to be counted.",
    unit: "locale",
    decimals: 0,
    noValue: NOBODY,
    width: 24,
    height: 9,
    queries: [
      { expr: `max by (network, name, group, kind) (${of("stacks_address_info", { ...NAMED, group: "~$group" })})` },
      {
        expr: grouped(`${each(watched("stacks_address_last_transaction_timestamp_seconds"))} * 1000`),
      },
      { expr: fleet(watched("stacks_address_transactions_total")) },
      {
        expr: `${fleet(watched("stacks_address_transactions_total", { direction: "sent", tx_status: "!success" }))} / on (network, name) (${fleet(watched("stacks_address_transactions_total", { direction: "sent" }))} > 0)`,
      },
      { expr: `${fleet(watched("stacks_address_received_microstx_total"))} / 1e6` },
      { expr: `${fleet(watched("stacks_address_sent_microstx_total"))} / 1e6` },
      { expr: `${fleet(watched("stacks_address_fees_paid_microstx_total"))} / 1e6` },
      { expr: grouped(each(watched("stacks_address_nonce", { role: "sender" }))) },
      {
        expr: grouped(total("network, name", watched("stacks_address_pending_depth_transactions"))),
      },
    ],
    columns: {
      name: "name",
      group: "group",
      kind: "kind",
      network: "network",
      "Value #B": "last activity",
      "Value #C": "transactions",
      "Value #D": "failed",
      "Value #E": "received (STX)",
      "Value #F": "sent (STX)",
      "Value #G": "fees (STX)",
      "Value #H": "nonce",
      "Value #I": "pending",
    },
    sortBy: "-transactions",
    overrides: [
      { name: "last activity", properties: { unit: "dateTimeFromNow" } },
      { name: "failed", properties: { unit: "percentunit", decimals: 1 } },
      { name: "received (STX)", properties: { unit: "short", decimals: 2 } },
      { name: "sent (STX)", properties: { unit: "short", decimals: 2 } },
      { name: "fees (STX)", properties: { unit: "short", decimals: 4 } },
    ],
  }),
];

const money: readonly Panel[] = [
  lines({
    id: 21,
    title: "STX in (above) and out (below)",
    interval: "5m",
    legend: "right",
    description:
      "STX received and sent, fees included, an hour at the pace of the moment. What leaves is drawn downwards.",
    unit: "short",
    noValue: NOTHING,
    width: 12,
    height: 9,
    axis: "STX an hour",
    bars: true,
    stacked: true,
    queries: [
      {
        expr: grouped(`${perMinute("network, name", watched("stacks_address_received_microstx_total"))} * 60 / 1e6`),
        legend: "{{name}} in",
      },
      {
        expr: grouped(`${perMinute("network, name", watched("stacks_address_sent_microstx_total"))} * -60 / 1e6`),
        legend: "{{name}} out",
      },
    ],
  }),
  lines({
    id: 22,
    title: "Net flow since counting began (STX)",
    legend: "right",
    description:
      "Received minus sent since counting began. It is not a balance: what the address had before is not known.",
    unit: "short",
    noValue: NOBODY,
    width: 12,
    height: 9,
    axis: "STX",
    queries: [{ expr: grouped(stx(once(watched("stacks_address_net_flow_microstx")))), legend: "{{name}}" }],
  }),
  lines({
    id: 23,
    title: "Fees paid",
    legend: "right",
    description:
      "What each address pays in fees, an hour at the pace of the moment. A step up while the market is calm: look at how the sender chooses its fee.",
    unit: "short",
    noValue: NOTHING,
    width: 12,
    height: 9,
    axis: "STX an hour",
    min: 0,
    queries: [
      {
        expr: grouped(`${perMinute("network, name", watched("stacks_address_fees_paid_microstx_total"))} * 60 / 1e6`),
        legend: "{{name}}",
      },
    ],
  }),
  lines({
    id: 24,
    title: "Own fee against the market",
    interval: "10m",
    legend: "right",
    description: `Median fee that the address paid within ${FEES.own.window}, over priority medium of the same type now. Above ${FEES.own.feeRatio} the same place was to be had for a third: StacksOwnFeeAboveMarket. Nothing of an address that paid fewer than ${FEES.own.leastTransactions} such fees within ${FEES.own.window}.`,
    unit: "none",
    noValue: "Too few fees were paid within an hour",
    width: 12,
    height: 9,
    axis: "times priority medium",
    log: true,
    limits: true,
    steps: [
      [null, "transparent"],
      [FEES.own.feeRatio, "red"],
    ],
    queries: [
      {
        expr: grouped(
          `((histogram_quantile(0.5, sum by (le, network, name, tx_type) (increase(${watched("stacks_address_tx_fee_microstx_bucket")}[${FEES.own.window}]))) > 0) and on (network, name, tx_type) sum by (network, name, tx_type) (increase(${watched("stacks_address_tx_fee_microstx_count")}[${FEES.own.window}])) >= ${FEES.own.leastTransactions}) / on (network, tx_type) group_left () ${once(of("stacks_mempool_fee_priority_microstx", { priority: "medium" }))}`,
        ),
        legend: "{{name}} {{tx_type}}",
      },
    ],
    link: runbook("StacksOwnFeeAboveMarket"),
  }),
];

const detail: readonly Panel[] = [
  lines({
    id: 31,
    title: "$name: transactions by type",
    description:
      "Counted transactions a minute, by type and direction; sponsored ones are those that the address only paid for.",
    unit: "short",
    noValue: NOTHING,
    width: 8,
    height: 8,
    axis: "a minute",
    min: 0,
    stacked: true,
    queries: [
      {
        expr: perMinute("tx_type, direction", watched("stacks_address_transactions_total")),
        legend: "{{tx_type}} {{direction}}",
      },
    ],
  }),
  lines({
    id: 32,
    title: "$name: how they ended",
    description:
      "Counted transactions a minute, by outcome. Aborted ones paid their fee: abort_by_response is the contract saying no, abort_by_post_condition is a protection at work.",
    unit: "short",
    noValue: NOTHING,
    width: 8,
    height: 8,
    axis: "a minute",
    min: 0,
    stacked: true,
    queries: [{ expr: perMinute("tx_status", watched("stacks_address_transactions_total")), legend: "{{tx_status}}" }],
    overrides: [
      coloured("success", "green"),
      coloured("abort_by_response", "red"),
      coloured("abort_by_post_condition", "orange"),
    ],
  }),
  lines({
    id: 33,
    title: "$name: STX transfers",
    description:
      "Amount of STX transfers, mints and burns as the address sees them, an hour at the pace of the moment; no fees.",
    unit: "short",
    noValue: NOTHING,
    width: 8,
    height: 8,
    axis: "STX an hour",
    min: 0,
    queries: [
      {
        expr: `${perMinute("direction", watched("stacks_address_stx_transfer_microstx_total"))} * 60 / 1e6`,
        legend: "{{direction}}",
      },
    ],
  }),
  heatmap({
    id: 34,
    title: "$name: size of STX transfers (microSTX)",
    description:
      "How many transfers fell into each range of amounts. A lonely cell far above the others is a transfer to ask about.",
    unit: "short",
    noValue: "No transfer in this range",
    width: 8,
    height: 8,
    queries: [
      {
        expr: total("le", `increase(${watched("stacks_address_stx_transfer_size_microstx_bucket")}[$__rate_interval])`),
        legend: "{{le}}",
      },
    ],
  }),
  table({
    id: 35,
    title: "$name: tokens in this range",
    description:
      "Transfers, mints and burns of fungible tokens (with their amount in base units) and of non-fungible ones, by asset and direction.",
    unit: "locale",
    decimals: 0,
    noValue: "No token moved in this range",
    width: 16,
    height: 8,
    queries: [
      { expr: `max by (asset, direction) (increase(${watched("stacks_address_ft_transfers_total")}[$__range])) > 0` },
      {
        expr: `max by (asset, direction) (increase(${watched("stacks_address_ft_transfer_units_total")}[$__range])) > 0`,
      },
      { expr: `max by (asset, direction) (increase(${watched("stacks_address_nft_transfers_total")}[$__range])) > 0` },
    ],
    columns: {
      asset: "asset",
      direction: "direction",
      "Value #A": "fungible",
      "Value #B": "base units",
      "Value #C": "non-fungible",
    },
    sortBy: "-fungible",
    overrides: [
      { name: "base units", properties: { unit: "short" } },
      { name: "asset", properties: { "custom.width": 520 } },
    ],
  }),
  lines({
    id: 36,
    title: "$name: number of transfers",
    description:
      "STX transfers, mints and burns a minute, by direction: many small ones and one large one look alike in the amount.",
    unit: "short",
    noValue: NOTHING,
    width: 8,
    height: 8,
    axis: "a minute",
    min: 0,
    queries: [{ expr: perMinute("direction", watched("stacks_address_stx_transfers_total")), legend: "{{direction}}" }],
  }),
  lines({
    id: 37,
    title: "$name: events",
    description: "Asset events a minute by class and action, and events of every kind that its transactions left.",
    unit: "short",
    noValue: NOTHING,
    width: 8,
    height: 8,
    axis: "a minute",
    min: 0,
    queries: [
      {
        expr: perMinute("asset_class, action", watched("stacks_address_asset_events_total")),
        legend: "{{asset_class}} {{action}}",
      },
      { expr: perMinute("name", watched("stacks_address_events_emitted_total")), legend: "of every kind, sent" },
    ],
  }),
  lines({
    id: 38,
    title: "$name: execution cost",
    description:
      "What its transactions take of the blocks, a minute, in the units of each dimension. Cost, not size, is what fills a tenure.",
    unit: "short",
    noValue: NOTHING,
    width: 8,
    height: 8,
    axis: "a minute",
    log: true,
    queries: [
      {
        expr: perMinute("dimension", watched("stacks_address_execution_cost_total")),
        legend: "{{dimension}}",
      },
    ],
  }),
  table({
    id: 39,
    title: "$name: post-conditions in this range",
    description: "Conditions on the transactions it sent: mode deny refuses whatever is not named, allow lets it pass.",
    unit: "locale",
    decimals: 0,
    noValue: "No post-condition in this range",
    width: 12,
    height: 8,
    queries: [
      {
        expr: `max by (mode, condition_type, condition_code, principal_type) (increase(${watched("stacks_address_post_conditions_total")}[$__range])) > 0`,
      },
    ],
    columns: {
      mode: "mode",
      condition_type: "limits",
      condition_code: "how",
      principal_type: "whose",
      Value: "conditions",
    },
    sortBy: "-conditions",
  }),
  lines({
    id: 40,
    title: "$name: sponsored and unprotected",
    description:
      "Sponsored transactions a minute, as sender (somebody else paid) and as sponsor, and those sent without any protection.",
    unit: "short",
    noValue: NOTHING,
    width: 12,
    height: 8,
    axis: "a minute",
    min: 0,
    queries: [
      {
        expr: perMinute("role", watched("stacks_address_sponsored_transactions_total")),
        legend: "sponsored, as {{role}}",
      },
      { expr: perMinute("name", watched("stacks_address_unprotected_transactions_total")), legend: "unprotected" },
    ],
    overrides: [coloured("unprotected", "red")],
  }),
];

const trust: readonly Panel[] = [
  lines({
    id: 51,
    title: "Transactions of the fleet",
    legend: "right",
    description: "Counted transactions a minute, by type, of all chosen addresses.",
    unit: "short",
    noValue: NOTHING,
    width: 12,
    height: 8,
    axis: "a minute",
    min: 0,
    stacked: true,
    queries: [
      {
        expr: `sum by (tx_type) (${grouped(perMinute("network, name, tx_type", watched("stacks_address_transactions_total")))})`,
        legend: "{{tx_type}}",
      },
    ],
    overrides: TX_TYPES,
  }),
  lines({
    id: 52,
    title: "Seen, not counted yet",
    legend: "right",
    description:
      "Transactions that wait for their confirmations, and those still to be read. A backlog that grows: the budget is too small for the watch list.",
    unit: "short",
    decimals: 0,
    noValue: NOBODY,
    width: 12,
    height: 8,
    min: 0,
    stacked: true,
    queries: [
      {
        expr: grouped(total("network, name", watched("stacks_address_pending_depth_transactions"))),
        legend: "{{name}}",
      },
      {
        expr: grouped(`${once(watched("stacks_address_backlog_transactions"))} > 0`),
        legend: "{{name}} to be read",
      },
    ],
  }),
  table({
    id: 53,
    title: "What did not fit in this range",
    description:
      "Counted transactions that a reorganisation took back (counters are never lowered for them) or gave back, transactions passed over, answers that cannot be right, and assets folded into other. All of it should be rare.",
    unit: "locale",
    decimals: 0,
    noValue: "Nothing: all is well",
    width: 24,
    height: 8,
    queries: [
      {
        expr: grouped(
          total("network, name", `increase(${watched("stacks_address_reverted_transactions_total")}[$__range])`),
        ),
      },
      {
        expr: grouped(each(`increase(${watched("stacks_address_restored_transactions_total")}[$__range])`)),
      },
      {
        expr: grouped(each(`increase(${watched("stacks_address_gap_transactions_total")}[$__range])`)),
      },
      {
        expr: grouped(total("network, name", `increase(${watched("stacks_address_irregularities_total")}[$__range])`)),
      },
      {
        expr: grouped(total("network, name", `increase(${watched("stacks_address_label_overflow_total")}[$__range])`)),
      },
      { expr: grouped(each(watched("stacks_address_indexed_transactions"))) },
      { expr: grouped(each(watched("stacks_address_last_transaction_block_height"))) },
    ],
    columns: {
      name: "name",
      "Value #A": "reverted",
      "Value #B": "restored",
      "Value #C": "passed over",
      "Value #D": "irregular",
      "Value #E": "folded into other",
      "Value #F": "indexed by the server",
      "Value #G": "height of the newest",
    },
    sortBy: "-reverted",
  }),
];

/** What the watched addresses did. */
export const addresses: Board = {
  uid: "stacks-addresses",
  title: "Stacks / Addresses",
  description: "What did the watched addresses do, and does anything about one of them look wrong?",
  from: "now-6h",
  networks: "several",
  variables: [
    {
      kind: "label",
      name: "group",
      label: "Group",
      query: 'label_values(stacks_address_info{job=~"$job", instance=~"$instance", network=~"$network"}, group)',
    },
    {
      kind: "label",
      name: "name",
      label: "Address",
      query:
        'label_values(stacks_address_info{job=~"$job", instance=~"$instance", network=~"$network", group=~"$group"}, name)',
    },
  ],
  rows: [
    { panels: overview },
    { id: 20, title: "Money", panels: money },
    { id: 50, title: "What can be trusted", panels: trust },
    { id: 30, title: "$name", collapsed: true, repeat: "name", panels: detail },
  ],
};
