// Contracts: what the watched ones print, and which of them fell silent.
import type { Board } from "./board.ts";
import { never } from "./colours.ts";
import { coloured, lines, type Panel, stat, table } from "./panel.ts";
import { each, of, once, perMinute, total } from "./select.ts";

const NAMED = { name: "~$name" };
const NOBODY = "No watched contract: see contracts in the configuration";
const NOTHING = "No event in this range";

const watched = (family: string) => of(family, NAMED);
const info = of("stacks_contract_info", { ...NAMED, group: "~$group" });
/** Only the contracts of the chosen groups. */
const grouped = (expr: string) => `(${expr} and on (network, name) ${info})`;
const inRange = (family: string) => grouped(total("network, name", `increase(${watched(family)}[$__range])`));
const silence = `time() - ${once(watched("stacks_contract_last_event_observed_timestamp_seconds"))}`;

const overview: readonly Panel[] = [
  stat({
    id: 1,
    title: "Watched",
    description:
      "Contracts of the chosen groups and names. Fewer than configured: some were never polled, see the board Exporter.",
    unit: "short",
    decimals: 0,
    noValue: NOBODY,
    width: 4,
    height: 4,
    queries: [{ expr: `count(${once(info)})`, legend: "contracts" }],
  }),
  stat({
    id: 2,
    title: "Events",
    description: "Events counted in the range shown. Each is counted once, when it has the configured confirmations.",
    unit: "locale",
    decimals: 0,
    noValue: NOTHING,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${inRange("stacks_contract_events_total")})`, legend: "events" }],
  }),
  stat({
    id: 3,
    title: "Transactions with events",
    description: "Transactions with at least one counted event in the range shown.",
    unit: "locale",
    decimals: 0,
    noValue: NOTHING,
    width: 4,
    height: 4,
    min: 0,
    queries: [{ expr: `sum(${inRange("stacks_contract_event_transactions_total")})`, legend: "transactions" }],
  }),
  stat({
    id: 4,
    title: "Silent contracts",
    description:
      "Contracts of which no new event was seen since they were first polled. A contract that never prints belongs among the addresses instead.",
    unit: "short",
    decimals: 0,
    noValue: "None",
    width: 4,
    height: 4,
    min: 0,
    queries: [
      {
        expr: `count(${once(info)} unless on (network, name) ${watched("stacks_contract_last_event_observed_timestamp_seconds")})`,
        legend: "silent",
      },
    ],
  }),
  stat({
    id: 5,
    title: "Polls with a gap",
    description:
      "Times in the range shown that an unknown number of events was passed over, because the place where reading ended was lost. Poll more often, or raise pages.",
    unit: "short",
    decimals: 0,
    noValue: NOBODY,
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
      "Counted events whose transaction is in no block any more, in the range shown; the counters are never lowered for them.",
    unit: "short",
    decimals: 0,
    noValue: NOBODY,
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
    title: "The contracts",
    description:
      "One line for each contract: what it printed in the range shown, and when an event was last seen for the first time (events themselves carry no time). Pending ones are not deep enough to be counted; the topics of folded ones are shown as other.",
    unit: "locale",
    decimals: 0,
    noValue: NOBODY,
    width: 24,
    height: 7,
    queries: [
      { expr: `max by (network, name, group, contract_id) (${info})` },
      {
        expr: grouped(`${each(watched("stacks_contract_last_event_observed_timestamp_seconds"))} * 1000`),
      },
      { expr: inRange("stacks_contract_events_total") },
      { expr: inRange("stacks_contract_event_transactions_total") },
      { expr: grouped(each(watched("stacks_contract_pending_depth_events"))) },
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
      "Value #H": "folded",
    },
    sortBy: "-events",
    overrides: [
      { name: "last event", properties: { unit: "dateTimeFromNow", "custom.width": 130 } },
      { name: "contract", properties: { "custom.width": 500 } },
      { name: "name", properties: { "custom.width": 140 } },
    ],
  }),
];

const over: readonly Panel[] = [
  lines({
    id: 21,
    title: "Events by contract",
    legend: "right",
    description:
      "Counted events a minute. A step is a change in use; a fall to nothing is a contract, or its front end, that stopped.",
    unit: "short",
    noValue: NOTHING,
    width: 12,
    height: 9,
    axis: "a minute",
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
    description:
      "Counted events a minute of all chosen contracts, by type and topic. Topics beyond max_topics are other.",
    unit: "short",
    noValue: NOTHING,
    width: 12,
    height: 9,
    axis: "a minute",
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
    title: "Silence",
    legend: "right",
    description:
      "Time since an event was last seen for the first time. A line that climbs beyond its usual teeth is a contract that fell silent.",
    unit: "m",
    noValue: "No event was seen yet",
    width: 12,
    height: 9,
    min: 0,
    queries: [{ expr: `${grouped(silence)} / 60`, legend: "{{name}}" }],
  }),
  lines({
    id: 24,
    title: "Events in one transaction",
    legend: "right",
    description:
      "Counted events for each transaction that has any. A contract that suddenly prints more per call was upgraded, or is called by another one.",
    unit: "short",
    decimals: 1,
    noValue: NOTHING,
    width: 12,
    height: 9,
    axis: "events",
    min: 0,
    queries: [
      {
        expr: grouped(
          `${total("network, name", `increase(${watched("stacks_contract_events_total")}[$__rate_interval])`)} / (${each(`increase(${watched("stacks_contract_event_transactions_total")}[$__rate_interval])`)} > 0)`,
        ),
        legend: "{{name}}",
      },
    ],
  }),
  lines({
    id: 25,
    title: "Seen, not counted yet",
    legend: "right",
    description:
      "Events that wait for their confirmations. It follows the traffic; a lasting rise means that blocks are slow.",
    unit: "short",
    decimals: 0,
    noValue: NOBODY,
    width: 12,
    height: 8,
    min: 0,
    queries: [{ expr: grouped(once(watched("stacks_contract_pending_depth_events"))), legend: "{{name}}" }],
  }),
  lines({
    id: 26,
    title: "What did not fit",
    legend: "right",
    description:
      "Polls with a gap, reverted and restored events, and events whose topic was folded into other. All of it should be rare.",
    unit: "short",
    decimals: 0,
    noValue: NOBODY,
    width: 12,
    height: 8,
    min: 0,
    bars: true,
    queries: [
      {
        expr: `sum(${once(`increase(${watched("stacks_contract_events_gap_total")}[$__rate_interval])`)})`,
        legend: "polls with a gap",
      },
      {
        expr: `sum(${once(`increase(${watched("stacks_contract_reverted_events_total")}[$__rate_interval])`)})`,
        legend: "reverted",
      },
      {
        expr: `sum(${once(`increase(${watched("stacks_contract_restored_events_total")}[$__rate_interval])`)})`,
        legend: "restored",
      },
      {
        expr: `sum(${once(`increase(${watched("stacks_contract_label_overflow_total")}[$__rate_interval])`)})`,
        legend: "folded into other",
      },
    ],
    overrides: [
      coloured("polls with a gap", "red"),
      coloured("reverted", "purple"),
      coloured("folded into other", "yellow"),
    ],
  }),
];

/** What the watched contracts print. */
export const contracts: Board = {
  uid: "stacks-contracts",
  title: "Stacks / Contracts",
  description: "What do the watched contracts print, and did one of them fall silent?",
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
