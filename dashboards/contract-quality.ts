// Row of the dashboard Contracts: gaps and corrections of its counters.
import { grouped, grownWithin, NAMED, NO_CONTRACT, watched } from "./contract-queries.ts";
import { coloured, lines, type Panel } from "./panel.ts";
import { dedupe } from "./select.ts";
import { ruleErrors } from "./shared-panels.ts";

const recent = (family: string, matchers = {}) =>
  `sum(${grouped(dedupe(grownWithin("$__rate_interval", watched, family, matchers)))})`;
const both = (...exprs: readonly string[]) => exprs.map((expr) => `(${expr} or vector(0))`).join(" + ");
/** Events and calls that are not counted, or that count as other. */
export const qualityRow: readonly Panel[] = [
  lines({
    id: 25,
    title: "Not counted yet",
    description: `Calls that wait for confirmations, and confirmed events that are not read yet. They follow the traffic; a lasting increase means that
      blocks are slow.`,
    decimals: 0,
    noValue: NO_CONTRACT,
    queries: {
      events: `sum(${grouped(dedupe(watched("stacks_contract_backlog_events")))})`,
      calls: `sum(${grouped(dedupe(watched("stacks_contract_pending_depth_calls")))})`,
    },
  }),
  lines({
    id: 26,
    title: "Irregularities",
    description: `Polls with a gap, reverted and restored events and calls, and events and calls
      whose topic or function counts as other. All of them should be rare.`,
    decimals: 0,
    noValue: NO_CONTRACT,
    bars: true,
    queries: {
      "polls with a gap": recent("stacks_contract_events_gap_total"),
      reverted: both(recent("stacks_contract_reverted_events_total"), recent("stacks_contract_reverted_calls_total")),
      restored: both(recent("stacks_contract_restored_events_total"), recent("stacks_contract_restored_calls_total")),
      "counted as other": both(
        recent("stacks_contract_events_total", { topic: "other" }),
        recent("stacks_contract_calls_total", { function: "other" }),
      ),
    },
    overrides: [
      coloured("polls with a gap", "red"),
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
