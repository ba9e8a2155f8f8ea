// Exporter: is there anything to trust, what does it cost, and what does the API have against it?
import { STATES } from "../src/telemetry/self-metrics.ts";
import type { Board } from "./board.ts";
import { reference, worse } from "./colours.ts";
import { coloured, lines, type Override, type Panel, shown, stat, table, timeline } from "./panel.ts";
import { firingNames, of, ofProcess, perMinute } from "./select.ts";
import { upstreams } from "./upstreams.ts";

const NOT_SCRAPED = "Nothing: is the exporter scraped?";
const NEVER = "None since it started";
const COLLECTOR = { collector: "~$collector" };
const own = (family: string, matchers: Readonly<Record<string, string>> = {}) => of(family, matchers);
const inRange = (labels: string, selector: string) => `sum by (${labels}) (increase(${selector}[$__range]))`;

// These families have no series until something happened.
const none = `max by (operation) (${own("stacks_exporter_upstream_operation_retired")}) * 0`;

// The limit of each network, or of each window.
const LIMIT: Override = {
  regexp: ".* limit( of the .*)?$",
  properties: {
    color: { mode: "fixed", fixedColor: "red" },
    "custom.lineStyle": { fill: "dash", dash: [8, 6] },
    "custom.lineWidth": 1,
  },
};

const health: readonly Panel[] = [
  stat({
    id: 1,
    title: "Networks that answer",
    description:
      "Up: the last poll of at least one collector got a valid answer. Down: nothing on any board is fresh; see the reasons of failures below, and the log.",
    unit: "none",
    noValue: NOT_SCRAPED,
    width: 5,
    height: 4,
    colour: "background",
    text: "both",
    mappings: [shown(1, "up", "green", 0), shown(0, "down", "red", 1)],
    queries: [{ expr: `min by (network) (${own("stacks_up")})`, legend: "{{network}}" }],
  }),
  stat({
    id: 2,
    title: "Oldest answer",
    description:
      "Age of the oldest last success among the chosen collectors. Gauges disappear at their maximum age, so nothing older is ever shown.",
    unit: "s",
    decimals: 0,
    noValue: "None yet",
    width: 3,
    height: 4,
    min: 0,
    steps: worse(300, 900),
    queries: [
      {
        expr: `time() - min(${own("stacks_exporter_collector_last_success_timestamp_seconds", COLLECTOR)})`,
        legend: "age",
      },
    ],
  }),
  stat({
    id: 3,
    title: "Failed polls",
    description:
      "Share of polls in the range shown that failed. Retries are inside a poll, so each of these is data that was missing for a while.",
    unit: "percentunit",
    decimals: 1,
    noValue: "No poll in this range",
    width: 3,
    height: 4,
    min: 0,
    steps: worse(0.01, 0.1),
    queries: [
      {
        expr: `sum(increase(${own("stacks_exporter_collector_runs_total", { ...COLLECTOR, outcome: "error" })}[$__range])) / (sum(increase(${own("stacks_exporter_collector_runs_total", COLLECTOR)}[$__range])) > 0)`,
        legend: "failed",
      },
    ],
  }),
  stat({
    id: 4,
    title: "Budget planned",
    description:
      "Requests that the schedules need in a minute, over the configured budget. What is left goes to retries and to targets polled before their turn, so the used share may well be 100 %. Planned above 100 % does not fit: fewer targets, longer intervals or a larger budget.",
    unit: "percentunit",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 3,
    height: 4,
    min: 0,
    steps: worse(0.8, 1),
    queries: [
      {
        expr: `max(${own("stacks_exporter_budget_planned_requests", { window: "minute" })} / ${own("stacks_exporter_budget_limit_requests", { window: "minute" })})`,
        legend: "planned",
      },
    ],
  }),
  stat({
    id: 5,
    title: "Alerts that fire",
    description:
      "Every alert of this exporter that fires now, as Prometheus keeps it. The runbook of each says what to do.",
    unit: "none",
    noValue: "None",
    width: 10,
    height: 4,
    colour: "background",
    text: "name",
    steps: [
      [null, "green"],
      [1, "red"],
    ],
    queries: [{ expr: firingNames(), legend: "{{alertname}}" }],
  }),
  timeline({
    id: 6,
    title: "State of the collectors",
    description:
      "The worst state of each collector's targets. Degraded: the last poll failed. Paused: the server asked to wait, or the budget is used up. Retired: the operation is gone (410).",
    unit: "none",
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    mappings: STATES.map((state, index) =>
      shown(index + 1, state, { active: "green", degraded: "red", retired: "purple", paused: "yellow" }[state], index),
    ),
    queries: [
      {
        expr: STATES.map(
          (state, index) =>
            `max by (network, collector) (${own("stacks_exporter_collector_state", { ...COLLECTOR, state })} == 1) * ${index + 1}`,
        ).join(" or "),
        legend: "{{network}} {{collector}}",
      },
    ],
  }),
  table({
    id: 7,
    title: "Collectors",
    description:
      "Pace and age of each collector. Stretched above 1: the budget does not allow the wished pace. Age beyond the maximum: its gauges are gone from the page.",
    unit: "s",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    queries: [
      {
        expr: `max by (network, collector) (time() - ${own("stacks_exporter_collector_last_success_timestamp_seconds", COLLECTOR)})`,
      },
      { expr: `max by (network, collector) (${own("stacks_exporter_collector_interval_seconds", COLLECTOR)})` },
      { expr: `max by (network, collector) (${own("stacks_exporter_collector_max_age_seconds", COLLECTOR)})` },
      { expr: `max by (network, collector) (${own("stacks_exporter_collector_stretch_ratio", COLLECTOR)})` },
      { expr: `min by (network, collector) (${own("stacks_exporter_collector_success", COLLECTOR)})` },
    ],
    columns: {
      network: "network",
      collector: "collector",
      "Value #E": "last poll",
      "Value #A": "age",
      "Value #B": "every",
      "Value #C": "gone after",
      "Value #D": "stretched",
    },
    overrides: [
      { name: "stretched", properties: { unit: "none", decimals: 2 } },
      {
        name: "last poll",
        properties: {
          unit: "none",
          mappings: [shown(1, "ok", "green", 0), shown(0, "failed", "red", 1)],
          "custom.cellOptions": { type: "color-text" },
        },
      },
    ],
  }),
];

const polls: readonly Panel[] = [
  lines({
    id: 21,
    title: "Failures by reason",
    legend: "right",
    description:
      "Failed polls a minute, by collector and reason. timeout and network: the way to the API; http_server: the API; bad_body: it answers something new; budget: ours.",
    unit: "short",
    noValue: NEVER,
    width: 12,
    height: 8,
    axis: "a minute",
    min: 0,
    queries: [
      {
        expr: perMinute("collector, reason", own("stacks_exporter_collector_failures_total", COLLECTOR), true),
        legend: "{{collector}} {{reason}}",
      },
    ],
  }),
  lines({
    id: 22,
    title: "Polls by outcome",
    legend: "right",
    description:
      "Polls a minute. Skipped for the budget: the schedule asks for more than is allowed. Skipped for overlap: a poll takes longer than its interval.",
    unit: "short",
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    axis: "a minute",
    min: 0,
    stacked: true,
    queries: [
      {
        expr: perMinute("outcome", own("stacks_exporter_collector_runs_total", COLLECTOR), true),
        legend: "{{outcome}}",
      },
    ],
    overrides: [
      coloured("ok", "green"),
      coloured("error", "red"),
      coloured("skipped_budget", "yellow"),
      coloured("retired", "purple"),
    ],
  }),
  lines({
    id: 23,
    title: "Duration of polls (p95)",
    legend: "right",
    description:
      "The 95th percentile of the duration of a poll, waiting for the budget and retries included. Near the time-out, polls begin to fail.",
    unit: "s",
    noValue: NOT_SCRAPED,
    width: 8,
    height: 9,
    min: 0,
    queries: [
      {
        expr: `histogram_quantile(0.95, sum by (le, collector) (rate(${own("stacks_exporter_collector_duration_seconds_bucket", COLLECTOR)}[$__rate_interval]))) >= 0`,
        legend: "{{collector}}",
      },
    ],
  }),
  lines({
    id: 24,
    title: "Targets by state",
    legend: "right",
    description:
      "Watched principals (or the whole chain) in each state. Waiting ones were never polled: a long list takes a whole round.",
    unit: "short",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 8,
    height: 9,
    min: 0,
    stacked: true,
    queries: [{ expr: `sum by (state) (${own("stacks_exporter_collector_targets", COLLECTOR)})`, legend: "{{state}}" }],
    overrides: [
      coloured("active", "green"),
      coloured("degraded", "red"),
      coloured("paused", "yellow"),
      coloured("retired", "purple"),
      coloured("waiting", "blue"),
    ],
  }),
  lines({
    id: 25,
    title: "Targets polled before their turn",
    legend: "right",
    description:
      "How often a minute a watched principal was put forward in the sweep, by what was known of it: new activity is read sooner. None when the budget has nothing left.",
    unit: "short",
    noValue: "None in this range",
    width: 8,
    height: 9,
    axis: "a minute",
    min: 0,
    queries: [
      {
        expr: perMinute("collector, cause", own("stacks_exporter_hints_total", COLLECTOR), true),
        legend: "{{collector}} {{cause}}",
      },
    ],
  }),
];

const upstream: readonly Panel[] = [
  lines({
    id: 31,
    title: "Requests by answer",
    legend: "right",
    description:
      "Requests a minute, by status code or by the reason why there was no answer. 304 costs nearly nothing: nothing had changed.",
    unit: "short",
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    axis: "a minute",
    min: 0,
    stacked: true,
    queries: [{ expr: perMinute("code", own("stacks_exporter_upstream_requests_total"), true), legend: "{{code}}" }],
    overrides: [coloured("200", "green"), coloured("304", "blue"), coloured("429", "yellow"), coloured("503", "red")],
  }),
  lines({
    id: 32,
    title: "Requests by operation",
    legend: "right",
    description: "Requests a minute, by operation: where the budget goes.",
    unit: "short",
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    axis: "a minute",
    min: 0,
    stacked: true,
    queries: [
      {
        expr: perMinute("operation", own("stacks_exporter_upstream_requests_total"), true),
        legend: "{{operation}}",
      },
    ],
  }),
  lines({
    id: 33,
    title: "Latency by operation (p95)",
    legend: "right",
    description:
      "The 95th percentile of the duration of a request, to the end of its body. Slow answers eat the deadline of the poll.",
    unit: "s",
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    min: 0,
    queries: [
      {
        expr: `histogram_quantile(0.95, sum by (le, operation) (rate(${own("stacks_exporter_upstream_request_duration_seconds_bucket")}[$__rate_interval]))) > 0`,
        legend: "{{operation}}",
      },
    ],
  }),
  lines({
    id: 34,
    title: "Received",
    legend: "right",
    description:
      "Bytes of the answers on the wire, by operation. Conditional requests keep it small while nothing changes.",
    unit: "Bps",
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    min: 0,
    stacked: true,
    queries: [
      {
        expr: `${perMinute("operation", own("stacks_exporter_upstream_received_bytes_total"), true)} / 60`,
        legend: "{{operation}}",
      },
    ],
  }),
  lines({
    id: 35,
    title: "Budget of the minute",
    legend: "right",
    description:
      "Requests of the last minute, what the schedules need when nothing goes wrong, what is left, and the limit. Targets that are known to have moved are polled from what is left; planned above the limit does not fit: see stacks-exporter plan.",
    unit: "short",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    axis: "requests",
    min: 0,
    queries: [
      {
        expr: `sum by (network) (${own("stacks_exporter_budget_used_requests", { window: "minute" })})`,
        legend: "{{network}} used",
      },
      {
        expr: `sum by (network) (${own("stacks_exporter_budget_remaining_requests", { window: "minute" })})`,
        legend: "{{network}} left",
      },
      {
        expr: `sum by (network) (${own("stacks_exporter_budget_planned_requests", { window: "minute" })})`,
        legend: "{{network}} planned",
      },
      {
        expr: `sum by (network) (${own("stacks_exporter_budget_limit_requests", { window: "minute" })})`,
        legend: "{{network}} limit",
      },
    ],
    overrides: [
      {
        regexp: ".* planned$",
        properties: { "custom.lineStyle": { fill: "dash", dash: [8, 6] }, "custom.lineWidth": 1 },
      },
      LIMIT,
    ],
  }),
  lines({
    id: 36,
    title: "Limits of the server",
    legend: "right",
    description:
      "What the server's own headers say: requests it allows in a window, and what is left of them. Absent when it says nothing.",
    unit: "short",
    decimals: 0,
    noValue: "The server names no limits",
    width: 12,
    height: 8,
    axis: "requests",
    min: 0,
    queries: [
      {
        expr: `min by (network, window) (${own("stacks_exporter_upstream_ratelimit_remaining")})`,
        legend: "{{network}} left of the {{window}}",
      },
      {
        expr: `max by (network, window) (${own("stacks_exporter_upstream_ratelimit_limit")})`,
        legend: "{{network}} limit of the {{window}}",
      },
    ],
    overrides: [LIMIT],
  }),
  table({
    id: 37,
    title: "Month and pauses",
    description:
      "Requests since the start against the budget of the month (31 days), pauses that the server asked for in the range shown (429), and when the present one ends.",
    unit: "short",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 12,
    height: 6,
    queries: [
      { expr: `sum by (network) (${own("stacks_exporter_budget_used_requests", { window: "month" })})` },
      { expr: `sum by (network) (${own("stacks_exporter_budget_planned_requests", { window: "month" })})` },
      { expr: `sum by (network) (${own("stacks_exporter_budget_limit_requests", { window: "month" })})` },
      { expr: inRange("network", own("stacks_exporter_upstream_pauses_total")) },
      { expr: `max by (network) (${own("stacks_exporter_upstream_pause_end_timestamp_seconds")}) * 1000` },
    ],
    columns: {
      network: "network",
      "Value #A": "used",
      "Value #B": "planned a month",
      "Value #C": "limit of the month",
      "Value #D": "pauses",
      "Value #E": "pause ends",
    },
    overrides: [{ name: "pause ends", properties: { unit: "dateTimeFromNow" } }],
  }),
  table({
    id: 38,
    title: "What the API has changed",
    description:
      "By operation, in the range shown: answers that called it deprecated, values that are not as declared, requests sent again; and whether it is gone now (410). Any of these will break something sooner or later: look for a new version.",
    unit: "short",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 12,
    height: 6,
    queries: [
      { expr: inRange("operation", own("stacks_exporter_deprecation_warnings_total")) },
      { expr: `${inRange("operation", own("stacks_exporter_unexpected_payload_total"))} or ${none}` },
      { expr: `${inRange("operation", own("stacks_exporter_upstream_retries_total"))} or ${none}` },
      { expr: `max by (operation) (${own("stacks_exporter_upstream_operation_retired")})` },
    ],
    columns: {
      operation: "operation",
      "Value #A": "deprecated",
      "Value #B": "unexpected",
      "Value #C": "sent again",
      "Value #D": "gone",
    },
    sortBy: "-unexpected",
    overrides: [
      { name: "operation", properties: { "custom.width": 230 } },
      { name: "gone", properties: { mappings: [shown(0, "no", "green", 0), shown(1, "yes", "red", 1)] } },
    ],
  }),
];

const itself: readonly Panel[] = [
  lines({
    id: 41,
    title: "Series on the page",
    description:
      "Series by family, the ten largest. Watched principals and assets are what makes it grow; near the limit new assets and topics become other.",
    unit: "short",
    decimals: 0,
    noValue: NOT_SCRAPED,
    width: 12,
    height: 8,
    log: true,
    legend: "right",
    queries: [
      { expr: `topk(10, max by (family) (${own("stacks_exporter_series")}))`, legend: "{{family}}" },
      { expr: `max(sum by (job, instance) (${own("stacks_exporter_series")}))`, legend: "in all" },
      { expr: `min(${own("stacks_exporter_series_limit")})`, legend: "limit" },
    ],
    overrides: [coloured("in all", "text"), reference("limit", "red")],
  }),
  lines({
    id: 42,
    title: "Memory",
    description:
      "Resident memory, and the heap in use. A sawtooth is a garbage collector at work; a staircase is a leak.",
    unit: "bytes",
    noValue: NOT_SCRAPED,
    width: 6,
    height: 8,
    min: 0,
    queries: [
      { expr: `max by (instance) (${ofProcess("process_resident_memory_bytes")})`, legend: "{{instance}} resident" },
      { expr: `max by (instance) (${ofProcess("nodejs_heap_size_used_bytes")})`, legend: "{{instance}} heap" },
    ],
  }),
  lines({
    id: 43,
    title: "Processor and event loop",
    description:
      "Share of one processor, and the 99th percentile of how late the event loop was. Scrapes and polls wait when it is late.",
    unit: "percentunit",
    noValue: NOT_SCRAPED,
    width: 6,
    height: 8,
    min: 0,
    queries: [
      {
        expr: `sum by (instance) (rate(${ofProcess("process_cpu_seconds_total")}[$__rate_interval]))`,
        legend: "{{instance}} processor",
      },
      { expr: `max by (instance) (${ofProcess("nodejs_eventloop_lag_p99_seconds")})`, legend: "{{instance}} loop" },
    ],
    overrides: [{ regexp: ".* loop$", properties: { unit: "s", "custom.axisPlacement": "right" } }],
  }),
  lines({
    id: 46,
    title: "Requests to the exporter that were refused",
    description:
      "Requests a minute that the exporter refused or cut off, by reason. Connections, pages: too many at once. Stalled: a client asked for a page and did not read it. A Prometheus that is refused shows a failed scrape.",
    unit: "short",
    noValue: "None in this range",
    width: 24,
    height: 6,
    axis: "a minute",
    min: 0,
    legend: "right",
    queries: [
      {
        expr: perMinute("reason", own("stacks_exporter_http_requests_refused_total"), true),
        legend: "{{reason}}",
      },
    ],
  }),
  table({
    id: 44,
    title: "What is running",
    description: "Version of the exporter and of Node.js, and when the process started.",
    unit: "none",
    noValue: NOT_SCRAPED,
    width: 24,
    height: 4,
    queries: [
      { expr: `max by (job, instance, version, node_version) (${own("stacks_exporter_build_info")})` },
      { expr: `max by (job, instance) (${ofProcess("process_start_time_seconds")}) * 1000` },
    ],
    columns: {
      job: "job",
      instance: "instance",
      version: "version",
      node_version: "Node.js",
      "Value #B": "started",
    },
    overrides: [{ name: "started", properties: { unit: "dateTimeFromNow" } }],
  }),
  table({
    id: 45,
    title: "State file and watch lists",
    description:
      "Whether counters went on from a state file at the last start, when it was last written, writes that failed in the range shown (the polls they belonged to failed too), rows that could not be used and are set aside, and whether the files of the watch lists were right when they were read last. Columns are missing where there is no such file.",
    unit: "short",
    decimals: 0,
    noValue: "Neither a state file nor files of watch lists",
    width: 24,
    height: 4,
    queries: [
      { expr: `max by (job, instance) (${own("stacks_exporter_state_restored")})` },
      { expr: `max by (job, instance) (${own("stacks_exporter_state_write_timestamp_seconds")}) * 1000` },
      { expr: `max by (job, instance) (increase(${own("stacks_exporter_state_write_failures_total")}[$__range]))` },
      { expr: `min by (job, instance) (${own("stacks_exporter_watch_list_last_reload_successful")})` },
      {
        expr: `max by (job, instance) (${own("stacks_exporter_watch_list_last_reload_success_timestamp_seconds")}) * 1000`,
      },
      { expr: `max by (job, instance) (${own("stacks_exporter_state_rows_set_aside")})` },
    ],
    columns: {
      job: "job",
      instance: "instance",
      "Value #A": "counters",
      "Value #B": "state written",
      "Value #C": "failed writes",
      "Value #D": "watch lists",
      "Value #E": "lists read",
      "Value #F": "rows set aside",
    },
    overrides: [
      {
        name: "counters",
        properties: { mappings: [shown(1, "went on", "green", 0), shown(0, "began anew", "blue", 1)] },
      },
      { name: "watch lists", properties: { mappings: [shown(1, "right", "green", 0), shown(0, "wrong", "red", 1)] } },
      { name: "state written", properties: { unit: "dateTimeFromNow" } },
      { name: "lists read", properties: { unit: "dateTimeFromNow" } },
    ],
  }),
];

/** Is there anything to trust, and what does it cost? */
export const exporter: Board = {
  uid: "stacks-exporter",
  title: "Stacks / Exporter",
  description: "Is what the other boards show fresh and complete, what does it cost, and what does the API say?",
  from: "now-3h",
  networks: "several",
  variables: [
    {
      kind: "label",
      name: "collector",
      label: "Collector",
      query:
        'label_values(stacks_exporter_collector_interval_seconds{job=~"$job", instance=~"$instance", network=~"$network"}, collector)',
    },
  ],
  rows: [
    { panels: health },
    { id: 20, title: "Polls", panels: polls },
    { id: 30, title: "The API and the budget", panels: upstream },
    { id: 50, title: "Upstreams", panels: upstreams },
    { id: 40, title: "The process", panels: itself },
  ],
};
