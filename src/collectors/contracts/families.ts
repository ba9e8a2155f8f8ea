// The metric families of the collector `contracts`, and their samples.
import { counter, gauge, type Sample } from "../../exposition/family.ts";
import type { Watched } from "../collector.ts";
import { ownValue, valuesOf } from "../counters.ts";
import { ERRORS, type RuleError } from "../event-rules/evaluate.ts";
import { ruleSamples } from "../event-rules/samples.ts";
import { NO_TOTALS, type RuleTotals } from "../event-rules/totals.ts";
import { pauseSamples, pauses } from "../pauses.ts";
import type { Observation } from "./state.ts";

const identity = {
  network: "name of the network",
  name: "name of the contract in the configuration",
  contract_id: "the contract",
};
const listed = (field: string) =>
  `${field} of GET /extended/v1/contract/{contract_id}/events, or its replacement ` +
  "GET /extended/v2/smart-contracts/{contract_id}/logs, polled";

const families = {
  info: gauge({
    name: "stacks_contract_info",
    help: "Always 1. Group and additional labels of a watched contract, to join with its other series.",
    source: "the configuration",
    isOpen: true,
    isLasting: true,
    labels: { ...identity, group: "group of the contract in the configuration" },
  }),
  silentAfter: gauge({
    name: "stacks_contract_silent_after_seconds",
    help: "Configured time without calls and events after which the contract is silent. Absent if it is not configured.",
    source: "the configuration",
    unit: "seconds",
    isLasting: true,
    labels: identity,
  }),
  events: counter({
    name: "stacks_contract_events_total",
    help: "Events of the contract. Each counts once, when it has the configured confirmations.",
    source: listed("event_type, contract_log.topic"),
    labels: {
      ...identity,
      event_type: "type of the event",
      topic: "topic of the event; other beyond max_topics, and for topics that are not valid",
    },
  }),
  lastObserved: gauge({
    name: "stacks_contract_last_event_observed_timestamp_seconds",
    help: "Time when a new event was last seen; events carry no time. Unix time. Absent until the first one.",
    source: listed("results"),
    unit: "seconds",
    labels: identity,
  }),
  pending: gauge({
    name: "stacks_contract_pending_depth_events",
    help: "Events that wait for confirmations.",
    source: listed("results"),
    labels: identity,
  }),
  gaps: counter({
    name: "stacks_contract_events_gap_total",
    help: "Polls that skipped an unknown number of events, because their position in the list was lost.",
    source: listed("results"),
    labels: identity,
  }),
  reverted: counter({
    name: "stacks_contract_reverted_events_total",
    help: "Counted events whose transaction is no longer in a block. Other counters are not lowered.",
    source: `block of GET /extended/v3/transactions/{tx_id}, and ${listed("results")}`,
    labels: identity,
  }),
  restored: counter({
    name: "stacks_contract_restored_events_total",
    help: "Reverted events that are in a block again. They are not counted again.",
    source: listed("results"),
    labels: identity,
  }),
  overflow: counter({
    name: "stacks_contract_label_overflow_total",
    help: "Events counted as other: their topic is invalid, exceeds max_topics or max_series, or lost its series.",
    source: listed("contract_log.topic"),
    labels: identity,
  }),
};

const ofRule = { ...identity, metric: "name of the metric that the rule makes" };
const REASONS = Object.keys(ERRORS) as RuleError[];
const ruleFamilies = {
  errors: counter({
    name: "stacks_contract_rule_errors_total",
    help: "Events that matched an event rule but were not counted by it, because their shape differs.",
    source: listed("contract_log.value"),
    labels: {
      ...ofRule,
      reason: {
        about: Object.entries(ERRORS)
          .map(([reason, about]) => `${reason}: ${about}`)
          .join("; "),
        values: REASONS,
      },
    },
  }),
  overflow: counter({
    name: "stacks_contract_rule_label_overflow_total",
    help: "Samples of an event rule with the label value other: a value exceeds max or max_series, or is not valid.",
    source: listed("contract_log.value"),
    labels: ofRule,
  }),
};

/** Every family, in the order of the documentation. */
export const contractFamilies = [...Object.values(families), pauses, ...Object.values(ruleFamilies)];

/** The samples of one contract. */
export function* contractSamples(
  { feed, totals, rules: ruleTotals, lastSeenAt, rhythm }: Observation,
  network: string,
  { name, principal, group, labels: extra, rules = [], silentAfterMs }: Watched,
): Iterable<Sample> {
  const labels = { network, name, contract_id: principal };
  const info = families.info.at({ ...labels, group }, 1);
  yield { ...info, labels: { ...extra, ...info.labels } };
  if (silentAfterMs !== undefined) yield families.silentAfter.at(labels, silentAfterMs / 1000);
  for (const [key, count] of Object.entries(totals.events)) {
    const [event_type = "", topic = ""] = valuesOf(key);
    yield families.events.at({ ...labels, event_type, topic }, count);
  }
  if (lastSeenAt !== undefined) yield families.lastObserved.at(labels, lastSeenAt / 1000);
  yield families.pending.at(labels, feed.waiting.filter(({ item, isDoubtful }) => !item.isOld && !isDoubtful).length);
  yield families.gaps.at(labels, totals.gaps);
  yield families.reverted.at(labels, totals.reverted);
  yield families.restored.at(labels, totals.restored);
  yield families.overflow.at(labels, totals.overflow);
  yield* pauseSamples(rhythm, labels, "event");
  yield* ruleSamples(rules, ruleTotals, labels);
  for (const [metric, ofMetric] of Map.groupBy(rules, ({ family }) => family.name)) {
    const counted = ofMetric.map(({ fingerprint }) => ownValue(ruleTotals, fingerprint) ?? NO_TOTALS);
    const sum = (count: (totals: RuleTotals) => number) => counted.reduce((total, one) => total + count(one), 0);
    for (const reason of REASONS) {
      yield ruleFamilies.errors.at(
        { ...labels, metric, reason },
        sum(({ errors }) => errors[reason] ?? 0),
      );
    }
    yield ruleFamilies.overflow.at(
      { ...labels, metric },
      sum(({ overflow }) => overflow),
    );
  }
}
