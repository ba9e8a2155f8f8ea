// Self-metrics: families about the exporter's polls, its requests and its budget, and the samples of those that follow
// from its status. Families about the chain are with their collectors.
import * as declare from "../exposition/family.ts";
import type { Shard } from "../store/shard.ts";
import type { StoreFacts } from "../store/store.ts";
import type { ReloadReport, ReloadReports, WindowUse } from "./reports.ts";
import { counters, OPERATION, POLL, UPSTREAM } from "./self-counters.ts";
import { type CollectorStatus, type NetworkStatus, STATES, TARGET_STATES } from "./status.ts";

/** What the samples of an exporter follow from. */
export interface Own {
  readonly version: string;
  readonly networks: readonly NetworkStatus[];
  readonly reloads: ReloadReports;
  readonly shard: Shard | undefined;
  /** Undefined without a state file, like the next one. */
  readonly facts: StoreFacts | undefined;
  readonly isDamaged: boolean | undefined;
  readonly maxSeries: number;
  /** The last audits without a mismatch: Unix time in milliseconds, by collector. */
  readonly cleanAudits: Iterable<readonly [{ readonly network: string; readonly collector: string }, number]>;
}

type Labels = Readonly<Record<string, string>>;
/** True is 1; an undefined value has no sample. */
type Value = number | boolean | undefined;

interface Derived<Subject> extends Pick<declare.Family, "name" | "help"> {
  /** @default gauge */
  readonly kind?: "counter";
  readonly unit?: declare.Unit;
  readonly labels?: Readonly<Record<string, declare.Label | string>>;
  /** The value for a subject, or the values for its labels besides those of the subject. */
  readonly value: (subject: Subject) => Value | readonly (readonly [Labels, Value])[];
}

export { STATES } from "./status.ts";

const all: declare.Family[] = [];

/** Declares families about one kind of subject, which has `common` labels; returns the samples of a subject. */
function about<Subject>(common: Derived<Subject>["labels"], families: readonly Derived<Subject>[]) {
  const declared = families.map(({ value, kind, labels, ...declaration }) => {
    const all = { ...declaration, labels: { ...common, ...labels } };
    return { family: kind === "counter" ? declare.counter(all) : declare.gauge(all), value };
  });
  all.push(...declared.map(({ family }) => family));
  return (labels: Labels, subject: Subject): declare.Sample[] =>
    declared.flatMap(({ family, value: read }) => {
      const value = read(subject);
      const values = typeof value === "object" ? value : [[{}, value] as const];
      return values.flatMap(([more, one]) => (one === undefined ? [] : family.at({ ...labels, ...more }, Number(one))));
    });
}

const secondsOf = (milliseconds: number | undefined) => milliseconds && milliseconds / 1000;

const perUpstream =
  (value: (upstream: NetworkStatus["upstreams"][number]) => Value) =>
  ({ upstreams }: NetworkStatus) =>
    upstreams.map((one) => [{ upstream: one.name }, value(one)] as const);

const WINDOW = { window: { about: "window of the budget", values: ["minute", "month"] } };

const perWindow =
  (name: keyof WindowUse) =>
  ({ budget }: NetworkStatus) =>
    Object.entries(budget).map(([window, use]) => [{ window }, use[name]] as const);

const ofNetwork = about<NetworkStatus>({ network: POLL.network }, [
  {
    name: "stacks_up",
    help: "Whether the last poll of at least one target of the network succeeded, and the API responds.",
    // In an outage, the last poll of a target can be an old success.
    value: ({ polled, failing, outage }) => (polled > 0 ? polled > failing.length && outage === undefined : undefined),
  },
  {
    name: "stacks_exporter_upstream_up",
    help: "Whether the upstream responds, follows the right chain and does not lag. Absent before the first contact.",
    labels: UPSTREAM,
    value: perUpstream(({ up }) => up),
  },
  {
    name: "stacks_exporter_upstream_active",
    help: "Whether polls use the upstream. 1 for exactly one upstream of a network.",
    labels: UPSTREAM,
    value: perUpstream(({ active }) => active),
  },
  {
    name: "stacks_exporter_upstream_lag_blocks",
    help: "Blocks from the last reported tip of the upstream to the highest known tip. Absent until it reports one.",
    labels: UPSTREAM,
    value: perUpstream(({ lag_blocks }) => lag_blocks),
  },
  {
    name: "stacks_exporter_upstream_pause_end_timestamp_seconds",
    help: "End of the current pause of the active upstream. Unix time. Absent without a pause.",
    unit: "seconds",
    value: ({ pausedUntil }) => secondsOf(pausedUntil),
  },
  {
    name: "stacks_exporter_upstream_operation_retired",
    help: "Whether the operation is retired at the active upstream: it responded with 410 twice, a minute or more apart.",
    labels: OPERATION,
    value: ({ operations, retired }) =>
      operations.map((operation) => [{ operation }, retired.some((one) => one.operation === operation)]),
  },
  {
    name: "stacks_exporter_budget_limit_requests",
    help: "Configured budget of the active upstream per window. A month is 31 days.",
    unit: "requests",
    labels: WINDOW,
    value: perWindow("limit"),
  },
  {
    name: "stacks_exporter_budget_planned_requests",
    help: "Requests to the active upstream that the schedules need per window, without retries.",
    unit: "requests",
    labels: WINDOW,
    value: perWindow("planned"),
  },
  {
    name: "stacks_exporter_budget_used_requests",
    help: "Requests sent to the active upstream in the last minute (minute), or since the start (month).",
    unit: "requests",
    labels: WINDOW,
    value: perWindow("used"),
  },
  {
    name: "stacks_exporter_budget_remaining_requests",
    help: "Requests that the budget of the active upstream allows now, per window.",
    unit: "requests",
    labels: WINDOW,
    value: perWindow("available"),
  },
]);

const hasResult = ({ targets: { total, waiting, unsupported } }: CollectorStatus) =>
  waiting < total && unsupported < total;

const ofCollector = about<CollectorStatus>(POLL, [
  {
    name: "stacks_exporter_collector_success",
    help:
      "Whether the last poll of every target of the collector succeeded. Absent before the first poll has ended, and " +
      "while the server lacks its operation.",
    value: (collector) => (hasResult(collector) ? collector.failing_since === undefined : undefined),
  },
  {
    name: "stacks_exporter_collector_last_success_timestamp_seconds",
    help:
      "Time of the last successful poll; the oldest of all targets. Unix time. Absent until the first one, and while the " +
      "server lacks its operation.",
    unit: "seconds",
    value: (collector) => (hasResult(collector) ? secondsOf(collector.last_success_at) : undefined),
  },
  {
    name: "stacks_exporter_collector_interval_seconds",
    help: "Time between polls of a target, or longest gap of a schedule. Longer than scheduled if the budget is short.",
    unit: "seconds",
    value: ({ interval_seconds }) => interval_seconds,
  },
  {
    name: "stacks_exporter_collector_stretch_ratio",
    help: "Time between polls divided by that of the schedule. Above 1 when the budget does not allow that time.",
    unit: "ratio",
    value: ({ stretch_ratio }) => stretch_ratio,
  },
  {
    name: "stacks_exporter_collector_state",
    help:
      "State of the collector (of its worst target): 1 for the current state. degraded: the last poll failed. " +
      "retired: its operation responded with 410. paused: the server requested a pause, or the budget is used up. " +
      "unsupported: the version of the server lacks its operation.",
    labels: { state: { about: "the state", values: STATES } },
    value: ({ state, targets }) =>
      STATES.map((one) => [{ state: one }, targets.waiting < targets.total ? one === state : undefined]),
  },
  {
    name: "stacks_exporter_collector_targets",
    help: "Targets (the whole chain, or each watched principal) by state. waiting: the first poll has not ended.",
    labels: { state: { about: "the state", values: TARGET_STATES } },
    value: ({ targets }) => TARGET_STATES.map((state) => [{ state }, targets[state]]),
  },
]);

const isOk = (report: ReloadReport | undefined) => report && report.failure === undefined;

const ofExporter = about<Own>({}, [
  {
    name: "stacks_exporter_build_info",
    help: "Always 1. Version of the exporter and of Node.js.",
    labels: { version: "version of the exporter", node_version: "version of Node.js" },
    value: ({ version }) => [[{ version, node_version: process.version }, 1]],
  },
  {
    name: "stacks_exporter_shards",
    help: "Configured number of exporters that share the watch lists. Absent without the setting shard.",
    value: ({ shard }) => shard?.count,
  },
  {
    name: "stacks_exporter_shard_ordinal",
    help: "Which of them this exporter is, from 0, as value and as label. Absent without the setting shard.",
    labels: { ordinal: "number of the shard, from 0" },
    value: ({ shard }) => shard && [[{ ordinal: String(shard.index) }, shard.index]],
  },
  {
    name: "stacks_exporter_config_last_reload_successful",
    help: "Whether the last reload of the configuration succeeded. Absent without a configuration file.",
    value: ({ reloads }) => isOk(reloads.configuration),
  },
  {
    name: "stacks_exporter_watch_list_last_reload_successful",
    help: "Whether the last reload of the watch list and key files succeeded. Absent without such files.",
    value: ({ reloads }) => isOk(reloads.files),
  },
  {
    name: "stacks_exporter_web_config_last_reload_successful",
    help: "Whether the last reload of the web configuration succeeded. Absent without such a file.",
    value: ({ reloads }) => isOk(reloads.web),
  },
  {
    name: "stacks_exporter_state_restored",
    help: "Whether counters continued from a state file at start; 0 when the file was new. Absent with state: memory.",
    value: ({ facts }) => facts?.isRestored,
  },
  {
    name: "stacks_exporter_state_write_timestamp_seconds",
    help: "Time when the state file was last written. Unix time. Absent until the first write.",
    unit: "seconds",
    value: ({ facts }) => secondsOf(facts?.lastWriteAt),
  },
  {
    name: "stacks_exporter_state_write_failures_total",
    help: "Failed writes to the state file. A poll whose observation cannot be written fails and changes no value.",
    kind: "counter",
    value: ({ facts }) => facts?.failures,
  },
  {
    name: "stacks_exporter_state_damaged",
    help: "Whether the state file is damaged: then nothing is counted, and gauges go on. Absent with state: memory.",
    value: ({ isDamaged }) => isDamaged,
  },
  {
    name: "stacks_exporter_last_clean_audit_timestamp_seconds",
    help: "Time of the last audit of any target without a mismatch. Unix time. Absent until the first one.",
    unit: "seconds",
    labels: POLL,
    value: ({ cleanAudits }) => [...cleanAudits].map(([labels, at]) => [labels, at / 1000]),
  },
  {
    name: "stacks_exporter_series_limit",
    help: "Configured limit of exposed series. Near it, new assets, topics and labels of rules count as other.",
    value: ({ maxSeries }) => maxSeries,
  },
]);

const ofPage = about<ReadonlyMap<declare.Family, number>>({}, [
  {
    name: "stacks_exporter_series",
    help: "Number of exposed series per family.",
    labels: { family: "name of the family" },
    value: (counts) => [...counts].map(([{ name }, count]) => [{ family: name }, count]),
  },
]);

/** All self-metrics, in the order of the page. */
export const selfMetrics: readonly declare.Family[] = [...all, ...Object.values(counters)];

/** The samples of an exporter, without those of events and of the page. */
export function ownSamples(own: Own): declare.Sample[] {
  const ofNetworks = own.networks.flatMap((status) => [
    ...ofNetwork({ network: status.name }, status),
    ...status.collectors.flatMap((one) => ofCollector({ network: status.name, collector: one.name }, one)),
  ]);
  return [...ofExporter({}, own), ...ofNetworks];
}

/** The number of series of each family on a page, with the numbers themselves. */
export function seriesSamples(counts: ReadonlyMap<declare.Family, number>): declare.Sample[] {
  const own = all.at(-1) as declare.Family;
  return ofPage({}, new Map([...counts, [own, new Set([...counts.keys(), own]).size]]));
}
