// Alerts on watched contracts: contracts that stop printing, events that were skipped or reverted.
import { limitBetweenPolls, whileActive } from "./freshness.ts";
import type { Alert, Recording, Subject } from "./model.ts";
import { series } from "./series.ts";
import { CONTRACTS, FEES, seconds } from "./thresholds.ts";

const { silent: limits } = CONTRACTS;

const events: Recording = {
  record: `stacks:contract_events:increase${limits.baseline}`,
  about: `Events of a contract within ${limits.baseline}, all topics.`,
  expr: `sum without (event_type, topic) (increase(${series("stacks_contract_events_total")}[${limits.baseline}]))`,
  labels: ["network", "name", "contract_id"],
};

const usual = `last_over_time(${events.record}[${FEES.baseline.staleness}])`;
const quietFor = `(time() - ${series("stacks_contract_last_event_observed_timestamp_seconds")})`;
const byTopic = {
  shows: "Events per hour, by topic.",
  query: `3600 * rate(${series("stacks_contract_events_total")}[1h])`,
};

const silent: Alert = {
  alert: "StacksContractSilent",
  severity: "warning",
  expr: `${quietFor} > ${limitBetweenPolls("contracts", seconds(limits.least))}
and ${quietFor} * (${usual} >= ${limits.leastEvents}) > ${limits.ratio * seconds(limits.baseline)}
${whileActive("contracts")}`,
  for: limits.for,
  keepFiringFor: limits.keepFiringFor,
  summary: "{{ $labels.name }} on {{ $labels.network }} prints less often than usual",
  description: "{{ $labels.contract_id }} has printed nothing for {{ $value | humanizeDuration }}.",
  runbook: {
    meaning: `The contract has printed nothing for more than ${limits.ratio} times the mean time between its events of
      the last ${limits.baseline}, and for more than ${limits.least} and the time between two polls. Contracts with fewer than ${limits.leastEvents}
      events in that time are excluded.`,
    impact: "Services that depend on the contract, such as oracles and bridges, may have stopped.",
    diagnosis: [
      { shows: "Time since its last event, in seconds.", query: quietFor },
      { shows: "Events within the baseline.", query: events.record },
      byTopic,
    ],
    actions: [
      "Check in an explorer whether the contract is still called, and whether the calls succeed.",
      "If another contract replaced it, watch that one.",
      "If the whole chain has stalled, StacksChainTipStale fires.",
    ],
  },
};

const gaps = `increase(${series("stacks_contract_events_gap_total")}[${CONTRACTS.gap.window}])`;
const gap: Alert = {
  alert: "StacksContractEventsGap",
  severity: "warning",
  expr: `${gaps} > 0`,
  for: CONTRACTS.gap.for,
  summary: "Events of {{ $labels.name }} on {{ $labels.network }} were skipped",
  description: `Polls of the last hour that lost their position in the list of events: {{ printf "%.0f" $value }}.`,
  runbook: {
    meaning: `A burst of events took several polls to read, and between two polls so many new events arrived that the
      position was lost. An unknown number of events is not counted.`,
    impact: "The counters of this contract are permanently too low.",
    diagnosis: [{ shows: "Polls with a gap.", query: gaps }, byTopic],
    actions: [
      "Poll the contract more often, or raise `pages`.",
      "Check the request budget: while StacksBudgetStretched fires, polls are less frequent.",
    ],
  },
};

const undone = `increase(${series("stacks_contract_reverted_events_total")}[${CONTRACTS.reverted.window}])`;
const reverted: Alert = {
  alert: "StacksContractEventsReverted",
  severity: "info",
  expr: `${undone} > 0`,
  for: CONTRACTS.reverted.for,
  summary: "Events of {{ $labels.name }} on {{ $labels.network }} were reverted",
  description: 'Counted events that are no longer on the chain: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: "A reorganisation removed events that had been counted. The counters are not lowered.",
    impact: "Actions taken because of these events may have to be undone.",
    diagnosis: [
      { shows: "Reverted events.", query: undone },
      { shows: "Depth of the last reorganisation, in blocks.", query: series("stacks_chain_last_reorg_depth_blocks") },
    ],
    actions: [
      "Check the actions taken because of these events.",
      "Raise `confirmations` above the depth of such reorganisations.",
    ],
  },
};

/** Rules for watched contracts. */
export const contracts: Subject = {
  name: "contracts",
  title: "Watched contracts",
  baselines: [events],
  recordings: [],
  alerts: [silent, gap, reverted],
};
