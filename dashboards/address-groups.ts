// Row of the dashboard Addresses: groups that are exported as sums. Each shard has the sums of its members, so the
// values of several exporters are added up.
import { lines, type Panel, table } from "./panel.ts";
import { metric, stx } from "./select.ts";

const NO_GROUP = "No group with export: group";
const group = (family: string, matchers: Readonly<Record<string, string>> = {}) =>
  metric(family, { group: "~$sums", ...matchers });
const sum = (expr: string, labels = "network, group") => `sum by (${labels}) (${expr})`;
const inRange = (family: string, matchers: Readonly<Record<string, string>> = {}) =>
  sum(`increase(${group(family, matchers)}[$__range])`);
const perHour = (family: string) => sum(`rate(${group(family)}[$__rate_interval])`);
const ofAsset = (expr: string) => sum(expr, "network, group, asset");

/** Groups that are exported as sums. */
export const groupRow: readonly Panel[] = [
  table({
    id: 101,
    title: "Groups",
    description: `Sums over the addresses of each group with export: group, in the time range. If fewer addresses are
      known than the group has, balances, pending and unread transactions are absent until all are polled.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_GROUP,
    width: 24,
    height: 7,
    queries: [
      { expr: sum(group("stacks_group_members", { collector: "addresses" })) },
      { expr: sum(group("stacks_group_known_members", { collector: "addresses" })) },
      { expr: `max by (network, group) (${group("stacks_group_last_transaction_timestamp_seconds")}) * 1000` },
      { expr: inRange("stacks_group_transactions_total") },
      { expr: stx(inRange("stacks_group_received_microstx_total")) },
      { expr: stx(inRange("stacks_group_sent_microstx_total")) },
      { expr: stx(inRange("stacks_group_fees_paid_microstx_total")) },
      { expr: stx(sum(group("stacks_group_balance_microstx"))) },
      { expr: stx(sum(group("stacks_group_available_balance_microstx"))) },
      { expr: stx(sum(group("stacks_group_locked_balance_microstx"))) },
      { expr: sum(group("stacks_group_pending_depth_transactions")) },
      { expr: sum(group("stacks_group_backlog_transactions")) },
      { expr: inRange("stacks_group_reverted_transactions_total") },
      { expr: inRange("stacks_group_gap_transactions_total") },
    ],
    columns: {
      group: "group",
      network: "network",
      "Value #A": "addresses",
      "Value #B": "known",
      "Value #C": "last activity",
      "Value #D": "transactions",
      "Value #E": "received (STX)",
      "Value #F": "sent (STX)",
      "Value #G": "fees (STX)",
      "Value #H": "balance (STX)",
      "Value #I": "available (STX)",
      "Value #J": "locked (STX)",
      "Value #K": "pending",
      "Value #L": "not read",
      "Value #M": "reverted",
      "Value #N": "skipped",
    },
    sortBy: "-addresses",
    overrides: [{ name: "last activity", properties: { unit: "dateTimeFromNow" } }],
  }),
  lines({
    id: 102,
    title: "STX in (above) and out (below), by group",
    interval: "5m",
    legend: "right",
    description: "Amount of STX transfers, mints and burns per hour, without fees, at the current rate.",
    unit: "short",
    noValue: NO_GROUP,
    width: 8,
    height: 8,
    axis: "STX per hour",
    queries: [
      {
        expr: `${sum(`rate(${group("stacks_group_stx_transfer_microstx_total", { direction: "in" })}[$__rate_interval])`)} * 3600 / 1e6`,
        legend: "{{group}} in",
      },
      {
        expr: `${sum(`rate(${group("stacks_group_stx_transfer_microstx_total", { direction: "out" })}[$__rate_interval])`)} * -3600 / 1e6`,
        legend: "{{group}} out",
      },
    ],
  }),
  lines({
    id: 103,
    title: "Transfers, by group",
    legend: "right",
    description: "STX transfers, and transfers of the tokens in assets, per hour.",
    unit: "short",
    noValue: NO_GROUP,
    width: 8,
    height: 8,
    axis: "per hour",
    min: 0,
    queries: [
      { expr: `${perHour("stacks_group_stx_transfers_total")} * 3600`, legend: "{{group}} STX" },
      { expr: `${perHour("stacks_group_ft_transfers_total")} * 3600`, legend: "{{group}} tokens" },
      { expr: `${perHour("stacks_group_nft_transfers_total")} * 3600`, legend: "{{group}} NFTs" },
    ],
  }),
  table({
    id: 104,
    title: "Tokens, by group",
    description: "Balances of the tokens in assets, and the amount that was moved in the time range. In base units.",
    unit: "short",
    noValue: "No token of a group",
    width: 8,
    height: 8,
    queries: [
      { expr: ofAsset(group("stacks_group_ft_balance_units")) },
      { expr: ofAsset(`increase(${group("stacks_group_ft_transfer_units_total")}[$__range])`) },
    ],
    columns: { group: "group", asset: "asset", "Value #A": "balance", "Value #B": "moved" },
    sortBy: "group",
  }),
];
