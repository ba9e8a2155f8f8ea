// Row of the dashboard Contracts: one contract in detail.
import { FAILED_CALLS as failing } from "../alerts/thresholds.ts";
import { limitsOf, scaled } from "../alerts/values.ts";
import { chosen, chosenRecording, FAILED, grownWithin, NO_CALL, NO_EVENT } from "./contract-queries.ts";
import { coloured, lines, type Panel, rates } from "./panel.ts";
import { runbook } from "./runbook.ts";
import { perMinute, stx, total } from "./select.ts";

const limits = limitsOf("StacksContractCallsFailing");

const errors = grownWithin("$__rate_interval", chosen, "stacks_contract_call_errors_total");

const hourly = (matchers: Readonly<Record<string, string>> = {}) =>
  total("network, name", grownWithin(failing.window, chosen, "stacks_contract_calls_total", matchers));
const recent = (family: string) => total("network, name", grownWithin("$__rate_interval", chosen, family));

const usualFailures = chosenRecording(`stacks:contract_calls_failed:per_success${failing.baseline}`);

/** The contract of the variable. */
export const detailRow: readonly Panel[] = [
  rates({
    id: 31,
    title: "Calls by function",
    interval: "5m",
    description: `Counted direct calls per minute, by function; calls through another contract do not count. Functions
      beyond the first 50 count as other.`,
    noValue: NO_CALL,
    height: 9,
    queries: { "{{function}}": perMinute("network, function", chosen("stacks_contract_calls_total")) },
  }),
  lines({
    id: 32,
    title: "Failed calls by function and error",
    description: `Counted calls that failed. u101 is the value of (err u101), none a runtime error; post_condition: a
      post-condition of the caller did not hold; unknown: the API does not return results.`,
    decimals: 0,
    noValue: "No failed call was counted in this range",
    height: 9,
    axis: "calls",
    bars: true,
    stacked: true,
    queries: {
      "{{function}} {{error}}": `${total("network, function, error", errors)} > 0`,
    },
    link: runbook("StacksContractCallsFailing"),
  }),
  lines({
    id: 33,
    title: "Share of failed calls",
    description: `Share of calls that failed within ${failing.window}, and within ${failing.baseline}.
      StacksContractCallsFailing fires above ${scaled(limits.ratio, 100)} %, if ${limits.times} times as many calls fail for each
      successful one as usual.`,
    unit: "percentunit",
    noValue: NO_CALL,
    softMax: 1,
    queries: {
      [`last ${failing.window}`]: `${hourly(FAILED)} / (${hourly()} > 0)`,
      usual: `1 - 1 / (1 + ${usualFailures})`,
    },
    overrides: [coloured("usual", "text")],
  }),
  lines({
    id: 35,
    title: "Fee per call",
    description: `Mean fee of the counted calls, in STX. If it rises with fees of the chain, see Fees & mempool; if not,
      callers compete for this contract.`,
    noValue: NO_CALL,
    axis: "STX",
    join: true,
    queries: {
      "mean fee": stx(
        `${recent("stacks_contract_call_fees_microstx_total")} / (${recent("stacks_contract_calls_total")} > 0)`,
      ),
    },
  }),
  lines({
    id: 37,
    title: "Events by type and topic",
    interval: "5m",
    description: `Counted events of the contract per minute, by type and topic. Topics beyond the first 50 count as
      other.`,
    noValue: NO_EVENT,
    width: 24,
    axis: "per minute",
    queries: {
      "{{event_type}} {{topic}}": perMinute("network, event_type, topic", chosen("stacks_contract_events_total")),
    },
  }),
];
