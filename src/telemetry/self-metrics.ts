// The exporter's own families: how its polls go, what it asks of the API, and how much of its budget is left. The reader of
// these is whoever runs the exporter; the chain's families live with their collectors.
import { counter, gauge, histogram } from "../exposition/family.ts";

/** Outcomes of a poll. */
export const OUTCOMES = {
  ok: "a valid answer",
  error: "a failure, for a reason that the failures counter names",
  skipped_budget: "not asked: the request budget was used up",
  skipped_overlap: "not started: the poll before was still running",
  retired: "not asked, or answered 410: the operation is gone",
} as const;
export type Outcome = keyof typeof OUTCOMES;

/** Why a target is polled before its turn. */
export const CAUSES = {
  seen: "another poll saw it take part in something, or it waits for its own to become deep enough",
  behind: "there is more to be read of it than one poll does",
} as const;

/** States of a collector; exactly one is 1. */
export const STATES = ["active", "degraded", "retired", "paused"] as const;
export type State = (typeof STATES)[number];

const network = "name of the network";
const collector = "name of the collector";
const operation = "name of the API operation";
const poll = { network, collector };
const onUpstream = { network, upstream: "name of the upstream; default for the only one" };
const budgetLabels = { network, window: { about: "span of the budget", values: ["minute", "month"] } };
const windowLabels = { network, window: "span that the server named: default, second, minute or month" };

// From a healthy answer near by to the longest time-out that can be set.
const DURATION_BOUNDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

export const up = gauge({
  name: "stacks_up",
  help: "Whether the last poll of at least one collector of the network got a valid answer.",
  labels: { network },
});
export const buildInfo = gauge({
  name: "stacks_exporter_build_info",
  help: "Always 1; the labels say what is running.",
  labels: { version: "version of the exporter", node_version: "version of Node.js" },
});
export const success = gauge({
  name: "stacks_exporter_collector_success",
  help: "Whether the last poll of the collector succeeded, of every target. Absent before the first one ended.",
  labels: poll,
});
export const lastSuccess = gauge({
  name: "stacks_exporter_collector_last_success_timestamp_seconds",
  help: "When the collector last got a valid answer, or a confirmation that nothing changed; of many targets the oldest. Unix time. Absent until then.",
  unit: "seconds",
  labels: poll,
});
export const interval = gauge({
  name: "stacks_exporter_collector_interval_seconds",
  help: "Time between two polls of the same target; the longest gap of a cron schedule; longer than configured when the budget demands it.",
  unit: "seconds",
  labels: poll,
});
export const stretch = gauge({
  name: "stacks_exporter_collector_stretch_ratio",
  help: "How much longer the time between polls is than configured, because the budget does not allow the wished pace; 1 when it does.",
  unit: "ratio",
  labels: poll,
});
export const maxAge = gauge({
  name: "stacks_exporter_collector_max_age_seconds",
  help: "Age at which values of the collector disappear from the page.",
  unit: "seconds",
  labels: poll,
});
export const state = gauge({
  name: "stacks_exporter_collector_state",
  help: "State of the collector, of many targets the worst: 1 for the one it is in. Degraded: the last poll failed. Retired: its operation answered 410. Paused: the server asked to wait, or the budget is used up.",
  labels: { ...poll, state: { about: "the state", values: STATES } },
});
/** Of a target whose first poll has not ended. */
export const WAITING = "waiting";
export const targets = gauge({
  name: "stacks_exporter_collector_targets",
  help: "Targets of the collector, by state: the whole chain, or each watched principal. Waiting: the first poll has not ended.",
  labels: { ...poll, state: { about: "the state", values: [...STATES, WAITING] } },
});
export const duration = histogram({
  name: "stacks_exporter_collector_duration_seconds",
  help: "Duration of a poll, waiting for the budget and retries included.",
  unit: "seconds",
  bounds: DURATION_BOUNDS,
  labels: poll,
});
export const runs = counter({
  name: "stacks_exporter_collector_runs_total",
  help: "Polls of the collector, by outcome.",
  labels: { ...poll, outcome: { about: "how the poll ended", values: Object.keys(OUTCOMES) } },
});
export const failures = counter({
  name: "stacks_exporter_collector_failures_total",
  help: "Polls of the collector that failed, by reason.",
  labels: { ...poll, reason: "why: one of the closed list of reasons" },
});
export const hints = counter({
  name: "stacks_exporter_hints_total",
  help: "Times a target was put before its turn in the sweep of its collector; it is polled early when the budget has something left.",
  labels: { ...poll, cause: { about: "what was known of it", values: Object.keys(CAUSES) } },
});
export const upstreamUp = gauge({
  name: "stacks_exporter_upstream_up",
  help: "Whether the upstream can be used: it answers, follows the right chain and does not lag. Absent before the first contact.",
  labels: onUpstream,
});
export const upstreamActive = gauge({
  name: "stacks_exporter_upstream_active",
  help: "Whether polls use the upstream now; 1 for exactly one upstream of a network.",
  labels: onUpstream,
});
export const upstreamLag = gauge({
  name: "stacks_exporter_upstream_lag_blocks",
  help: "Blocks between the highest known tip and the tip that the upstream last reported. Absent until it reported one.",
  labels: onUpstream,
});
export const upstreamSwitches = counter({
  name: "stacks_exporter_upstream_switches_total",
  help: "Times the upstream took over from another one.",
  labels: onUpstream,
});
export const upstreamDisagreements = counter({
  name: "stacks_exporter_upstream_disagreements_total",
  help: "Hourly comparisons in which the upstream had another block than the active upstream at a settled height.",
  labels: onUpstream,
});
export const requests = counter({
  name: "stacks_exporter_upstream_requests_total",
  help: "Requests that left for the API, to all upstreams together, by operation and by status code or, without an answer, by reason. 304 is an answer of its own.",
  labels: { network, operation, code: "status code, or the reason why there was none" },
});
export const requestDuration = histogram({
  name: "stacks_exporter_upstream_request_duration_seconds",
  help: "Duration of a request to the API, from sending it to the end of the body.",
  unit: "seconds",
  bounds: DURATION_BOUNDS,
  labels: { network, operation },
});
export const receivedBytes = counter({
  name: "stacks_exporter_upstream_received_bytes_total",
  help: "Bytes of the bodies received from the API, as they were on the wire.",
  unit: "bytes",
  labels: { network, operation },
});
export const retries = counter({
  name: "stacks_exporter_upstream_retries_total",
  help: "Requests that were sent again, by the reason of the failure before.",
  labels: { network, operation, reason: "why the request before failed" },
});
export const pauses = counter({
  name: "stacks_exporter_upstream_pauses_total",
  help: "Times the server asked to wait (429); no request leaves in a pause.",
  labels: { network },
});
export const pauseEnd = gauge({
  name: "stacks_exporter_upstream_pause_end_timestamp_seconds",
  help: "When the present pause of the active upstream ends. Unix time. Absent while there is none.",
  unit: "seconds",
  labels: { network },
});
export const retiredOperations = gauge({
  name: "stacks_exporter_upstream_operation_retired",
  help: "Whether the operation is retired at the active upstream: it answered 410 twice, a minute apart. It is requested again after 10 minutes to an hour.",
  labels: { network, operation },
});
export const deprecations = counter({
  name: "stacks_exporter_deprecation_warnings_total",
  help: "Answers with which the server called the operation deprecated (headers Warning 299, Deprecation, Sunset).",
  labels: { network, operation },
});
export const drift = counter({
  name: "stacks_exporter_unexpected_payload_total",
  help: "Values in answers that are not as declared: the API has changed, or is broken.",
  labels: {
    network,
    operation,
    field: "path of the field",
    kind: "what is wrong: missing, null, type, or enum for a value that is new",
  },
});
export const ratelimitLimit = gauge({
  name: "stacks_exporter_upstream_ratelimit_limit",
  help: "Requests that the active upstream allows per window, as its headers last said.",
  labels: windowLabels,
});
export const ratelimitRemaining = gauge({
  name: "stacks_exporter_upstream_ratelimit_remaining",
  help: "Requests that are left in the window, as the headers of the active upstream last said.",
  labels: windowLabels,
});
export const budgetLimit = gauge({
  name: "stacks_exporter_budget_limit_requests",
  help: "Requests that may leave per window to the active upstream, as configured; a month is 31 days.",
  unit: "requests",
  labels: budgetLabels,
});
export const budgetPlanned = gauge({
  name: "stacks_exporter_budget_planned_requests",
  help: "Requests to the active upstream that the schedules need per window when nothing goes wrong.",
  unit: "requests",
  labels: budgetLabels,
});
export const budgetUsed = gauge({
  name: "stacks_exporter_budget_used_requests",
  help: "Requests that left for the active upstream within the window that ends now (minute), or since the start (month).",
  unit: "requests",
  labels: budgetLabels,
});
export const budgetRemaining = gauge({
  name: "stacks_exporter_budget_remaining_requests",
  help: "Requests that may leave now without exceeding the window's budget of the active upstream.",
  unit: "requests",
  labels: budgetLabels,
});
export const watchListSuccessful = gauge({
  name: "stacks_exporter_watch_list_last_reload_successful",
  help: "Whether the files of the watch list were right when they were read last; when not, the list before stays in force. Absent without such files.",
});
export const watchListSuccess = gauge({
  name: "stacks_exporter_watch_list_last_reload_success_timestamp_seconds",
  help: "When the files of the watch list were read and found right, at start or later. Unix time. Absent without such files.",
  unit: "seconds",
});
export const stateRestored = gauge({
  name: "stacks_exporter_state_restored",
  help: "Whether counters went on at start from a state file: 0 when it was new. Absent with state: memory.",
  labels: {},
});
export const stateWritten = gauge({
  name: "stacks_exporter_state_write_timestamp_seconds",
  help: "When the state file was last written. Unix time. Absent until then.",
  unit: "seconds",
  labels: {},
});
export const stateFailures = counter({
  name: "stacks_exporter_state_write_failures_total",
  help: "Writes to the state file that failed. A poll whose observation cannot be written fails, and shows nothing of it.",
  labels: {},
});
export const stateRowsSetAside = gauge({
  name: "stacks_exporter_state_rows_set_aside",
  help: "Rows in the table set_aside of the state file: they could not be used, and what they counted started again. Absent with state: memory.",
  labels: {},
});
export const stateSetAside = gauge({
  name: "stacks_exporter_state_set_aside_timestamp_seconds",
  help: "When a row of the state file was last set aside. Unix time. Absent until then.",
  unit: "seconds",
  labels: {},
});
/** Why a request to the exporter was refused or cut off. */
export const REFUSALS = {
  connections: "too many connections were open; the new one was closed",
  pages: "too many pages were being sent; the answer was 503",
  stalled: "the client did not read its page; its connection was closed",
} as const;
export type Refusal = keyof typeof REFUSALS;
export const httpRefused = counter({
  name: "stacks_exporter_http_requests_refused_total",
  help: "Requests to the exporter that were refused or cut off, by reason. Connections: too many were open. Pages: too many were being sent (503). Stalled: the client did not read its page.",
  labels: { reason: { about: "why it was refused or cut off", values: Object.keys(REFUSALS) } },
});
export const series = gauge({
  name: "stacks_exporter_series",
  help: "Series on the page, per family.",
  labels: { family: "name of the family" },
});

export const seriesLimit = gauge({
  name: "stacks_exporter_series_limit",
  help: "Series that there may be in all, as configured: near it, assets and topics that are new become other.",
});

/** Everything above, in the order of the page. */
export const ownFamilies = [
  up,
  buildInfo,
  success,
  lastSuccess,
  interval,
  stretch,
  maxAge,
  state,
  targets,
  duration,
  runs,
  failures,
  hints,
  upstreamUp,
  upstreamActive,
  upstreamLag,
  upstreamSwitches,
  upstreamDisagreements,
  requests,
  requestDuration,
  receivedBytes,
  retries,
  pauses,
  pauseEnd,
  retiredOperations,
  deprecations,
  drift,
  ratelimitLimit,
  ratelimitRemaining,
  budgetLimit,
  budgetPlanned,
  budgetUsed,
  budgetRemaining,
  watchListSuccessful,
  watchListSuccess,
  stateRestored,
  stateWritten,
  stateFailures,
  stateRowsSetAside,
  stateSetAside,
  httpRefused,
  series,
  seriesLimit,
];
