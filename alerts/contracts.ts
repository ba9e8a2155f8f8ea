// Alerts on watched contracts: contracts that fall silent, calls that fail, data that was skipped or reverted; and
// contracts that watched addresses deploy.
import { unreadFor } from "./freshness.ts";
import { grown } from "./grown.ts";
import type { Alert, Check, Recording, Subject } from "./model.ts";
import { on, onNetwork, recorded, series } from "./series.ts";
import { BASELINES, FAILED_CALLS, WINDOWS } from "./thresholds.ts";
import { limitsOf, scaled } from "./values.ts";

const fails = limitsOf("StacksContractCallsFailing");

const labels = ["network", "name", "contract_id"];
/** Joins series of the same contract and exporter. */
export const onContract = on(...labels);
/** Counters that every contract has since the first poll of its calls, or of its events. */
export const CALLS_READ = series("stacks_contract_reverted_calls_total");
export const EVENTS_READ = series("stacks_contract_reverted_events_total");
/** Either collector; each of them can be disabled. */
const COLLECTORS = "~contracts|contract_calls";

const lastCall = series("stacks_contract_last_call_timestamp_seconds");
const lastEvent = series("stacks_contract_last_event_observed_timestamp_seconds");
const silence: Recording = {
  record: "stacks:contract_silence:seconds",
  about: "Time since the newest call or event of a contract, whichever is later. Absent until the first one.",
  expr: `time() - (${lastCall} > ${lastEvent} or ${lastEvent} or ${lastCall})`,
  labels,
};
const silentAfter = series("stacks_contract_silent_after_seconds");
const unread = `max without (collector) (${unreadFor(COLLECTORS)})`;
const backlog = series("stacks_contract_backlog_events");
/** Contracts without this gauge of a collector, although the server offers its operation. */
const without = (collector: string, gauge: string) =>
  `${silentAfter} and ${onNetwork} ${series("stacks_exporter_collector_targets", { collector, state: "unsupported" })} == 0 unless ${gauge}`;

const byTopic: Check = ["Events per hour, by topic.", `3600 * rate(${series("stacks_contract_events_total")}[1h])`];
const silent: Alert = {
  alert: "StacksContractSilent",
  severity: "warning",
  // Events before the first poll have no time: within a day, one is counted.
  expr: `${recorded(silence)} > ${onContract} group_left () (${silentAfter} + ${onNetwork} group_left () ${unread})
unless ${onContract} (${without("contracts", backlog)})
unless ${onContract} (${without("contract_calls", series("stacks_contract_pending_depth_calls"))})
unless ${onContract} (${without("contracts", lastEvent)} unless last_over_time(${backlog}[1h] offset 1d))`,
  summary: "{{ $labels.name }} on {{ $labels.network }} is silent",
  description: "{{ $labels.contract_id }} was neither called nor printed anything for {{ $value | humanizeDuration }}.",
  runbook: {
    meaning: `The contract was neither called nor printed anything for longer than its \`silent_after\` of the watch
      list and the time between two polls. Services such as oracles and bridges may have stopped. It does not fire
      while calls or events are not read, nor on the first day if no event has been counted.`,
    check: [
      ["Time since its last call or event, in seconds.", recorded(silence)],
      ["The limit, without the time between two polls, in seconds.", silentAfter],
    ],
    actions: [
      "Check in an explorer whether the contract is still called, and whether the calls succeed.",
      "If another contract replaced it, watch that one.",
      "If the silence is usual, or the alert is too late, change `silent_after`.",
    ],
  },
};

const callsWithin = (window: string, matchers: Readonly<Record<string, string>> = {}) =>
  `sum without (function, tx_status) (${grown(series("stacks_contract_calls_total", matchers), window, onContract, CALLS_READ)})`;
const failedWithin = (window: string) => callsWithin(window, { tx_status: "!success" });
const perSuccess = (window: string) => `${failedWithin(window)} / ${callsWithin(window, { tx_status: "success" })}`;
const share = `${failedWithin(FAILED_CALLS.window)} / ${callsWithin(FAILED_CALLS.window)}`;
const usualFailures: Recording = {
  record: `stacks:contract_calls_failed:per_success${FAILED_CALLS.baseline}`,
  about: `Failed calls of a contract per successful call, within ${FAILED_CALLS.baseline}. Absent without calls.`,
  expr: perSuccess(FAILED_CALLS.baseline),
  labels,
};
const callsFailing: Alert = {
  alert: "StacksContractCallsFailing",
  severity: "warning",
  expr: `${share} > ${fails.ratio}
and round(${failedWithin(FAILED_CALLS.window)}) >= ${fails.minFailed}
unless ${perSuccess(FAILED_CALLS.window)}
  <= ${fails.times} * last_over_time(${recorded(usualFailures)}[${BASELINES.staleness}] offset ${FAILED_CALLS.window})`,
  summary: "Calls of {{ $labels.name }} on {{ $labels.network }} fail",
  description: "{{ $value | humanizePercentage }} of the calls of {{ $labels.contract_id }} in the last hour failed.",
  runbook: {
    meaning: `More than ${scaled(fails.ratio, 100)} % of the direct calls within ${FAILED_CALLS.window}, and at least
      ${fails.minFailed}, failed: more than ${fails.times} times as many per successful call as within
      ${FAILED_CALLS.baseline}, if there were any. Users pay fees for calls without effect.`,
    check: [
      ["Share of failed calls.", share],
      ["Failed calls per successful call: now.", perSuccess(FAILED_CALLS.window)],
      ["Failed calls per successful call: usual.", recorded(usualFailures)],
    ],
    actions: [
      "Look up the error in the source of the contract: `u101` is the value of `(err u101)`.",
      "`none` is a runtime error; `post_condition`: a post-condition of the caller did not hold.",
      "If one sender makes the failing calls, its program is the cause.",
    ],
  },
};

const skipped = `increase(${series("stacks_contract_events_gap_total")}[${WINDOWS.usual}]) > 0`;
const gap: Alert = {
  alert: "StacksContractEventsGap",
  severity: "critical",
  expr: skipped,
  summary: "Events of {{ $labels.name }} on {{ $labels.network }} were skipped",
  description: 'Polls that lost their position in the list of events: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `More new events arrived between two polls than a poll reads, on a server without the list of logs with
      cursors. They are not counted: the counters of the contract are too low.`,
    check: [["What was skipped.", skipped], byTopic],
    actions: [
      "Poll the contract more often, or raise `pages`.",
      "Check the request budget: while StacksBudgetStretched fires, polls are less frequent.",
    ],
  },
};

const [events, calls] = [EVENTS_READ, CALLS_READ].map((metric) => `increase(${metric}[${WINDOWS.usual}])`);
const undone = [`${events} + ${calls}`, events, calls].map((expr) => `${expr} > 0`).join("\nor ");
const reverted: Alert = {
  alert: "StacksContractEventsReverted",
  severity: "info",
  expr: undone,
  summary: "Events or calls of {{ $labels.name }} on {{ $labels.network }} were reverted",
  description: 'Counted events or calls that are no longer on the chain: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `A reorganisation removed events or calls that had been counted. The counters are not lowered. Actions
      taken because of these events or calls may have to be undone.`,
    check: [
      ["Reverted events or calls.", undone],
      ["Depth of the last reorganisation, in blocks.", series("stacks_chain_last_reorg_depth_blocks")],
    ],
    actions: [
      "Check the actions taken because of them.",
      "Raise `confirmations` above the depth of such reorganisations.",
    ],
  },
};

const deployments = grown(
  series("stacks_address_transactions_total", { tx_type: "smart_contract", tx_status: "success", direction: "sent" }),
  WINDOWS.usual,
);
const contractDeployed: Alert = {
  alert: "StacksAddressContractDeployed",
  severity: "info",
  expr: `${deployments} > 0`,
  summary: "{{ $labels.name }} on {{ $labels.network }} deployed a contract",
  description: 'Contracts that {{ $labels.address }} deployed in the last hour: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: `The watched address has deployed a contract within ${WINDOWS.usual}. Users trust new code because of
      its deployer. If the deployment was not planned, the key may be stolen. With \`backfill: all\`, older ones count
      after the first start, too.`,
    check: [
      [
        "Transactions of the address in the last hour, by type.",
        `${grown(series("stacks_address_transactions_total", { direction: "sent" }), WINDOWS.usual)} > 0`,
      ],
    ],
    actions: [
      "Find the contract in an explorer, and ask the owner of the key whether it was intended.",
      "If it was, watch the contract: add it to `contracts`.",
      "If it was not, move the funds of the address to a new key.",
    ],
  },
};

/** Rules for watched contracts. */
export const contracts: Subject = {
  name: "contracts",
  board: "stacks-contracts",
  title: "Watched contracts",
  baselines: [usualFailures],
  recordings: [silence],
  alerts: [silent, callsFailing, gap, reverted, contractDeployed],
};
