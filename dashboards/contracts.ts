// Board Contracts: events of the watched contracts, and contracts that stopped printing.
import type { Board } from "./board.ts";
import { never } from "./colours.ts";
import { coloured, lines, type Panel, stat, table } from "./panel.ts";
import { dedupe, metric, perMinute, perPrincipal, total } from "./select.ts";

const NAMED = { name: "~$name" };
const NO_CONTRACT = "No watched contract: set contracts in the configuration";
const NO_EVENT = "No event in this range";

const watched = (family: string) => metric(family, NAMED);
const info = metric("stacks_contract_info", { ...NAMED, group: "~$group" });
/** Restricts an expression to the selected groups. */
const grouped = (expr: string) => `(${expr} and on (network, name) ${info})`;
const inRange = (family: string) => grouped(total("network, name", `increase(${watched(family)}[$__range])`));
const silence = `time() - ${dedupe(watched("stacks_contract_last_event_observed_timestamp_seconds"))}`;

const ruleIncrease = (labels: string, family: string) =>
  `${total(labels, `increase(${watched(family)}[$__rate_interval])`)} > 0`;

const overview: readonly Panel[] = [
  stat({
    id: 1,
    title: "Watched",
    description: `Contracts of the selected groups and names. If there are fewer than configured, some were not polled
      yet: see the board Exporter.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 4,
    height: 4,
    queries: [{ expr: `count(${dedupe(info)})`, legend: "contracts" }],
  }),
  stat({
    id: 2,
    title: "Events",
    description: "Events counted in the time range. Each event counts once, when it has the configured confirmations.",
    unit: "locale",
    decimals: 0,
    noValue: NO_EVENT,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${inRange("stacks_contract_events_total")})`, legend: "events" }],
  }),
  stat({
    id: 3,
    title: "Transactions with events",
    description: "Transactions with at least one counted event in the time range.",
    unit: "locale",
    decimals: 0,
    noValue: NO_EVENT,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${inRange("stacks_contract_event_transactions_total")})`, legend: "transactions" }],
  }),
  stat({
    id: 4,
    title: "Silent contracts",
    description: `Contracts without a new event since their first poll. Watch a contract that never prints as an
      address instead.`,
    unit: "short",
    decimals: 0,
    noValue: "None",
    width: 4,
    height: 4,
    min: 0,
    queries: [
      {
        expr: `count(${dedupe(info)} unless on (network, name) ${watched("stacks_contract_last_event_observed_timestamp_seconds")})`,
        legend: "silent",
      },
    ],
  }),
  stat({
    id: 5,
    title: "Polls with a gap",
    description: `Polls in the time range that skipped an unknown number of events, because their position in the list
      was lost. Poll more often, or raise pages.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 4,
    height: 4,
    min: 0,
    steps: never,
    queries: [{ expr: `sum(${inRange("stacks_contract_events_gap_total")})`, legend: "gaps" }],
  }),
  stat({
    id: 6,
    title: "Reverted events",
    description:
      "Counted events in the time range whose transaction is in no block any more. The counters are not lowered.",
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 4,
    height: 4,
    min: 0,
    steps: [
      [null, "green"],
      [1, "yellow"],
    ],
    queries: [{ expr: `sum(${inRange("stacks_contract_reverted_events_total")})`, legend: "reverted" }],
  }),
  table({
    id: 7,
    title: "Contracts",
    description: `Events of each contract in the time range, and when a new event was last seen (events carry no time
      of their own). Pending events wait for confirmations. Events whose topic has no series count as other.`,
    unit: "locale",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 24,
    height: 7,
    queries: [
      { expr: `max by (network, name, group, contract_id) (${info})` },
      {
        expr: grouped(`${perPrincipal(watched("stacks_contract_last_event_observed_timestamp_seconds"))} * 1000`),
      },
      { expr: inRange("stacks_contract_events_total") },
      { expr: inRange("stacks_contract_event_transactions_total") },
      { expr: grouped(perPrincipal(watched("stacks_contract_pending_depth_events"))) },
      { expr: inRange("stacks_contract_events_gap_total") },
      { expr: inRange("stacks_contract_reverted_events_total") },
      { expr: inRange("stacks_contract_label_overflow_total") },
    ],
    columns: {
      name: "name",
      group: "group",
      contract_id: "contract",
      network: "network",
      "Value #B": "last event",
      "Value #C": "events",
      "Value #D": "transactions",
      "Value #E": "pending",
      "Value #F": "gaps",
      "Value #G": "reverted",
      "Value #H": "as other",
    },
    sortBy: "-events",
    overrides: [
      { name: "last event", properties: { unit: "dateTimeFromNow", "custom.width": 150 } },
      { name: "contract", properties: { "custom.width": 500 } },
      { name: "name", properties: { "custom.width": 120 } },
    ],
  }),
];

const over: readonly Panel[] = [
  lines({
    id: 21,
    title: "Events by contract",
    legend: "right",
    description: `Counted events per minute. A step is a change in use; if events stop, the contract or its front end
      has stopped.`,
    unit: "short",
    noValue: NO_EVENT,
    width: 12,
    height: 9,
    axis: "per minute",
    min: 0,
    stacked: true,
    queries: [
      { expr: grouped(perMinute("network, name", watched("stacks_contract_events_total"))), legend: "{{name}}" },
    ],
  }),
  lines({
    id: 22,
    title: "Events by type and topic",
    legend: "right",
    description: `Counted events of all selected contracts per minute, by type and topic. Topics beyond max_topics
      count as other.`,
    unit: "short",
    noValue: NO_EVENT,
    width: 12,
    height: 9,
    axis: "per minute",
    min: 0,
    queries: [
      {
        expr: `sum by (event_type, topic) (${grouped(perMinute("network, name, event_type, topic", watched("stacks_contract_events_total")))})`,
        legend: "{{event_type}} {{topic}}",
      },
    ],
  }),
  lines({
    id: 23,
    title: "Time since the last event",
    legend: "right",
    description: `Time since a new event was last seen. A line that rises above its usual maximum is a contract that
      stopped printing.`,
    unit: "m",
    noValue: "No event was seen yet",
    width: 12,
    height: 9,
    min: 0,
    queries: [{ expr: `${grouped(silence)} / 60`, legend: "{{name}}" }],
  }),
  lines({
    id: 24,
    title: "Events per transaction",
    legend: "right",
    description: `Counted events per transaction with events. A sudden increase: the contract was upgraded, or another
      contract calls it.`,
    unit: "short",
    decimals: 1,
    noValue: NO_EVENT,
    width: 12,
    height: 9,
    axis: "events",
    min: 0,
    queries: [
      {
        expr: grouped(
          `${total("network, name", `increase(${watched("stacks_contract_events_total")}[$__rate_interval])`)} / (${perPrincipal(`increase(${watched("stacks_contract_event_transactions_total")}[$__rate_interval])`)} > 0)`,
        ),
        legend: "{{name}}",
      },
    ],
  }),
  lines({
    id: 25,
    title: "Not counted yet",
    legend: "right",
    description: `Events that wait for confirmations. They follow the traffic; a lasting increase means that blocks are
      slow.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 12,
    height: 8,
    min: 0,
    queries: [{ expr: grouped(dedupe(watched("stacks_contract_pending_depth_events"))), legend: "{{name}}" }],
  }),
  lines({
    id: 26,
    title: "Irregularities",
    legend: "right",
    description: `Polls with a gap, reverted and restored events, and events whose topic counts as other. All of them
      should be rare.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 12,
    height: 8,
    min: 0,
    bars: true,
    queries: [
      {
        expr: `sum(${dedupe(`increase(${watched("stacks_contract_events_gap_total")}[$__rate_interval])`)})`,
        legend: "polls with a gap",
      },
      {
        expr: `sum(${dedupe(`increase(${watched("stacks_contract_reverted_events_total")}[$__rate_interval])`)})`,
        legend: "reverted",
      },
      {
        expr: `sum(${dedupe(`increase(${watched("stacks_contract_restored_events_total")}[$__rate_interval])`)})`,
        legend: "restored",
      },
      {
        expr: `sum(${dedupe(`increase(${watched("stacks_contract_label_overflow_total")}[$__rate_interval])`)})`,
        legend: "counted as other",
      },
    ],
    overrides: [
      coloured("polls with a gap", "red"),
      coloured("reverted", "purple"),
      coloured("counted as other", "yellow"),
    ],
  }),
  lines({
    id: 27,
    title: "Event rules",
    legend: "right",
    description: `Events that matched an event rule and did not count as it says, by the reason, and samples with a
      label that counts as other. If an error begins, the contract prints another shape: compare with
      stacks-exporter try.`,
    unit: "short",
    decimals: 0,
    noValue: "None: no contract has event rules, or all events count as the rules say",
    width: 24,
    height: 7,
    min: 0,
    bars: true,
    queries: [
      {
        expr: grouped(ruleIncrease("network, name, metric, reason", "stacks_contract_rule_errors_total")),
        legend: "{{name}} {{metric}}: {{reason}}",
      },
      {
        expr: grouped(ruleIncrease("network, name, metric", "stacks_contract_rule_label_overflow_total")),
        legend: "{{name}} {{metric}}: label other",
      },
    ],
  }),
];

/** The board Contracts. */
export const contracts: Board = {
  uid: "stacks-contracts",
  title: "Stacks / Contracts",
  description: "What do the watched contracts print, and did one of them stop?",
  from: "now-6h",
  networks: "several",
  variables: [
    {
      kind: "label",
      name: "group",
      label: "Group",
      query: 'label_values(stacks_contract_info{job=~"$job", instance=~"$instance", network=~"$network"}, group)',
    },
    {
      kind: "label",
      name: "name",
      label: "Contract",
      query:
        'label_values(stacks_contract_info{job=~"$job", instance=~"$instance", network=~"$network", group=~"$group"}, name)',
    },
  ],
  rows: [{ panels: overview }, { id: 20, title: "Over time", panels: over }],
};
