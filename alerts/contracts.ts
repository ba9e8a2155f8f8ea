// Watched contracts: whether they go on as they used to, and whether all of it was seen.
import { whileActive } from "./guards.ts";
import type { Alert, Recording, Subject } from "./model.ts";
import { series } from "./series.ts";
import { CONTRACTS, FEES, seconds } from "./thresholds.ts";

const { silent: limits } = CONTRACTS;

const events: Recording = {
  record: `stacks:contract_events:increase${limits.baseline}`,
  about: `Events of a contract within ${limits.baseline}, of every topic.`,
  expr: `sum without (event_type, topic) (increase(${series("stacks_contract_events_total")}[${limits.baseline}]))`,
  labels: ["network", "name", "contract_id"],
};

const usual = `last_over_time(${events.record}[${FEES.baseline.staleness}])`;
const quietFor = `(time() - ${series("stacks_contract_last_event_observed_timestamp_seconds")})`;
const byTopic = {
  shows: "Events an hour, by topic.",
  query: `3600 * rate(${series("stacks_contract_events_total")}[1h])`,
};

const silent: Alert = {
  alert: "StacksContractSilent",
  severity: "warning",
  expr: `${quietFor} > ${seconds(limits.least)}
and ${quietFor} * (${usual} >= ${limits.leastEvents}) > ${limits.ratio * seconds(limits.baseline)}
${whileActive("contracts")}`,
  for: limits.for,
  keepFiringFor: limits.keepFiringFor,
  summary: "{{ $labels.name }} on {{ $labels.network }} has been silent for longer than usual",
  description: "{{ $labels.contract_id }} has printed nothing for {{ $value | humanizeDuration }}.",
  runbook: {
    meaning: `Nothing was printed for more than ${limits.ratio} times the mean time between two events of the last ${limits.baseline}, and for more than ${limits.least} (contracts with at least ${limits.leastEvents} events in that time).`,
    impact: "What depends on the contract (prices of an oracle, bridge transfers) may stand still.",
    diagnosis: [
      { shows: "How long it has been silent. Seconds.", query: quietFor },
      { shows: "Events within the baseline.", query: events.record },
      byTopic,
    ],
    actions: [
      "See in an explorer whether the contract is still called, and how the calls end.",
      "If it was replaced by another contract, watch that one.",
      "If the whole chain stands still, StacksChainTipStale says so.",
    ],
  },
};

const gaps = `increase(${series("stacks_contract_events_gap_total")}[${CONTRACTS.gap.window}])`;
const gap: Alert = {
  alert: "StacksContractEventsGap",
  severity: "warning",
  expr: `${gaps} > 0`,
  for: CONTRACTS.gap.for,
  summary: "Events of {{ $labels.name }} on {{ $labels.network }} were passed over",
  description: 'Polls of the last hour that lost the place where reading had ended: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning:
      "A burst of events took several polls to read, and between two of them so many more came that the place was lost. An unknown number is missing in the counters.",
    impact: "Counts of this contract are too low from now on.",
    diagnosis: [{ shows: "Polls with a gap.", query: gaps }, byTopic],
    actions: [
      "Poll the contract more often, or raise `pages`.",
      "Look at the request budget: StacksBudgetStretched makes polls rare.",
    ],
  },
};

const undone = `increase(${series("stacks_contract_reverted_events_total")}[${CONTRACTS.reverted.window}])`;
const reverted: Alert = {
  alert: "StacksContractEventsReverted",
  severity: "info",
  expr: `${undone} > 0`,
  for: CONTRACTS.reverted.for,
  summary: "Events of {{ $labels.name }} on {{ $labels.network }} were undone",
  description: 'Counted events that are not listed any more: {{ printf "%.0f" $value }}.',
  runbook: {
    meaning: "A reorganisation removed events that had been counted. The counters are not lowered.",
    impact: "What was done on the strength of these events may have to be undone.",
    diagnosis: [
      { shows: "Events undone.", query: undone },
      { shows: "Depth of the last reorganisation. Blocks.", query: series("stacks_chain_last_reorg_depth_blocks") },
    ],
    actions: ["Check what was done because of them.", "Raise `confirmations` above the depth of such reorganisations."],
  },
};

/** The rules about watched contracts. */
export const contracts: Subject = {
  name: "contracts",
  title: "Watched contracts",
  baselines: [events],
  recordings: [],
  alerts: [silent, gap, reverted],
};
