// Row of the dashboard Spike investigation: the course of a spike and its cause.
import { FEES } from "../alerts/thresholds.ts";
import type { Slot } from "./board.ts";
import { between, shown, stats, timeline } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, metric } from "./select.ts";
import { mostCalledContracts } from "./shared-panels.ts";
import { competing, minedRatio, minedRatioByType, NO_MINED, RAISED, usage } from "./signals.ts";

const { spike } = FEES;
const LIMIT = spike.feeRatio;

const UNKNOWN = "Unknown: not listed or not read";

const inRange = (expr: string) => `(${expr})[$__range:1m]`;
// Subqueries have points at whole minutes: the current value can be higher, or unknown.
const highest = `max_over_time(${inRange(minedRatio)})`;
const peak = `(${highest} > ${minedRatio} or ${minedRatio} or ${highest})`;
const calls = dedupe(metric("stacks_chain_recent_contract_calls"));
const named = (name: string, expr: string) => `label_replace(${expr}, "what", "${name}", "", "")`;
/** 0 up to the first limit, 1 up to the second, 2 above. */
const levels = (expr: string, first: number, second: number) =>
  `(${expr} > bool ${first}) + (${expr} > bool ${second})`;

// In the order of urgency: the first that is true.
const states: readonly (readonly [text: string, color: string, expr: string])[] = [
  ["Running", "red", `(${minedRatio} > ${LIMIT}) and (${minedRatio} >= ${peak} / 2)`],
  ["Falling", "orange", `${minedRatio} > ${LIMIT}`],
  ["Draining", "orange", `(${peak} > ${LIMIT}) and (${competing}) and ${minedRatio}`],
  ["Over", "green", `(${peak} > ${LIMIT}) and ${minedRatio}`],
  ["Beginning?", "orange", `(${competing}) and ${minedRatio}`],
  ["No spike", "green", minedRatio],
];

/** Start, size and cause of the spike. */
export const causeRow: readonly Slot[] = [
  ...stats(
    { width: 6, height: 4, noValue: UNKNOWN },
    {
      id: 41,
      title: "Is it over?",
      description: `Running: mined transactions pay more than ${LIMIT} times the usual. Falling: less than half of the peak.
      Draining: the fees of the last ten minutes are below the limit again, but not everything that waits has room.
      Beginning: fees compete for room, and the mined ones have not risen yet. The peak is that of the time range.`,
      unit: "none",
      colour: "background",
      queries: { state: states.map(([, , expr], index) => `(${expr}) * 0 + ${index}`).join(" or ") },
      mappings: states.map(([text, color], index) => shown(index, text, color, index)),
      link: runbook("StacksFeeSpike"),
    },
    {
      id: 42,
      title: "How high (times usual)",
      description: `Fee of mined transactions now, and at its peak in the time range, relative to the usual level (all types).`,
      unit: "none",
      decimals: 1,
      text: "both",
      steps: [
        [null, "text"],
        [0, "green"],
        [RAISED, "orange"],
        [LIMIT, "red"],
      ],
      queries: { "{{what}}": `${named("now", minedRatio)} or ${named("peak", peak)}` },
    },
    {
      id: 43,
      title: "Since when",
      description: `Time for which mined transactions have paid more than ${LIMIT} times the usual; or time since they last did, within
      the time range.`,
      unit: "s",
      noValue: "Not above, or unknown",
      text: "both",
      queries: {
        "{{what}}": `${named("above for", `(time() - max_over_time(${inRange(`timestamp(${minedRatio} <= ${LIMIT})`)})) and (${minedRatio} > ${LIMIT})`)} or ${named("ended ago", `(time() - max_over_time(${inRange(`timestamp(${minedRatio} > ${LIMIT})`)})) unless (${minedRatio} > ${LIMIT})`)}`,
      },
    },
    {
      id: 45,
      title: "Calls of one contract",
      description: `Share of the contract with the most calls, among the calls of the busiest contracts in the last ten
      minutes. A mint rush calls one contract; the panel below names it.`,
      unit: "percentunit",
      decimals: 0,
      queries: { share: `max(${calls}) / (sum(${calls}) > 0)` },
    },
  ),
  timeline({
    id: 46,
    title: "Course",
    description: `Since when each sign is raised or above its limit: the use of blocks (${spike.blockUsage * 100} and
      100 %), fees that compete for room, a contract with more than half of the calls, and mined fees by type
      (${RAISED} and ${LIMIT} times usual).`,
    unit: "none",
    noValue: NO_MINED,
    height: 9,
    mappings: [
      shown(0, "as usual", "green", 0),
      shown(1, "raised", "orange", 1),
      between(2, 3, "above the limit", "red", 2),
    ],
    queries: {
      "blocks full": levels(usage, spike.blockUsage, 1),
      "fees compete": `(${competing.replace("==", "== bool")})`,
      "one contract leads": `max(${calls}) / (sum(${calls}) > 0) > bool 0.5`,
      "{{tx_type}} pays": levels(`(${minedRatioByType})`, RAISED, LIMIT),
    },
  }),
  mostCalledContracts({
    id: 47,
    description: "Mined calls in the last ten minutes, of the ten contracts with the most calls in this range.",
    width: 12,
    height: 9,
  }),
];
