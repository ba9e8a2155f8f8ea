// Self-metrics: families about the exporter's polls, its requests and its budget, and the samples of those that follow
// from its status. prom-client keeps the counters of events and measures the process. Families about the chain are
// with their collectors.
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { counter, type Family, gauge, type Sample } from "../exposition/family.ts";
import { MISMATCHES } from "../ledger/audit.ts";
import type { Shard } from "../store/shard.ts";
import { type NetworkStatus, type ReloadReports, STATES, TARGET_STATES } from "./status.ts";

// The commit from which the bundle was built.
declare const BUNDLED_REVISION: string | undefined;
const revision = typeof BUNDLED_REVISION === "undefined" ? "unknown" : BUNDLED_REVISION;

/** What the samples of an exporter follow from. */
export interface Own {
  readonly version: string;
  readonly networks: readonly NetworkStatus[];
  readonly reloads: ReloadReports;
  readonly shard: Shard | undefined;
  /** Undefined without a state file. */
  readonly isDamaged: boolean | undefined;
  readonly maxSeries: number;
  readonly series: number;
}

const network = "name of the network";
const NETWORK = { network };
const POLL = { network, collector: "name of the collector" };
const UPSTREAM = { network, upstream: "name of the upstream; default for the preferred one" };
const OPERATION = { network, operation: "name of the API operation" };
const BUDGET = { ...NETWORK, window: { about: "window of the budget", values: ["minute", "month"] } };

const own = {
  up: gauge({
    name: "stacks_up",
    help: "Whether the last poll of at least one target of the network succeeded, and the API responds.",
    labels: NETWORK,
  }),
  upstreamUp: gauge({
    name: "stacks_exporter_upstream_up",
    help: "Whether the upstream responds, follows the right chain and does not lag. Absent before the first contact.",
    labels: UPSTREAM,
  }),
  upstreamActive: gauge({
    name: "stacks_exporter_upstream_active",
    help: "Whether polls use the upstream. 1 for exactly one upstream of a network.",
    labels: UPSTREAM,
  }),
  upstreamLag: gauge({
    name: "stacks_exporter_upstream_lag_blocks",
    help: "Blocks from the last reported tip of the upstream to the highest known tip. Absent until it reports one.",
    labels: UPSTREAM,
  }),
  limit: gauge({
    name: "stacks_exporter_budget_limit_requests",
    help: "Configured budget of the active upstream per window. A month is 31 days.",
    labels: BUDGET,
  }),
  planned: gauge({
    name: "stacks_exporter_budget_planned_requests",
    help: "Requests to the active upstream that the schedules need per window, without retries.",
    labels: BUDGET,
  }),
  available: gauge({
    name: "stacks_exporter_budget_remaining_requests",
    help: "Requests that the budget of the active upstream allows now, per window.",
    labels: BUDGET,
  }),
  success: gauge({
    name: "stacks_exporter_collector_success",
    help:
      "Whether the last poll of every target of the collector succeeded. Absent before the first poll has ended, and " +
      "while the server lacks its operation.",
    labels: POLL,
  }),
  lastSuccess: gauge({
    name: "stacks_exporter_collector_last_success_timestamp_seconds",
    help:
      "Time of the last successful poll; the oldest of all targets. Unix time. Of watched targets also that of before " +
      "a restart. Absent until the first one, and while the server lacks its operation.",
    labels: POLL,
  }),
  interval: gauge({
    name: "stacks_exporter_collector_interval_seconds",
    help: "Time between polls of a target, or longest gap of a schedule. Longer than scheduled if the budget is short.",
    labels: POLL,
  }),
  stretch: gauge({
    name: "stacks_exporter_collector_stretch_ratio",
    help: "Time between polls divided by that of the schedule. Above 1 when the budget does not allow that time.",
    labels: POLL,
  }),
  state: gauge({
    name: "stacks_exporter_collector_state",
    help:
      "State of the collector (of its worst target): 1 for the current state. degraded: the last poll failed. " +
      "retired: its operation responded with 410. paused: the server requested a pause, or the budget is used up. " +
      "unsupported: the version of the server, or a server without a node, lacks its operation.",
    labels: { ...POLL, state: { about: "the state", values: STATES } },
  }),
  targets: gauge({
    name: "stacks_exporter_collector_targets",
    help: "Targets (the whole chain, or each watched principal) by state. waiting: the first poll has not ended.",
    labels: { ...POLL, state: { about: "the state", values: TARGET_STATES } },
  }),
  firstPollsEnd: gauge({
    name: "stacks_exporter_first_polls_end_timestamp_seconds",
    help:
      "Time by which every present target is polled for the first time, as planned when the newest one was added. Unix " +
      "time.",
    labels: NETWORK,
  }),
  build: gauge({
    name: "stacks_exporter_build_info",
    help: "Always 1. Version and commit of the exporter, and version of Node.js.",
    labels: {
      version: "version of the exporter",
      revision: "commit of the exporter; unknown if it runs from a checkout",
      node_version: "version of Node.js",
    },
  }),
  shards: gauge({
    name: "stacks_exporter_shards",
    help: "Configured number of exporters that share the watch lists. Absent without the setting shard.",
  }),
  shardOrdinal: gauge({
    name: "stacks_exporter_shard_ordinal",
    help: "Which of them this exporter is, from 0, as value and as label. Absent without the setting shard.",
    labels: { ordinal: "number of the shard, from 0" },
  }),
  configuration: gauge({
    name: "stacks_exporter_config_last_reload_successful",
    help: "Whether the last reload of the configuration succeeded. Absent without a configuration file.",
  }),
  files: gauge({
    name: "stacks_exporter_watch_list_last_reload_successful",
    help: "Whether the last reload of the watch list and key files succeeded. Absent without such files.",
  }),
  web: gauge({
    name: "stacks_exporter_web_config_last_reload_successful",
    help: "Whether the last reload of the web configuration succeeded. Absent without such a file.",
  }),
  stateDamaged: gauge({
    name: "stacks_exporter_state_damaged",
    help: "Whether the state file is damaged: then nothing is counted, and gauges go on. Absent with state: memory.",
  }),
  seriesLimit: gauge({
    name: "stacks_exporter_series_limit",
    help: "Configured limit of exposed series. Near it, new assets, topics and labels of rules count as other.",
  }),
  series: gauge({
    name: "stacks_exporter_series",
    help: "Number of exposed series.",
  }),
};

/** Families of events: polls, audits, requests, refusals. */
export const events = {
  cleanAudit: gauge({
    name: "stacks_exporter_last_clean_audit_timestamp_seconds",
    help: "Time of the last audit of any target without a mismatch. Unix time. Absent until the first one.",
    labels: POLL,
  }),
  runs: counter({
    name: "stacks_exporter_collector_runs_total",
    help: "Polls of the collector that have ended, with or without success.",
    labels: POLL,
  }),
  failures: counter({
    name: "stacks_exporter_collector_failures_total",
    help: "Failed polls of the collector, by reason.",
    labels: { ...POLL, reason: "reason of the failure, see below" },
  }),
  auditMismatches: counter({
    name: "stacks_exporter_audit_mismatches_total",
    help: "Differences between counted rows and the list of the server, found when confirmed blocks are read again.",
    labels: {
      ...POLL,
      kind: {
        about:
          "unlisted: a counted row is not listed; it is reverted when the next audit does not find it. uncounted: a " +
          "listed row was not counted; it is counted late",
        values: MISMATCHES,
      },
    },
  }),
  requests: counter({
    name: "stacks_exporter_upstream_requests_total",
    help: "Requests sent to all upstreams, by operation and status code, or by reason when there was no response.",
    labels: { ...OPERATION, code: "status code, or reason when there was no response" },
  }),
  pauses: counter({
    name: "stacks_exporter_upstream_pauses_total",
    help: "Pauses requested by the server (429). No request is sent during a pause.",
    labels: { network },
  }),
  drift: counter({
    name: "stacks_exporter_unexpected_payload_total",
    help: "Values in responses that are not as declared: the API has changed, or is broken.",
    labels: {
      ...OPERATION,
      field: "path of the field",
      kind: "kind of deviation: missing, null, type, or enum for an unknown value",
    },
  }),
  stateGaps: counter({
    name: "stacks_exporter_state_gaps_total",
    help:
      "Targets whose position in their list could not be read from the state file. Their counters stay, and count what " +
      "comes after.",
    labels: POLL,
  }),
};

/** All self-metrics, in the order of the page. */
export const selfMetrics: readonly Family[] = [...Object.values(own), ...Object.values(events)];

/** No sample of an undefined value; true is 1. */
const sampleOf = <Name extends string>(
  family: Family<Name>,
  labels: Readonly<Record<Name, string>>,
  value: number | boolean | undefined,
): readonly Sample[] => (value === undefined ? [] : [family.at(labels, Number(value))]);

/** The samples of an exporter, without those of events and of the page. */
export function* ownSamples({ version, networks, reloads, shard, ...others }: Own): Generator<Sample> {
  yield* sampleOf(own.build, { version, revision, node_version: process.version }, 1);
  yield* sampleOf(own.shards, {}, shard?.count);
  if (shard !== undefined) yield own.shardOrdinal.at({ ordinal: String(shard.index) }, shard.index);
  for (const name of ["configuration", "files", "web"] as const) {
    const report = reloads[name];
    yield* sampleOf(own[name], {}, report && report.failure === undefined);
  }
  yield* sampleOf(own.stateDamaged, {}, others.isDamaged);
  yield own.seriesLimit.at({}, others.maxSeries);
  yield own.series.at({}, others.series);
  for (const status of networks) yield* networkSamples(status);
}

function* networkSamples({ name: network, polled, failing, outage, ...status }: NetworkStatus): Generator<Sample> {
  // In an outage, the last poll of a target can be an old success.
  if (polled > 0) yield* sampleOf(own.up, { network }, polled > failing.length && outage === undefined);
  for (const { name: upstream, up, active, lag_blocks } of status.upstreams) {
    yield* sampleOf(own.upstreamUp, { network, upstream }, up);
    yield* sampleOf(own.upstreamActive, { network, upstream }, active);
    yield* sampleOf(own.upstreamLag, { network, upstream }, lag_blocks);
  }
  yield* sampleOf(own.firstPollsEnd, { network }, status.first_polls_end_at / 1000);
  for (const [window, use] of Object.entries(status.budget))
    for (const name of ["limit", "planned", "available"] as const)
      yield* sampleOf(own[name], { network, window }, use[name]);
  for (const one of status.collectors) {
    const labels = { network, collector: one.name };
    const { total, waiting, unsupported } = one.targets;
    if (waiting < total && unsupported < total) yield* sampleOf(own.success, labels, one.failing_since === undefined);
    if (unsupported < total)
      yield* sampleOf(own.lastSuccess, labels, one.last_success_at && one.last_success_at / 1000);
    yield own.interval.at(labels, one.interval_seconds);
    yield own.stretch.at(labels, one.stretch_ratio);
    if (waiting < total)
      for (const state of STATES) yield own.state.at({ ...labels, state }, Number(state === one.state));
    for (const state of TARGET_STATES) yield own.targets.at({ ...labels, state }, one.targets[state]);
  }
}

// The process metrics that are read; the client library has 28 more.
const READ = ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"];
// The client library measures the event loop, too. Each measurement wakes the process: 50 a second are half of its CPU
// at rest.
const EVENT_LOOP_RESOLUTION_MS = 10_000;

/** What one exporter measures of itself, and the state file does not keep. */
export class Instruments {
  readonly #registry = new Registry();
  readonly #families = new Map<string, Family>();

  /** Adds to a counter. An amount of 0 creates the series, so that `rate()` sees the first increase. */
  add<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, amount = 1): void {
    (this.#metricOf(family) as Counter).inc({ ...labels }, amount);
  }

  set<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, value: number): void {
    (this.#metricOf(family) as Gauge).set({ ...labels }, value);
  }

  /** Removes a series, if there is one. */
  remove<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>): void {
    (this.#metricOf(family) as Gauge).remove({ ...labels });
  }

  /** Starts to measure the process; returns the families of the measurements. */
  watchProcess(): readonly Family[] {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: EVENT_LOOP_RESOLUTION_MS });
    const read = this.#registry.getMetricsAsArray().filter(({ name }) => READ.includes(name));
    return read.map(({ name, help, type }) => {
      const family = String(type) === "counter" ? counter({ name, help }) : gauge({ name, help });
      this.#families.set(name, family);
      return family;
    });
  }

  async samples(): Promise<Sample[]> {
    // Some metrics of the client library are measured when another one, which is not read, is collected.
    const metrics = await this.#registry.getMetricsAsJSON();
    return metrics.flatMap(({ name, values }) => {
      const family = this.#families.get(name);
      return values.flatMap(({ labels, value }) => family?.at(labels as Record<string, string>, value) ?? []);
    });
  }

  #metricOf(family: Family): unknown {
    const { name, help, labelNames, kind } = family;
    if (this.#families.has(name)) return this.#registry.getSingleMetric(name);
    this.#families.set(name, family);
    const declaration = { name, help, labelNames: [...labelNames], registers: [this.#registry] };
    return kind === "gauge" ? new Gauge(declaration) : new Counter(declaration);
  }
}
