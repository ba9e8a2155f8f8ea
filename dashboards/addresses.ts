// Dashboard Addresses: activity of the watched addresses in the time range, and irregularities.
import { waitingPanels } from "./address-waiting.ts";
import { type Board, choiceOf } from "./board.ts";
import { worse } from "./colours.ts";
import { coloured, lines, type Panel, rates, stats, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, grownInRange, metric, perMinute, perPrincipal, stx, total } from "./select.ts";

const NAMED = { name: "~$name" };
const NO_ADDRESS = "No watched address: set addresses in the configuration";
const NO_TRANSACTION = "No counted transaction in this range";

const watched = (family: string, matchers: Readonly<Record<string, string>> = {}) =>
  metric(family, { ...NAMED, ...matchers });
/** A series of the address that is shown in detail. */
const one = (family: string) => metric(family, { name: "~$address" });
/** Maximum number of addresses in a graph: thousands of lines are not readable. */
const MOST = 10;
/** Maximum number of addresses in a table: thousands of rows take seconds. */
const MAX_ROWS = 100;
/** Restricts an expression to the addresses for which a counter has grown most in the time range. */
const mostActive = (expr: string, selector: string) =>
  `${expr} and on (network, name) topk(${MOST}, ${grouped(total("network, name", `increase(${selector}[$__range] @ end())`), AT_END)} > 0)`;
/** Restricts an expression to the addresses whose last value of a gauge in the time range is highest. */
const highest = (expr: string, selector: string) =>
  `${expr} and on (network, name) topk(${MOST}, ${grouped(perPrincipal(lastKnown(selector)), AT_END)})`;
/** The last values in the time range: during an outage, gauges have none at its end. */
const lastKnown = (selector: string) => `last_over_time(${selector}[$__range]${AT_END})`;
/** Evaluates a selector once, instead of for every point of a graph. */
const AT_END = " @ end()";
/** Restricts an expression to the selected groups. */
const grouped = (expr: string, at = "") =>
  `(${expr} and on (network, name) ${metric("stacks_address_info", { ...NAMED, group: "~$group" })}${at})`;
/** A value of an address, divided by its limit in the watch list. */
const shareOfLimit = (value: string, limit: string, at = "", of = (selector: string) => selector) =>
  grouped(`${dedupe(of(watched(`stacks_address_${value}`)))} / ${dedupe(of(watched(`stacks_address_${limit}`)))}`, at);
/** The same, of the addresses whose last values in the time range were nearest to their limits. */
const nearest = (best: "topk" | "bottomk", value: string, limit: string) =>
  `${shareOfLimit(value, limit)} and on (network, name) ${best}(${MOST}, ${shareOfLimit(value, limit, AT_END, lastKnown)})`;
const inRange = (labels: string, selector: string) => grouped(total(labels, grownInRange(selector)));
const fleet = (selector: string) => inRange("network, name", selector);
const rows = (expr: string, chosen: string) => `${expr} and on (network, name) ${chosen}`;
/** The addresses with the newest transactions, also in the first minutes of an outage; and then those without any. */
const newest = `topk(${MAX_ROWS}, ${grouped(perPrincipal(`last_over_time(${watched("stacks_address_last_transaction_timestamp_seconds")}[15m])`))} or on (network, name) 0 * ${grouped(perPrincipal(watched("stacks_address_info")))})`;
const lastActive = (expr: string) => rows(expr, newest);

const overview: readonly Panel[] = [
  ...stats(
    { width: 4, height: 4, noValue: NO_TRANSACTION },
    {
      id: 1,
      title: "Watched",
      description: `Addresses of the selected groups and names. If there are fewer than configured, some were not polled
      yet: see the dashboard Exporter.`,
      decimals: 0,
      noValue: NO_ADDRESS,
      queries: { addresses: `count(${dedupe(metric("stacks_address_info", { ...NAMED, group: "~$group" }))})` },
    },
    {
      id: 2,
      title: "Transactions",
      description: `Counted transactions of these addresses in the time range. A transaction counts once for every
      watched address that takes part.`,
      unit: "locale",
      decimals: 0,
      queries: { transactions: `sum(${fleet(watched("stacks_address_transactions_total"))})` },
    },
    {
      id: 3,
      title: "Failed",
      description: `Share of the sent transactions that were aborted. Each paid its fee without effect. Above a few
      percent, check the called contract.`,
      unit: "percentunit",
      decimals: 1,
      noValue: "No transaction was sent",
      steps: worse(0.05, 0.2),
      queries: {
        failed: `sum(${fleet(watched("stacks_address_transactions_total", { direction: "sent", tx_status: "!success" }))}) / (sum(${fleet(watched("stacks_address_transactions_total", { direction: "sent" }))}) > 0)`,
      },
    },
    {
      id: 4,
      title: "STX received",
      description: "STX received by these addresses in the time range. Transfers between them count on both sides.",
      decimals: 1,
      queries: { received: stx(`sum(${fleet(watched("stacks_address_received_microstx_total"))})`) },
      steps: [[null, "green"]],
    },
    {
      id: 5,
      title: "STX sent",
      description: "STX sent by these addresses in the time range, including fees. Investigate unusual outflow.",
      decimals: 1,
      queries: { sent: stx(`sum(${fleet(watched("stacks_address_sent_microstx_total"))})`) },
      steps: [[null, "orange"]],
    },
    {
      id: 6,
      title: "Fees paid (STX)",
      description: "Fees paid by these addresses in the time range, as sender or as sponsor.",
      decimals: 3,
      queries: { fees: stx(`sum(${fleet(watched("stacks_address_fees_paid_microstx_total"))})`) },
    },
  ),
  table({
    id: 8,
    title: "Addresses",
    description: `Activity in the time range, of the ${MAX_ROWS} selected addresses with the newest transactions. Last
      activity is the time of the newest transaction seen, at any depth. The nonce is that of the newest mined
      transaction. Pending transactions wait for confirmations.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_ADDRESS,
    width: 24,
    height: 9,
    only: [
      lastActive(
        `max by (network, name, group, kind) (${metric("stacks_address_info", { ...NAMED, group: "~$group" })})`,
      ),
    ],
    labels: ["name", "group", "kind", "network"],
    values: {
      "last activity": lastActive(
        grouped(`${perPrincipal(watched("stacks_address_last_transaction_timestamp_seconds"))} * 1000`),
      ),
      transactions: lastActive(fleet(watched("stacks_address_transactions_total"))),
      failed: lastActive(
        `${fleet(watched("stacks_address_transactions_total", { direction: "sent", tx_status: "!success" }))} / on (network, name) (${fleet(watched("stacks_address_transactions_total", { direction: "sent" }))} > 0)`,
      ),
      "received (STX)": lastActive(`${fleet(watched("stacks_address_received_microstx_total"))} / 1e6`),
      "sent (STX)": lastActive(`${fleet(watched("stacks_address_sent_microstx_total"))} / 1e6`),
      "fees (STX)": lastActive(`${fleet(watched("stacks_address_fees_paid_microstx_total"))} / 1e6`),
      pending: lastActive(grouped(dedupe(watched("stacks_address_pending_depth_transactions")))),
    },
    sortBy: "-transactions",
    overrides: [
      { name: "last activity", properties: { unit: "dateTimeFromNow", "custom.width": 150 } },
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
    description:
      "STX received (upwards) and sent (downwards) per hour, including fees, of the ten addresses with the most.",
    noValue: NO_TRANSACTION,
    width: 24,
    height: 9,
    axis: "STX per hour",
    bars: true,
    stacked: true,
    queries: {
      "{{name}} in": mostActive(
        `${perMinute("network, name", watched("stacks_address_received_microstx_total"))} * 60 / 1e6`,
        watched("stacks_address_received_microstx_total"),
      ),
      "{{name}} out": mostActive(
        `${perMinute("network, name", watched("stacks_address_sent_microstx_total"))} * -60 / 1e6`,
        watched("stacks_address_sent_microstx_total"),
      ),
    },
    min: "auto",
  }),
  lines({
    id: 25,
    title: "Outflow within an hour, of its limit",
    description: `What left the address within an hour, divided by max_outflow of the watch list, of STX and of tokens:
      the ten addresses nearest to it. The hour is one of block time: an outflow that is counted late has its real size.
      Above 1, StacksAddressOutflowHigh fires.`,
    unit: "percentunit",
    noValue: "No current value with a limit: set max_outflow, or see the dashboard Exporter",
    width: 24,
    softMax: 1,
    limit: 1,
    queries: {
      "{{name}} STX": nearest("topk", "outflow_microstx", "max_outflow_microstx"),
      "{{name}} {{asset}}": nearest("topk", "ft_outflow_units", "ft_max_outflow_units"),
    },
    link: runbook("StacksAddressOutflowHigh"),
  }),
];

const NO_BALANCE = "No current balance: set balances or min_balance, or see the dashboard Exporter";
/** Units of tokens as tokens, if the decimals are known. */
const tokens = (units: string) =>
  `${dedupe(watched(units))} / on (network, asset) group_left () (10 ^ ${dedupe(metric("stacks_asset_decimals"))})`;

const available = "available_balance_microstx";
const withBalance = (expr: string) =>
  rows(
    expr,
    `(bottomk(${MAX_ROWS}, ${shareOfLimit(available, "min_balance_microstx")}) or on (network, name) topk(${MAX_ROWS}, ${grouped(perPrincipal(watched(`stacks_address_${available}`)))}))`,
  );
/** For each asset: the addresses nearest to their minimum, and those with the highest balances. */
const withTokens = (expr: string) =>
  `${expr} and on (network, name, asset) (bottomk by (network, asset) (${MOST}, ${shareOfLimit("ft_balance_units", "ft_min_balance_units")}) or on (network, name, asset) topk by (network, asset) (${MOST}, ${grouped(dedupe(watched("stacks_address_ft_balance_units")))}))`;

const balances: readonly Panel[] = [
  table({
    id: 61,
    title: "Balances",
    description: `STX of the ${MAX_ROWS} selected addresses nearest to their minimum, and of the ${MAX_ROWS} with the
      most. Available is the balance without locked STX. Of minimum: available divided by min_balance of the
      watch list; below 100 %, StacksAddressBalanceLow fires. Blocks to unlock are burn blocks. Waiting: STX in mempool transactions to the address (in) and
      of it (out, including fees).`,
    unit: "locale",
    decimals: 0,
    noValue: NO_BALANCE,
    width: 24,
    labels: ["name", "network"],
    values: {
      "available (STX)": withBalance(grouped(stx(perPrincipal(watched("stacks_address_available_balance_microstx"))))),
      "of minimum": withBalance(
        grouped(
          `${perPrincipal(watched("stacks_address_available_balance_microstx"))} / ${perPrincipal(watched("stacks_address_min_balance_microstx"))}`,
        ),
      ),
      "minimum (STX)": withBalance(grouped(stx(perPrincipal(watched("stacks_address_min_balance_microstx"))))),
      "balance (STX)": withBalance(grouped(stx(perPrincipal(watched("stacks_address_balance_microstx"))))),
      "blocks to unlock": withBalance(
        grouped(
          `${perPrincipal(watched("stacks_address_unlock_burn_block_height"))} - on (network) group_left () max by (network) (${metric("stacks_chain_burn_block_height")})`,
        ),
      ),
      "waiting in (STX)": withBalance(
        grouped(stx(perPrincipal(watched("stacks_address_mempool_microstx", { direction: "in" })))),
      ),
      "waiting out (STX)": withBalance(
        grouped(stx(perPrincipal(watched("stacks_address_mempool_microstx", { direction: "out" })))),
      ),
    },
    sortBy: "-minimum (STX)",
    overrides: [
      {
        name: "of minimum",
        properties: {
          unit: "percentunit",
          decimals: 0,
          "custom.cellOptions": { type: "color-text" },
          thresholds: {
            mode: "absolute",
            steps: [
              { value: null, color: "text" },
              { value: 0, color: "red" },
              { value: 1, color: "green" },
            ],
          },
        },
      },
    ],
    link: runbook("StacksAddressBalanceLow"),
  }),
  lines({
    id: 63,
    title: "Available balance, of its minimum",
    description: `Available balance divided by min_balance of the watch list, of STX and of tokens: the ten addresses
      nearest to it. Below 1, StacksAddressBalanceLow fires.`,
    width: 24,
    unit: "percentunit",
    noValue: "No current balance with a minimum: set min_balance, or see the dashboard Exporter",
    height: 9,
    log: true,
    limit: 1,
    queries: {
      "{{name}} STX": nearest("bottomk", "available_balance_microstx", "min_balance_microstx"),
      "{{name}} {{asset}}": nearest("bottomk", "ft_balance_units", "ft_min_balance_units"),
    },
    link: runbook("StacksAddressBalanceLow"),
  }),
  table({
    id: 64,
    title: "Tokens",
    description: `Balances of the tokens in assets, and of sBTC on mainnet: of each, the ten selected addresses nearest to
      their minimum, and the ten with the most. Amounts in tokens need the decimals of the
      asset in the configuration.`,
    unit: "locale",
    noValue: NO_BALANCE,
    width: 24,
    labels: ["name", "asset", "network"],
    values: {
      "balance (tokens)": withTokens(
        grouped(`max by (network, name, asset) (${tokens("stacks_address_ft_balance_units")})`),
      ),
      "minimum (tokens)": withTokens(
        grouped(`max by (network, name, asset) (${tokens("stacks_address_ft_min_balance_units")})`),
      ),
      "balance (base units)": withTokens(
        grouped(`max by (network, name, asset) (${watched("stacks_address_ft_balance_units")})`),
      ),
    },
    sortBy: "name",
    overrides: [{ name: "asset", properties: { "custom.width": 600 } }],
  }),
];

const detail: readonly Panel[] = [
  rates({
    id: 31,
    title: "$address: transactions by type",
    description: `Counted transactions per minute, by type and direction. Direction sponsored: the address only paid
      the fee.`,
    noValue: NO_TRANSACTION,
    width: 8,
    queries: { "{{tx_type}} {{direction}}": perMinute("tx_type, direction", one("stacks_address_transactions_total")) },
  }),
  rates({
    id: 32,
    title: "$address: transactions by status",
    description: `Counted transactions per minute, by status. Aborted transactions paid their fee. abort_by_response:
      the contract returned an error. abort_by_post_condition: a post-condition did not hold.`,
    noValue: NO_TRANSACTION,
    width: 8,
    queries: { "{{tx_status}}": perMinute("tx_status", one("stacks_address_transactions_total")) },
    overrides: [
      coloured("success", "green"),
      coloured("abort_by_response", "red"),
      coloured("abort_by_post_condition", "orange"),
    ],
  }),
  lines({
    id: 33,
    title: "$address: STX transfers",
    description: "Amount of STX transfers, mints and burns per hour, without fees, at the current rate, by direction.",
    noValue: NO_TRANSACTION,
    width: 8,
    axis: "STX per hour",
    queries: {
      "{{direction}}": `${perMinute("direction", one("stacks_address_stx_transfer_microstx_total"))} * 60 / 1e6`,
    },
  }),
  table({
    id: 35,
    title: "$address: tokens in this range",
    description: `Transfers, mints and burns of fungible tokens (with their amount in base units) and of non-fungible
      tokens, by asset and direction.`,
    unit: "locale",
    decimals: 0,
    noValue: "No token transfer in this range",
    width: 16,
    labels: ["asset", "direction"],
    values: {
      fungible: `max by (asset, direction) (${grownInRange(one("stacks_address_ft_transfers_total"))}) > 0`,
      "base units": `max by (asset, direction) (${grownInRange(one("stacks_address_ft_transfer_units_total"))}) > 0`,
      "non-fungible": `max by (asset, direction) (${grownInRange(one("stacks_address_nft_transfers_total"))}) > 0`,
    },
    sortBy: "-fungible",
    overrides: [
      { name: "base units", properties: { unit: "short" } },
      { name: "asset", properties: { "custom.width": 520 } },
    ],
  }),
];

const trust: readonly Panel[] = [
  lines({
    id: 52,
    title: "Not counted yet",
    interval: "2m",
    description: `Transactions that wait for confirmations, of the ten addresses with the most, and transactions not read yet. If the latter grow, the
      budget is too small for the watch list.`,
    decimals: 0,
    noValue: "No current value: see the dashboard Exporter",
    stacked: true,
    queries: {
      "{{name}}": highest(
        dedupe(watched("stacks_address_pending_depth_transactions")),
        watched("stacks_address_pending_depth_transactions"),
      ),
      "{{name}} not read": grouped(`${dedupe(watched("stacks_address_backlog_transactions"))} > 0`),
    },
  }),
  table({
    id: 53,
    title: "Irregularities in this range",
    description: `Counted transactions that a reorganisation reverted (counters are not lowered) or restored, skipped
      transactions, invalid responses, and assets counted as other. Each of them should be rare.`,
    unit: "locale",
    decimals: 0,
    noValue: "None",
    labels: ["name"],
    values: {
      reverted: `${inRange("network, name", watched("stacks_address_reverted_transactions_total"))} > 0`,
      restored: `${grouped(perPrincipal(grownInRange(watched("stacks_address_restored_transactions_total"))))} > 0`,
      skipped: `${grouped(perPrincipal(grownInRange(watched("stacks_address_gap_transactions_total"))))} > 0`,
      irregular: `${inRange("network, name", watched("stacks_address_irregularities_total"))} > 0`,
      "counted as other": `${inRange("network, name", watched("stacks_address_label_overflow_total"))} > 0`,
    },
    sortBy: "-reverted",
  }),
];

/** The dashboard Addresses. */
export const addresses: Board = {
  uid: "stacks-addresses",
  title: "Stacks / Addresses",
  description: "What did the watched addresses do, and is anything wrong with one of them?",
  from: "now-6h",
  networks: "several",
  variables: [
    choiceOf("stacks_address_info", "group", "Group"),
    choiceOf("stacks_address_info", "name", "Address", { within: ["group"] }),
    choiceOf("stacks_address_info", "name", "In detail", { name: "address", within: ["group"], isSingle: true }),
  ],
  rows: [
    { panels: overview },
    { id: 20, title: "Money", panels: money },
    { id: 60, title: "Balances", panels: balances },
    { id: 80, title: "Waiting transactions", panels: waitingPanels(watched, grouped) },
    { id: 50, title: "Data quality", panels: trust },
    { id: 30, title: "One address: $address", collapsed: true, panels: detail },
  ],
};
