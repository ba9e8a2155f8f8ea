// Dashboard Addresses: activity of the watched addresses in the time range, and irregularities.
import { sentLately } from "../alerts/addresses.ts";
import { grown } from "../alerts/grown.ts";
import { FEES } from "../alerts/thresholds.ts";
import { waitingPanels } from "./address-waiting.ts";
import type { Board } from "./board.ts";
import { TX_TYPES, worse } from "./colours.ts";
import { coloured, lines, type Panel, stat, table } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, grownInRange, metric, perMinute, perPrincipal, recording, stx, total } from "./select.ts";

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
const rows = (expr: string, chosen: string) => ({ expr: `${expr} and on (network, name) ${chosen}` });
/** The addresses with the newest transactions, also in the first minutes of an outage; and then those without any. */
const newest = `topk(${MAX_ROWS}, ${grouped(perPrincipal(`last_over_time(${watched("stacks_address_last_transaction_timestamp_seconds")}[15m])`))} or on (network, name) 0 * ${grouped(perPrincipal(watched("stacks_address_info")))})`;
const lastActive = (expr: string) => rows(expr, newest);

const overview: readonly Panel[] = [
  stat({
    id: 1,
    title: "Watched",
    description: `Addresses of the selected groups and names. If there are fewer than configured, some were not polled
      yet: see the dashboard Exporter.`,
    unit: "short",
    decimals: 0,
    noValue: NO_ADDRESS,
    width: 3,
    height: 4,
    queries: [
      {
        expr: `count(${dedupe(metric("stacks_address_info", { ...NAMED, group: "~$group" }))})`,
        legend: "addresses",
      },
    ],
  }),
  stat({
    id: 2,
    title: "Transactions",
    description: `Counted transactions of these addresses in the time range. A transaction counts once for every
      watched address that takes part.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_TRANSACTION,
    width: 3,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${fleet(watched("stacks_address_transactions_total"))})`, legend: "transactions" }],
  }),
  stat({
    id: 3,
    title: "Failed",
    description: `Share of the sent transactions that were aborted. Each paid its fee without effect. Above a few
      percent, check the called contract.`,
    unit: "percentunit",
    decimals: 1,
    noValue: "No transaction was sent",
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
    description: "STX received by these addresses in the time range. Transfers between them count on both sides.",
    unit: "short",
    decimals: 1,
    noValue: NO_TRANSACTION,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: stx(`sum(${fleet(watched("stacks_address_received_microstx_total"))})`), legend: "received" }],
    steps: [[null, "green"]],
  }),
  stat({
    id: 5,
    title: "STX sent",
    description: "STX sent by these addresses in the time range, including fees. Investigate unusual outflow.",
    unit: "short",
    decimals: 1,
    noValue: NO_TRANSACTION,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: stx(`sum(${fleet(watched("stacks_address_sent_microstx_total"))})`), legend: "sent" }],
    steps: [[null, "orange"]],
  }),
  stat({
    id: 6,
    title: "Fees paid (STX)",
    description: "Fees paid by these addresses in the time range, as sender or as sponsor.",
    unit: "short",
    decimals: 3,
    noValue: NO_TRANSACTION,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: stx(`sum(${fleet(watched("stacks_address_fees_paid_microstx_total"))})`), legend: "fees" }],
  }),
  stat({
    id: 7,
    title: "Unprotected",
    description: `Transactions sent in mode allow without any post-condition: the called contract could have moved any
      asset. An address that holds much should never send one: set require_post_conditions.`,
    unit: "locale",
    decimals: 0,
    noValue: "None, or not in this API",
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
    title: "Addresses",
    description: `Activity in the time range, of the ${MAX_ROWS} selected addresses with the newest transactions. Last
      activity is the time of the newest transaction seen, at any depth. The nonce is that of the newest mined
      transaction. Pending transactions wait for confirmations.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_ADDRESS,
    width: 24,
    height: 9,
    queries: [
      lastActive(
        `max by (network, name, group, kind) (${metric("stacks_address_info", { ...NAMED, group: "~$group" })})`,
      ),
      lastActive(grouped(`${perPrincipal(watched("stacks_address_last_transaction_timestamp_seconds"))} * 1000`)),
      lastActive(fleet(watched("stacks_address_transactions_total"))),
      lastActive(
        `${fleet(watched("stacks_address_transactions_total", { direction: "sent", tx_status: "!success" }))} / on (network, name) (${fleet(watched("stacks_address_transactions_total", { direction: "sent" }))} > 0)`,
      ),
      lastActive(`${fleet(watched("stacks_address_received_microstx_total"))} / 1e6`),
      lastActive(`${fleet(watched("stacks_address_sent_microstx_total"))} / 1e6`),
      lastActive(`${fleet(watched("stacks_address_fees_paid_microstx_total"))} / 1e6`),
      lastActive(grouped(perPrincipal(watched("stacks_address_nonce", { role: "sender" })))),
      lastActive(grouped(total("network, name", watched("stacks_address_pending_depth_transactions")))),
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
    legend: "right",
    description:
      "STX received (upwards) and sent (downwards) per hour, including fees, of the ten addresses with the most.",
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 12,
    height: 9,
    axis: "STX per hour",
    bars: true,
    stacked: true,
    queries: [
      {
        expr: mostActive(
          `${perMinute("network, name", watched("stacks_address_received_microstx_total"))} * 60 / 1e6`,
          watched("stacks_address_received_microstx_total"),
        ),
        legend: "{{name}} in",
      },
      {
        expr: mostActive(
          `${perMinute("network, name", watched("stacks_address_sent_microstx_total"))} * -60 / 1e6`,
          watched("stacks_address_sent_microstx_total"),
        ),
        legend: "{{name}} out",
      },
    ],
  }),
  lines({
    id: 23,
    title: "Fees paid",
    interval: "2m",
    legend: "right",
    description: `Fees per hour of the ten addresses that paid most. If they rise while the market is calm, check
      how the sender chooses its fee.`,
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 12,
    height: 9,
    axis: "STX per hour",
    min: 0,
    queries: [
      {
        expr: mostActive(
          `${perMinute("network, name", watched("stacks_address_fees_paid_microstx_total"))} * 60 / 1e6`,
          watched("stacks_address_fees_paid_microstx_total"),
        ),
        legend: "{{name}}",
      },
    ],
  }),
  lines({
    id: 24,
    title: "Own fee against the market",
    interval: "10m",
    legend: "right",
    description: `Mean fee that the address paid within ${FEES.own.window}, divided by the current fee of priority
      medium of the same type. Above ${FEES.own.feeRatio}, a third of the fee would have been enough: see
      StacksOwnFeeAboveMarket. Addresses with fewer than ${FEES.own.minTransactions} such transactions within
      ${FEES.own.window} are not shown.`,
    unit: "none",
    noValue: "Too few fees were paid within an hour",
    width: 24,
    height: 9,
    axis: "times priority medium",
    log: true,
    limit: FEES.own.feeRatio,
    queries: [
      {
        expr: grouped(
          `(${total("network, name, tx_type", grown(watched("stacks_address_fees_paid_microstx_total", { role: "sender" }), metric("stacks_address_info"), FEES.own.window))} / (${total("network, name, tx_type", recording(sentLately.record))} >= ${FEES.own.minTransactions})) / on (network, tx_type) group_left () ${dedupe(metric("stacks_mempool_fee_priority_microstx", { priority: "medium" }))}`,
        ),
        legend: "{{name}} {{tx_type}}",
      },
    ],
    link: runbook("StacksOwnFeeAboveMarket"),
  }),
  lines({
    id: 25,
    title: "Outflow within an hour, of its limit",
    legend: "right",
    description: `What left the address within an hour, divided by max_outflow of the watch list, of STX and of tokens:
      the ten addresses nearest to it. The hour is one of block time: an outflow that is counted late has its real size.
      Above 1, StacksAddressOutflowHigh fires.`,
    unit: "percentunit",
    noValue: "No current value with a limit: set max_outflow, or see the dashboard Exporter",
    width: 24,
    height: 8,
    min: 0,
    softMax: 1,
    limit: 1,
    queries: [
      { expr: nearest("topk", "outflow_microstx", "max_outflow_microstx"), legend: "{{name}} STX" },
      { expr: nearest("topk", "ft_outflow_units", "ft_max_outflow_units"), legend: "{{name}} {{asset}}" },
    ],
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
const withTokens = (expr: string) => ({
  expr: `${expr} and on (network, name, asset) (bottomk by (network, asset) (${MOST}, ${shareOfLimit("ft_balance_units", "ft_min_balance_units")}) or on (network, name, asset) topk by (network, asset) (${MOST}, ${grouped(dedupe(watched("stacks_address_ft_balance_units")))}))`,
});

const balances: readonly Panel[] = [
  table({
    id: 61,
    title: "Balances",
    description: `STX of the ${MAX_ROWS} selected addresses nearest to their minimum, and of the ${MAX_ROWS} with the
      most. Available excludes locked STX. Of minimum: available divided by min_balance of the
      watch list; below 100 %, StacksAddressBalanceLow fires. Blocks to unlock are burn blocks. Waiting: STX in mempool transactions to the address (in) and
      of it (out, including fees).`,
    unit: "locale",
    decimals: 0,
    noValue: NO_BALANCE,
    width: 24,
    height: 8,
    queries: [
      withBalance(grouped(stx(perPrincipal(watched("stacks_address_available_balance_microstx"))))),
      withBalance(
        grouped(
          `${perPrincipal(watched("stacks_address_available_balance_microstx"))} / ${perPrincipal(watched("stacks_address_min_balance_microstx"))}`,
        ),
      ),
      withBalance(grouped(stx(perPrincipal(watched("stacks_address_min_balance_microstx"))))),
      withBalance(grouped(stx(perPrincipal(watched("stacks_address_balance_microstx"))))),
      withBalance(grouped(stx(perPrincipal(watched("stacks_address_locked_balance_microstx"))))),
      withBalance(
        grouped(
          `${perPrincipal(watched("stacks_address_unlock_burn_block_height"))} - on (network) group_left () max by (network) (${metric("stacks_chain_burn_block_height")})`,
        ),
      ),
      withBalance(grouped(stx(perPrincipal(watched("stacks_address_mempool_microstx", { direction: "in" }))))),
      withBalance(grouped(stx(perPrincipal(watched("stacks_address_mempool_microstx", { direction: "out" }))))),
    ],
    columns: {
      name: "name",
      network: "network",
      "Value #A": "available (STX)",
      "Value #B": "of minimum",
      "Value #C": "minimum (STX)",
      "Value #D": "balance (STX)",
      "Value #E": "locked (STX)",
      "Value #F": "blocks to unlock",
      "Value #G": "waiting in (STX)",
      "Value #H": "waiting out (STX)",
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
    id: 62,
    title: "Available STX",
    interval: "2m",
    legend: "right",
    description: "STX that an address can send, without locked STX: the ten addresses with the most.",
    unit: "short",
    noValue: NO_BALANCE,
    width: 12,
    height: 9,
    axis: "STX",
    queries: [
      {
        expr: highest(
          stx(dedupe(watched("stacks_address_available_balance_microstx"))),
          watched("stacks_address_available_balance_microstx"),
        ),
        legend: "{{name}}",
      },
    ],
  }),
  lines({
    id: 63,
    title: "Available balance, of its minimum",
    legend: "right",
    description: `Available balance divided by min_balance of the watch list, of STX and of tokens: the ten addresses
      nearest to it. Below 1, StacksAddressBalanceLow fires.`,
    unit: "percentunit",
    noValue: "No current balance with a minimum: set min_balance, or see the dashboard Exporter",
    width: 12,
    height: 9,
    min: 0,
    log: true,
    limit: 1,
    queries: [
      { expr: nearest("bottomk", "available_balance_microstx", "min_balance_microstx"), legend: "{{name}} STX" },
      { expr: nearest("bottomk", "ft_balance_units", "ft_min_balance_units"), legend: "{{name}} {{asset}}" },
    ],
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
    height: 8,
    queries: [
      withTokens(grouped(`max by (network, name, asset) (${tokens("stacks_address_ft_balance_units")})`)),
      withTokens(grouped(`max by (network, name, asset) (${tokens("stacks_address_ft_min_balance_units")})`)),
      withTokens(grouped(`max by (network, name, asset) (${watched("stacks_address_ft_balance_units")})`)),
    ],
    columns: {
      name: "name",
      asset: "asset",
      network: "network",
      "Value #A": "balance (tokens)",
      "Value #B": "minimum (tokens)",
      "Value #C": "balance (base units)",
    },
    sortBy: "name",
    overrides: [{ name: "asset", properties: { "custom.width": 600 } }],
  }),
];

const detail: readonly Panel[] = [
  lines({
    id: 31,
    title: "$address: transactions by type",
    description: `Counted transactions per minute, by type and direction. Direction sponsored: the address only paid
      the fee.`,
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 8,
    height: 8,
    axis: "per minute",
    min: 0,
    stacked: true,
    queries: [
      {
        expr: perMinute("tx_type, direction", one("stacks_address_transactions_total")),
        legend: "{{tx_type}} {{direction}}",
      },
    ],
  }),
  lines({
    id: 32,
    title: "$address: transactions by status",
    description: `Counted transactions per minute, by status. Aborted transactions paid their fee. abort_by_response:
      the contract returned an error. abort_by_post_condition: a post-condition did not hold.`,
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 8,
    height: 8,
    axis: "per minute",
    min: 0,
    stacked: true,
    queries: [{ expr: perMinute("tx_status", one("stacks_address_transactions_total")), legend: "{{tx_status}}" }],
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
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 8,
    height: 8,
    axis: "STX per hour",
    min: 0,
    queries: [
      {
        expr: `${perMinute("direction", one("stacks_address_stx_transfer_microstx_total"))} * 60 / 1e6`,
        legend: "{{direction}}",
      },
    ],
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
    height: 8,
    queries: [
      { expr: `max by (asset, direction) (${grownInRange(one("stacks_address_ft_transfers_total"))}) > 0` },
      {
        expr: `max by (asset, direction) (${grownInRange(one("stacks_address_ft_transfer_units_total"))}) > 0`,
      },
      { expr: `max by (asset, direction) (${grownInRange(one("stacks_address_nft_transfers_total"))}) > 0` },
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
    title: "$address: number of transfers",
    description: `STX transfers, mints and burns per minute, by direction. The amount alone does not distinguish many
      small transfers from a large one.`,
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 8,
    height: 8,
    axis: "per minute",
    min: 0,
    queries: [{ expr: perMinute("direction", one("stacks_address_stx_transfers_total")), legend: "{{direction}}" }],
  }),
  lines({
    id: 40,
    title: "$address: unprotected",
    description: "Transactions per minute that the address sent in mode allow without any post-condition.",
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 12,
    height: 8,
    axis: "per minute",
    min: 0,
    queries: [{ expr: perMinute("name", one("stacks_address_unprotected_transactions_total")), legend: "unprotected" }],
    overrides: [coloured("unprotected", "red")],
  }),
];

const trust: readonly Panel[] = [
  lines({
    id: 51,
    title: "Transactions of all addresses",
    legend: "right",
    description: "Counted transactions of all selected addresses per minute, by type.",
    unit: "short",
    noValue: NO_TRANSACTION,
    width: 12,
    height: 8,
    axis: "per minute",
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
    title: "Not counted yet",
    interval: "2m",
    legend: "right",
    description: `Transactions that wait for confirmations, of the ten addresses with the most, and transactions not read yet. If the latter grow, the
      budget is too small for the watch list.`,
    unit: "short",
    decimals: 0,
    noValue: "No current value: see the dashboard Exporter",
    width: 12,
    height: 8,
    min: 0,
    stacked: true,
    queries: [
      {
        expr: highest(
          total("network, name", watched("stacks_address_pending_depth_transactions")),
          watched("stacks_address_pending_depth_transactions"),
        ),
        legend: "{{name}}",
      },
      {
        expr: grouped(`${dedupe(watched("stacks_address_backlog_transactions"))} > 0`),
        legend: "{{name}} not read",
      },
    ],
  }),
  table({
    id: 53,
    title: "Irregularities in this range",
    description: `Counted transactions that a reorganisation reverted (counters are not lowered) or restored, skipped
      transactions, invalid responses, and assets counted as other. Each of them should be rare.`,
    unit: "locale",
    decimals: 0,
    noValue: "None",
    width: 24,
    height: 8,
    queries: [
      { expr: `${inRange("network, name", watched("stacks_address_reverted_transactions_total"))} > 0` },
      { expr: `${grouped(perPrincipal(grownInRange(watched("stacks_address_restored_transactions_total"))))} > 0` },
      { expr: `${grouped(perPrincipal(grownInRange(watched("stacks_address_gap_transactions_total"))))} > 0` },
      { expr: `${inRange("network, name", watched("stacks_address_irregularities_total"))} > 0` },
      { expr: `${inRange("network, name", watched("stacks_address_label_overflow_total"))} > 0` },
    ],
    columns: {
      name: "name",
      "Value #A": "reverted",
      "Value #B": "restored",
      "Value #C": "skipped",
      "Value #D": "irregular",
      "Value #E": "counted as other",
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
    {
      kind: "label",
      name: "address",
      label: "In detail",
      query:
        'label_values(stacks_address_info{job=~"$job", instance=~"$instance", network=~"$network", group=~"$group"}, name)',
      isSingle: true,
    },
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
