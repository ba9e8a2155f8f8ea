// Row of the dashboard Contracts: one contract in detail.
import { CONTRACTS } from "../alerts/thresholds.ts";
import { chosen, chosenRecording, FAILED, NO_CALL, NO_EVENT } from "./contract-queries.ts";
import { coloured, lines, type Panel } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { dedupe, perMinute, stx, total } from "./select.ts";

const { failing, silent } = CONTRACTS;

const hourly = (matchers: Readonly<Record<string, string>> = {}) =>
  total("network, name", `increase(${chosen("stacks_contract_calls_total", matchers)}[${failing.window}])`);
const recent = (family: string) => total("network, name", `increase(${chosen(family)}[$__rate_interval])`);

const usualFailures = chosenRecording(`stacks:contract_calls_failed:per_success${failing.baseline}`);

/** The contract of the variable. */
export const detailRow: readonly Panel[] = [
  lines({
    id: 31,
    title: "Calls by function",
    legend: "right",
    description: `Counted direct calls per minute, by function; calls through another contract do not count. Functions
      beyond max_functions count as other.`,
    unit: "short",
    noValue: NO_CALL,
    width: 12,
    height: 9,
    axis: "per minute",
    min: 0,
    stacked: true,
    queries: [
      {
        expr: perMinute("network, function", chosen("stacks_contract_calls_total")),
        legend: "{{function}}",
      },
    ],
  }),
  lines({
    id: 32,
    title: "Failed calls by function and error",
    legend: "right",
    description: `Counted calls that failed. u101 is the value of (err u101), none a runtime error; post_condition: a
      post-condition of the caller did not hold; unknown: the API does not return results.`,
    unit: "short",
    decimals: 0,
    noValue: "No failed call in this range",
    width: 12,
    height: 9,
    axis: "calls",
    min: 0,
    bars: true,
    stacked: true,
    queries: [
      {
        expr: `${total("network, function, error", `increase(${chosen("stacks_contract_call_errors_total")}[$__rate_interval])`)} > 0`,
        legend: "{{function}} {{error}}",
      },
    ],
    link: runbook("StacksContractCallsFailing"),
  }),
  lines({
    id: 33,
    title: "Share of failed calls",
    description: `Share of calls that failed within ${failing.window}, and within ${failing.baseline}.
      StacksContractCallsFailing fires above ${failing.ratio * 100} %, if ${failing.times} times as many calls fail for each
      successful one as usual.`,
    unit: "percentunit",
    noValue: NO_CALL,
    width: 8,
    height: 8,
    min: 0,
    softMax: 1,
    queries: [
      { expr: `${hourly(FAILED)} / (${hourly()} > 0)`, legend: `last ${failing.window}` },
      { expr: `1 - 1 / (1 + ${usualFailures})`, legend: "usual" },
    ],
    overrides: [coloured("usual", "text")],
  }),
  lines({
    id: 34,
    title: "Callers in the last hour",
    description: `Distinct senders of confirmed calls in the hour before the last poll. Fewer callers with as many calls
      mean that a program calls the contract.`,
    unit: "short",
    decimals: 0,
    noValue: "No poll of the calls yet",
    width: 8,
    height: 8,
    min: 0,
    softMax: 1,
    queries: [{ expr: dedupe(chosen("stacks_contract_recent_callers")), legend: "callers" }],
  }),
  lines({
    id: 35,
    title: "Fee per call",
    description: `Mean fee of the counted calls, in STX. If it rises with fees of the chain, see Fees & mempool; if not,
      callers compete for this contract.`,
    unit: "short",
    noValue: NO_CALL,
    width: 8,
    height: 8,
    axis: "STX",
    min: 0,
    join: true,
    queries: [
      {
        expr: stx(
          `${recent("stacks_contract_call_fees_microstx_total")} / (${recent("stacks_contract_calls_total")} > 0)`,
        ),
        legend: "mean fee",
      },
    ],
  }),
  lines({
    id: 36,
    title: "Silence",
    description: `Time since the newest call or event, in minutes, and the limit: silent_after, or ${silent.ratio} times the
      longest pause of a week. StacksContractSilent fires when it is above the limit, plus the time between two polls.`,
    unit: "m",
    noValue: "No call or event was seen yet",
    width: 12,
    height: 8,
    min: 0,
    queries: [
      { expr: `${chosenRecording("stacks:contract_silence:seconds")} / 60`, legend: "silence" },
      { expr: `${chosenRecording("stacks:contract_silence_limit:seconds")} / 60`, legend: "limit" },
      {
        expr: `${dedupe(chosen("stacks_contract_longest_pause_seconds"))} / 60`,
        legend: "longest pause ({{activity}})",
      },
    ],
    overrides: [coloured("limit", "red")],
    link: runbook("StacksContractSilent"),
  }),
  lines({
    id: 37,
    title: "Events by type and topic",
    legend: "right",
    description: `Counted events of the contract per minute, by type and topic. Topics beyond max_topics count as
      other.`,
    unit: "short",
    noValue: NO_EVENT,
    width: 12,
    height: 8,
    axis: "per minute",
    min: 0,
    queries: [
      {
        expr: perMinute("network, event_type, topic", chosen("stacks_contract_events_total")),
        legend: "{{event_type}} {{topic}}",
      },
    ],
  }),
];
