// Row of the dashboard Contracts: gaps and corrections of its counters.

import { never } from "./colours.ts";
import { grouped, inRange, NAMED, NO_CONTRACT, watched } from "./contract-queries.ts";
import { coloured, lines, type Panel, stat } from "./panel.ts";
import { dedupe } from "./select.ts";
import { ruleErrors } from "./shared-panels.ts";

const recent = (family: string) => `sum(${dedupe(`increase(${watched(family)}[$__rate_interval])`)})`;
const both = (...exprs: readonly string[]) => exprs.map((expr) => `(${expr} or vector(0))`).join(" + ");
/** Events and calls that are not counted, or that count as other. */
export const qualityRow: readonly Panel[] = [
  stat({
    id: 5,
    title: "Polls with a gap",
    description: `Polls in the time range that skipped an unknown number of events, because their position in the list
      was lost. Poll more often, or raise pages.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 8,
    height: 4,
    min: 0,
    steps: never,
    queries: [{ expr: `sum(${inRange("stacks_contract_events_gap_total")})`, legend: "gaps" }],
  }),
  stat({
    id: 41,
    title: "Skipped transactions",
    description: `Transactions of contracts in the time range that were skipped, because there were more new ones than
      catch_up of the collector contract_calls. Some of them may have been calls.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 8,
    height: 4,
    min: 0,
    steps: never,
    queries: [{ expr: `sum(${inRange("stacks_contract_calls_gap_total")})`, legend: "transactions" }],
  }),
  stat({
    id: 42,
    title: "Reverted",
    description:
      "Counted events and calls in the time range that are no longer in a block. The counters are not lowered.",
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 8,
    height: 4,
    min: 0,
    text: "both",
    steps: [
      [null, "green"],
      [1, "yellow"],
    ],
    queries: [
      { expr: `sum(${inRange("stacks_contract_reverted_events_total")})`, legend: "events" },
      { expr: `sum(${inRange("stacks_contract_reverted_calls_total")})`, legend: "calls" },
    ],
  }),
  lines({
    id: 25,
    title: "Not counted yet",
    legend: "right",
    description: `Events and calls that wait for confirmations. They follow the traffic; a lasting increase means that
      blocks are slow.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 12,
    height: 8,
    min: 0,
    queries: [
      { expr: `sum(${grouped(dedupe(watched("stacks_contract_pending_depth_events")))})`, legend: "events" },
      { expr: `sum(${grouped(dedupe(watched("stacks_contract_pending_depth_calls")))})`, legend: "calls" },
    ],
  }),
  lines({
    id: 26,
    title: "Irregularities",
    legend: "right",
    description: `Polls with a gap, skipped transactions, reverted and restored events and calls, and events and calls
      whose topic, function or error counts as other. All of them should be rare.`,
    unit: "short",
    decimals: 0,
    noValue: NO_CONTRACT,
    width: 12,
    height: 8,
    min: 0,
    bars: true,
    queries: [
      { expr: recent("stacks_contract_events_gap_total"), legend: "polls with a gap" },
      { expr: recent("stacks_contract_calls_gap_total"), legend: "skipped transactions" },
      {
        expr: both(recent("stacks_contract_reverted_events_total"), recent("stacks_contract_reverted_calls_total")),
        legend: "reverted",
      },
      {
        expr: both(recent("stacks_contract_restored_events_total"), recent("stacks_contract_restored_calls_total")),
        legend: "restored",
      },
      {
        expr: both(recent("stacks_contract_label_overflow_total"), recent("stacks_contract_call_label_overflow_total")),
        legend: "counted as other",
      },
    ],
    overrides: [
      coloured("polls with a gap", "red"),
      coloured("skipped transactions", "orange"),
      coloured("reverted", "purple"),
      coloured("counted as other", "yellow"),
    ],
  }),
  ruleErrors(
    {
      id: 27,
      title: "Event rules",
      noValue: "None: no contract has event rules, or all events match the types of the rules",
      width: 24,
      height: 7,
    },
    NAMED,
    grouped,
  ),
];
