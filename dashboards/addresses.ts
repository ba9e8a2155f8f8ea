// Dashboard Addresses: activity of the watched addresses in the time range, and irregularities.
import { waitingPanels } from "./address-waiting.ts";
import { type Board, choiceOf } from "./board.ts";
import { from0, worse } from "./colours.ts";
import { coloured, lines, type Override, type Panel, rates, type Steps, stats, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, firingOf, grownInRange, metric, perMinute, perPrincipal, stx, TARGET, total } from "./select.ts";
import { stakingPanels } from "./staking.ts";

const NAMED = { name: "~$name" };
const NO_ADDRESS = "No watched address: set addresses in the configuration";
const NO_TRANSACTION = "No counted transaction in this range";

const watched = (family: string, matchers: Readonly<Record<string, string>> = {}) =>
  metric(family, { ...NAMED, ...matchers });
/** A series of the address that is shown in detail. */
const one = (family: string) => metric(family, { name: "$address" });
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
/** The worst of the values of several exporters: one that alerts is shown. */
const worst = (expr: string, isLowest = false) => `${isLowest ? "min" : "max"} without (${TARGET}) (${expr})`;
/** Of the limits of an address: a value and what it must not exceed. */
const LIMITS = {
  minimum: ["min_balance_microstx", "available_balance_microstx"],
  outflow: ["outflow_microstx", "max_outflow_microstx"],
  tokenMinimum: ["ft_min_balance_units", "ft_balance_units"],
  tokenOutflow: ["ft_outflow_units", "ft_max_outflow_units"],
} as const;
/** How much of a limit is used. Above 1, an alert fires. In a graph, a share above 999 % would flatten the others. */
function usedOf(limit: keyof typeof LIMITS, at = "", of = (selector: string) => selector, most = 9.99): string {
  const [value = "", bound = ""] = LIMITS[limit].map((family) => of(watched(`stacks_address_${family}`)));
  return grouped(`clamp_max(${worst(`${value} / ${bound}`)}, ${most})`, at);
}
/** The same, of the addresses whose last values in the time range were nearest to their limits. */
const nearest = (limit: keyof typeof LIMITS): string =>
  `${usedOf(limit)} and on (network, name) topk(${MOST}, ${usedOf(limit, AT_END, lastKnown)})`;
const inRange = (labels: string, selector: string) => grouped(total(labels, grownInRange(selector)));
const fleet = (selector: string) => inRange("network, name", selector);
/** How much an address has used of the limit that is nearest. */
const used = `max by (network, name) (${(Object.keys(LIMITS) as (keyof typeof LIMITS)[])
  .map((limit) => `label_replace(${usedOf(limit, "", undefined, 1e6)}, "of", "${limit}", "", "")`)
  .join(" or ")})`;
/** The number of alerts that fire for an address. */
const alerts = grouped(
  `count by (network, name) (group by (network, name, alertname, asset) (${firingOf("Stacks(Address|OwnFee).*")}))`,
);
const rows = (expr: string, chosen: string) => `${expr} and on (network, name) ${chosen}`;
/** The addresses with the newest transactions, also in the first minutes of an outage; and then those without any. */
const newest = `topk(${MAX_ROWS}, ${grouped(perPrincipal(`last_over_time(${watched("stacks_address_last_transaction_timestamp_seconds")}[15m])`))} or on (network, name) 0 * ${grouped(perPrincipal(watched("stacks_address_info")))})`;
/** Those with alerts, those nearest to a limit, and those with the newest transactions. */
const first = (expr: string) =>
  rows(
    expr,
    `(topk(${MAX_ROWS}, ${alerts}) or on (network, name) topk(${MAX_ROWS}, ${used}) or on (network, name) ${newest})`,
  );
const ofFirst = (family: string, isLowest = false) =>
  first(grouped(`max by (network, name) (${stx(worst(watched(family), isLowest))})`));

const sent = fleet(watched("stacks_address_transactions_total", { direction: "sent" }));
// Of an address that has sent, and of which none failed, there is no series.
const failed = `(${fleet(watched("stacks_address_transactions_total", { direction: "sent", tx_status: "!success" }))} or on (network, name) 0 * ${sent})`;

/** A column whose text has the colour of its value. */
const byValue = (name: string, properties: Override["properties"], steps: Steps): Override => ({
  name,
  properties: {
    ...properties,
    "custom.cellOptions": { type: "color-text" },
    thresholds: { mode: "absolute", steps: steps.map(([value, color]) => ({ value, color })) },
  },
});

const overview: readonly Panel[] = [
  ...stats(
    { width: 4, height: 4, noValue: NO_TRANSACTION },
    {
      id: 1,
      title: "Watched",
      description: `Addresses of the configuration, of the selected groups and names. Values appear with the first poll.`,
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
      noValue: "No sent transaction was counted in this range",
      steps: worse(0.05, 0.2),
      queries: {
        failed: `sum(${failed}) / (sum(${sent}) > 0)`,
      },
    },
    {
      id: 4,
      title: "STX received",
      description: "STX received by these addresses in the time range. Transfers between them count on both sides.",
      decimals: 1,
      queries: { received: stx(`sum(${fleet(watched("stacks_address_received_microstx_total"))})`) },
      steps: from0("green"),
    },
    {
      id: 5,
      title: "STX sent",
      description: "STX sent by these addresses in the time range, including fees. Investigate unusual outflow.",
      decimals: 1,
      queries: { sent: stx(`sum(${fleet(watched("stacks_address_sent_microstx_total"))})`) },
      steps: from0("orange"),
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
    description: `The ${MAX_ROWS} selected addresses with the most alerts, the ${MAX_ROWS} nearest to a limit of
      the watch list, and the ${MAX_ROWS} with the newest transactions. Alerts are those of Prometheus that fire for
      the address; without any, the column is absent. Limit used: min_balance divided by the available balance, or
      the outflow within an hour divided by max_outflow, of STX and of tokens, whichever is higher; above 100 %, an
      alert fires. Available is the balance without locked STX. Last activity is the time of the newest transaction
      seen. Received, sent and failed are those of the time range. While the API is not read, values expire and
      their columns disappear.`,
    unit: "short",
    decimals: 2,
    noValue: NO_ADDRESS,
    width: 24,
    height: 11,
    only: [first(`max by (network, name, group) (${metric("stacks_address_info", { ...NAMED, group: "~$group" })})`)],
    labels: ["name", "group", "network"],
    values: {
      alerts: first(alerts),
      "limit used": first(used),
      "available (STX)": ofFirst("stacks_address_available_balance_microstx", true),
      "minimum (STX)": ofFirst("stacks_address_min_balance_microstx"),
      "out 1h (STX)": ofFirst("stacks_address_outflow_microstx"),
      "limit 1h (STX)": ofFirst("stacks_address_max_outflow_microstx"),
      "last activity": first(
        grouped(`${perPrincipal(watched("stacks_address_last_transaction_timestamp_seconds"))} * 1000`),
      ),
      "received (STX)": first(stx(fleet(watched("stacks_address_received_microstx_total")))),
      "sent (STX)": first(stx(fleet(watched("stacks_address_sent_microstx_total")))),
      failed: first(`${failed} / on (network, name) (${sent} > 0)`),
    },
    sortBy: "-limit used",
    overrides: [
      byValue("alerts", { decimals: 0, "custom.width": 80 }, [
        [null, "text"],
        [1, "red"],
      ]),
      byValue("limit used", { unit: "percentunit", decimals: 0 }, from0("green", [0.8, "orange"], [1, "red"])),
      { name: "last activity", properties: { unit: "dateTimeFromNow", "custom.width": 160 } },
      { name: "failed", properties: { unit: "percentunit", decimals: 1 } },
    ],
    link: runbook("StacksAddressBalanceLow"),
  }),
];

const limits: readonly Panel[] = [
  lines({
    id: 63,
    title: "Minimum, of the available balance",
    description: `The setting min_balance divided by the available balance, of STX and of tokens: the ten addresses
      nearest to their minimum. Above 100 %, StacksAddressBalanceLow fires. Shown up to 999 %.`,
    unit: "percentunit",
    decimals: 0,
    noValue: "No current balance with a minimum: set min_balance, or see the dashboard Exporter",
    softMax: 1,
    limit: 1,
    queries: { "{{name}} STX": nearest("minimum"), "{{name}} {{asset}}": nearest("tokenMinimum") },
    link: runbook("StacksAddressBalanceLow"),
  }),
  lines({
    id: 25,
    title: "Outflow within an hour, of its limit",
    description: `What left the address within an hour, divided by max_outflow of the watch list, of STX and of tokens:
      the ten addresses nearest to it. The hour is one of block time: an outflow that is counted late has its real size.
      Above 100 %, StacksAddressOutflowHigh fires. Shown up to 999 %.`,
    unit: "percentunit",
    decimals: 0,
    noValue: "No current value with a limit: set max_outflow, or see the dashboard Exporter",
    softMax: 1,
    limit: 1,
    queries: { "{{name}} STX": nearest("outflow"), "{{name}} {{asset}}": nearest("tokenOutflow") },
    link: runbook("StacksAddressOutflowHigh"),
  }),
];

const money: readonly Panel[] = [
  lines({
    id: 21,
    title: "STX in (above) and out (below)",
    interval: "5m",
    description:
      "STX received (upwards) and sent (downwards) per hour, including fees, of the ten addresses with the most.",
    noValue: "Nothing counted, or for less than ten minutes: a rate needs two points",
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
];

const NO_BALANCE = "No current balance: set balances or min_balance, or see the dashboard Exporter";
/** Units of tokens as tokens, if the decimals are known. */
const tokens = (units: string) =>
  `${dedupe(watched(units))} / on (network, asset) group_left () (10 ^ ${dedupe(metric("stacks_asset_decimals"))})`;

const withBalance = (expr: string) =>
  rows(grouped(expr), `topk(${MAX_ROWS}, ${grouped(perPrincipal(watched("stacks_address_balance_microstx")))})`);
/** For each asset: the addresses nearest to their minimum, and those with the highest balances. */
const withTokens = (expr: string) =>
  `${expr} and on (network, name, asset) (topk by (network, asset) (${MOST}, ${usedOf("tokenMinimum")}) or on (network, name, asset) topk by (network, asset) (${MOST}, ${grouped(dedupe(watched("stacks_address_ft_balance_units")))}))`;

const balances: readonly Panel[] = [
  table({
    id: 61,
    title: "Balances",
    description: `STX of the ${MAX_ROWS} selected addresses with the most. Available is the balance without locked STX.
      Blocks to unlock are burn blocks. Waiting: STX in mempool transactions to the address (in) and of it (out,
      including fees).`,
    unit: "locale",
    decimals: 0,
    noValue: NO_BALANCE,
    width: 24,
    labels: ["name", "network"],
    values: {
      "balance (STX)": withBalance(stx(perPrincipal(watched("stacks_address_balance_microstx")))),
      "available (STX)": withBalance(stx(perPrincipal(watched("stacks_address_available_balance_microstx")))),
      "blocks to unlock": withBalance(
        `${perPrincipal(watched("stacks_address_unlock_burn_block_height"))} - on (network) group_left () max by (network) (${metric("stacks_chain_burn_block_height")})`,
      ),
      "waiting in (STX)": withBalance(
        stx(perPrincipal(watched("stacks_address_mempool_microstx", { direction: "in" }))),
      ),
      "waiting out (STX)": withBalance(
        stx(perPrincipal(watched("stacks_address_mempool_microstx", { direction: "out" }))),
      ),
    },
    sortBy: "-balance (STX)",
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
    interval: "5m",
    description: `Counted transactions per minute, by type and direction. Direction sponsored: the address only paid
      the fee.`,
    noValue: NO_TRANSACTION,
    width: 8,
    queries: {
      "{{tx_type}} {{direction}}": perMinute("network, tx_type, direction", one("stacks_address_transactions_total")),
    },
  }),
  rates({
    id: 32,
    title: "$address: transactions by status",
    interval: "5m",
    description: `Counted transactions per minute, by status. Aborted transactions paid their fee. abort_by_response:
      the contract returned an error. abort_by_post_condition: a post-condition did not hold.`,
    noValue: NO_TRANSACTION,
    width: 8,
    queries: { "{{tx_status}}": perMinute("network, tx_status", one("stacks_address_transactions_total")) },
    overrides: [
      coloured("success", "green"),
      coloured("abort_by_response", "red"),
      coloured("abort_by_post_condition", "orange"),
    ],
  }),
  lines({
    id: 33,
    title: "$address: STX transfers",
    interval: "5m",
    description: "Amount of STX transfers, mints and burns per hour, without fees, at the current rate, by direction.",
    noValue: NO_TRANSACTION,
    width: 8,
    axis: "STX per hour",
    queries: {
      "{{direction}}": `${perMinute("network, direction", one("stacks_address_stx_transfer_microstx_total"))} * 60 / 1e6`,
    },
  }),
  table({
    id: 35,
    title: "$address: tokens in this range",
    description: `Transfers, mints and burns of fungible tokens (with their amount in base units) and of non-fungible
      tokens, by asset and direction.`,
    unit: "locale",
    decimals: 0,
    noValue: "No token transfer was counted in this range",
    width: 16,
    labels: ["network", "asset", "direction"],
    values: {
      fungible: `max by (network, asset, direction) (${grownInRange(one("stacks_address_ft_transfers_total"))}) > 0`,
      "base units": `max by (network, asset, direction) (${grownInRange(one("stacks_address_ft_transfer_units_total"))}) > 0`,
      "non-fungible": `max by (network, asset, direction) (${grownInRange(one("stacks_address_nft_transfers_total"))}) > 0`,
    },
    sortBy: "-fungible",
    overrides: [
      { name: "base units", properties: { unit: "short" } },
      { name: "asset", properties: { "custom.width": 580 } },
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
    description: `Counted transactions that a reorganisation reverted (counters are not lowered) or restored, invalid
      responses, and token transfers counted as other. Each of them should be rare.`,
    unit: "locale",
    decimals: 0,
    noValue: "None",
    labels: ["name"],
    values: {
      reverted: `${inRange("network, name", watched("stacks_address_reverted_transactions_total"))} > 0`,
      restored: `${grouped(perPrincipal(grownInRange(watched("stacks_address_restored_transactions_total"))))} > 0`,
      irregular: `${inRange("network, name", watched("stacks_address_irregularities_total"))} > 0`,
      "counted as other": `${inRange("network, name", watched("stacks_address_ft_transfers_total", { asset: "other" }))} > 0`,
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
    { panels: [...overview, ...limits] },
    { id: 20, title: "STX in and out", collapsed: true, panels: money },
    { id: 60, title: "Balances", collapsed: true, panels: balances },
    { id: 90, title: "Staking", collapsed: true, panels: stakingPanels(watched, grouped) },
    { id: 80, title: "Waiting transactions", collapsed: true, panels: waitingPanels(watched, grouped) },
    { id: 50, title: "Data quality", collapsed: true, panels: trust },
    { id: 30, title: "One address: $address", collapsed: true, panels: detail },
  ],
};
