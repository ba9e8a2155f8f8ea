// Self-metrics: families about the exporter's polls, its requests and its budget. Families about the chain are with
// their collectors.
import * as declare from "../exposition/family.ts";

/** All self-metrics, in the order of the page. */
export const selfMetrics: declare.Family[] = [];

function register<Name extends string>(family: declare.Family<Name>): declare.Family<Name> {
  selfMetrics.push(family);
  return family;
}
const gauge: typeof declare.gauge = (declaration) => register(declare.gauge(declaration));
const counter: typeof declare.counter = (declaration) => register(declare.counter(declaration));
const histogram: typeof declare.histogram = (declaration) => register(declare.histogram(declaration));

/** Outcomes of a poll. */
export const OUTCOMES = {
  ok: "a valid response",
  error: "a failure; the counter of failures has the reason",
  skipped_budget: "not started: the request budget was used up",
  skipped_overlap: "not started: the previous poll was still running",
  retired: "not started, or responded with 410: the API has removed the operation",
  unsupported: "not started, or responded with 404: the version of the API lacks the operation",
} as const;
export type Outcome = keyof typeof OUTCOMES;

/** Why a target is polled early. */
export const CAUSES = ["moved", "waiting", "behind"] as const;
export type HintCause = (typeof CAUSES)[number];

/** States of a target whose first poll has ended. A collector has the worst state of its targets. */
export const STATES = ["active", "degraded", "retired", "paused", "unsupported"] as const;
/** Every state of a target; it waits until its first poll ends. */
export const TARGET_STATES = [...STATES, "waiting"] as const;
export type TargetState = (typeof TARGET_STATES)[number];

const network = "name of the network";
const collector = "name of the collector";
const operation = "name of the API operation";
const poll = { network, collector };
const onUpstream = { network, upstream: "name of the upstream; default for the only one" };
const budgetLabels = { network, window: { about: "window of the budget", values: ["minute", "month"] } };

// From a fast response to the longest timeout that can be configured.
const DURATION_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const up = gauge({
  name: "stacks_up",
  help: "Whether the last poll of at least one target of the network succeeded, and the API responds.",
  labels: { network },
});
export const buildInfo = gauge({
  name: "stacks_exporter_build_info",
  help: "Always 1. Version of the exporter and of Node.js.",
  labels: { version: "version of the exporter", node_version: "version of Node.js" },
});
export const success = gauge({
  name: "stacks_exporter_collector_success",
  help:
    "Whether the last poll of every target of the collector succeeded. Absent before the first poll has ended, and " +
    "while the server lacks its operation.",
  labels: poll,
});
export const lastSuccess = gauge({
  name: "stacks_exporter_collector_last_success_timestamp_seconds",
  help:
    "Time of the last successful poll; the oldest of all targets. Unix time. Absent until the first one, and while the " +
    "server lacks its operation.",
  unit: "seconds",
  labels: poll,
});
export const interval = gauge({
  name: "stacks_exporter_collector_interval_seconds",
  help: "Time between polls of a target, or longest gap of a schedule. Longer than scheduled if the budget is short.",
  unit: "seconds",
  labels: poll,
});
export const stretch = gauge({
  name: "stacks_exporter_collector_stretch_ratio",
  help: "Time between polls divided by that of the schedule. Above 1 when the budget does not allow that time.",
  unit: "ratio",
  labels: poll,
});
export const state = gauge({
  name: "stacks_exporter_collector_state",
  help:
    "State of the collector (of its worst target): 1 for the current state. degraded: the last poll failed. " +
    "retired: its operation responded with 410. paused: the server requested a pause, or the budget is used up. " +
    "unsupported: the version of the server lacks its operation.",
  labels: { ...poll, state: { about: "the state", values: STATES } },
});
export const targets = gauge({
  name: "stacks_exporter_collector_targets",
  help: "Targets (the whole chain, or each watched principal) by state. waiting: the first poll has not ended.",
  labels: { ...poll, state: { about: "the state", values: TARGET_STATES } },
});
export const runs = counter({
  name: "stacks_exporter_collector_runs_total",
  help: "Polls of the collector, by outcome.",
  labels: { ...poll, outcome: { about: "outcome of the poll", values: Object.keys(OUTCOMES) } },
});
export const failures = counter({
  name: "stacks_exporter_collector_failures_total",
  help: "Failed polls of the collector, by reason.",
  labels: { ...poll, reason: "reason of the failure, see below" },
});
export const hints = counter({
  name: "stacks_exporter_hints_total",
  help: "Targets scheduled before their slot. They are polled early if the budget allows.",
  labels: { ...poll, cause: { about: "why it is polled early", values: CAUSES } },
});
export const upstreamUp = gauge({
  name: "stacks_exporter_upstream_up",
  help: "Whether the upstream responds, follows the right chain and does not lag. Absent before the first contact.",
  labels: onUpstream,
});
export const upstreamActive = gauge({
  name: "stacks_exporter_upstream_active",
  help: "Whether polls use the upstream. 1 for exactly one upstream of a network.",
  labels: onUpstream,
});
export const upstreamLag = gauge({
  name: "stacks_exporter_upstream_lag_blocks",
  help: "Blocks from the last reported tip of the upstream to the highest known tip. Absent until it reports one.",
  labels: onUpstream,
});
export const upstreamDisagreements = counter({
  name: "stacks_exporter_upstream_disagreements_total",
  help: "Hourly comparisons in which the upstream reported another block at a settled height than the active upstream.",
  labels: onUpstream,
});
export const requests = counter({
  name: "stacks_exporter_upstream_requests_total",
  help: "Requests sent to all upstreams, by operation and status code, or by reason when there was no response.",
  labels: { network, operation, code: "status code, or reason when there was no response" },
});
export const requestDuration = histogram({
  name: "stacks_exporter_upstream_request_duration_seconds",
  help: "Duration of a request to the API, up to the end of the body.",
  unit: "seconds",
  bounds: DURATION_BOUNDS,
  labels: { network, operation },
});
export const retries = counter({
  name: "stacks_exporter_upstream_retries_total",
  help: "Retried requests, by the reason of the previous failure.",
  labels: { network, operation, reason: "reason of the previous failure" },
});
export const pauses = counter({
  name: "stacks_exporter_upstream_pauses_total",
  help: "Pauses requested by the server (429). No request is sent during a pause.",
  labels: { network },
});
export const pauseEnd = gauge({
  name: "stacks_exporter_upstream_pause_end_timestamp_seconds",
  help: "End of the current pause of the active upstream. Unix time. Absent without a pause.",
  unit: "seconds",
  labels: { network },
});
export const retiredOperations = gauge({
  name: "stacks_exporter_upstream_operation_retired",
  help: "Whether the operation is retired at the active upstream: it responded with 410 twice, a minute or more apart.",
  labels: { network, operation },
});
export const drift = counter({
  name: "stacks_exporter_unexpected_payload_total",
  help: "Values in responses that are not as declared: the API has changed, or is broken.",
  labels: {
    network,
    operation,
    field: "path of the field",
    kind: "kind of deviation: missing, null, type, or enum for an unknown value",
  },
});
export const budgetLimit = gauge({
  name: "stacks_exporter_budget_limit_requests",
  help: "Configured budget of the active upstream per window. A month is 31 days.",
  unit: "requests",
  labels: budgetLabels,
});
export const budgetPlanned = gauge({
  name: "stacks_exporter_budget_planned_requests",
  help: "Requests to the active upstream that the schedules need per window, without retries.",
  unit: "requests",
  labels: budgetLabels,
});
export const budgetUsed = gauge({
  name: "stacks_exporter_budget_used_requests",
  help: "Requests sent to the active upstream in the last minute (minute), or since the start (month).",
  unit: "requests",
  labels: budgetLabels,
});
export const budgetRemaining = gauge({
  name: "stacks_exporter_budget_remaining_requests",
  help: "Requests that the budget of the active upstream allows now, per window.",
  unit: "requests",
  labels: budgetLabels,
});
export const shards = gauge({
  name: "stacks_exporter_shards",
  help: "Configured number of exporters that share the watch lists. Absent without the setting shard.",
});
export const shardOrdinal = gauge({
  name: "stacks_exporter_shard_ordinal",
  help: "Which of them this exporter is, from 0, as value and as label. Absent without the setting shard.",
  labels: { ordinal: "number of the shard, from 0" },
});
export const configSuccessful = gauge({
  name: "stacks_exporter_config_last_reload_successful",
  help: "Whether the last reload of the configuration succeeded. Absent without a configuration file.",
});
export const watchListSuccessful = gauge({
  name: "stacks_exporter_watch_list_last_reload_successful",
  help: "Whether the last reload of the watch list and key files succeeded. Absent without such files.",
});
export const webConfigSuccessful = gauge({
  name: "stacks_exporter_web_config_last_reload_successful",
  help: "Whether the last reload of the web configuration succeeded. Absent without such a file.",
});
export const stateRestored = gauge({
  name: "stacks_exporter_state_restored",
  help: "Whether counters continued from a state file at start; 0 when the file was new. Absent with state: memory.",
});
export const stateWritten = gauge({
  name: "stacks_exporter_state_write_timestamp_seconds",
  help: "Time when the state file was last written. Unix time. Absent until the first write.",
  unit: "seconds",
});
export const stateFailures = counter({
  name: "stacks_exporter_state_write_failures_total",
  help: "Failed writes to the state file. A poll whose observation cannot be written fails and changes no value.",
});
export const stateGaps = counter({
  name: "stacks_exporter_state_gaps_total",
  help:
    "Targets whose position in their list could not be read from the state file. Their counters stay, and count what " +
    "comes after.",
  labels: { network, collector },
});
export const stateDamaged = gauge({
  name: "stacks_exporter_state_damaged",
  help: "Whether the state file is damaged: then nothing is counted, and gauges go on. Absent with state: memory.",
});
/** Why a request to the exporter was refused or cut off. */
export const REFUSALS = ["connections", "pages", "stalled", "host", "password", "tls", "certificate", "rate"] as const;
export type Refusal = (typeof REFUSALS)[number];
export const httpRefused = counter({
  name: "stacks_exporter_http_requests_refused_total",
  help:
    "Requests to the exporter that were refused or aborted, by reason. connections: too many were open. pages: too " +
    "many were being sent (503). stalled: the client did not read its page. host: a name that is not in " +
    "web.allowed_hosts (421). password: none or a wrong one (401), or too many to check (503). tls: the handshake " +
    "failed, for example because the client used plain HTTP. certificate: the client has none that is accepted. " +
    "rate: more than rate_limit of the web configuration allows (429).",
  labels: { reason: { about: "why it was refused or aborted", values: REFUSALS } },
});
export const series = gauge({
  name: "stacks_exporter_series",
  help: "Number of exposed series per family.",
  labels: { family: "name of the family" },
});

export const seriesLimit = gauge({
  name: "stacks_exporter_series_limit",
  help: "Configured limit of exposed series. Near it, new assets, topics and labels of rules count as other.",
});
