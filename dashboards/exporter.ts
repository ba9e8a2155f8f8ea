// Dashboard Exporter: freshness of the data, use of the budget, changes of the API, the process.
import { successAge } from "../alerts/freshness.ts";
import { onNetwork } from "../alerts/series.ts";
import { FRESH_BELOW } from "../alerts/thresholds.ts";
import { STATES } from "../src/telemetry/status.ts";
import { type Board, choiceOf } from "./board.ts";
import { reference, worse } from "./colours.ts";
import { coloured, lines, type Override, type Panel, rates, shown, stat, table, timeline } from "./panel.ts";
import { grownIn, metric, ofProcess, perMinute, recording, TARGET } from "./select.ts";
import { firingAlerts } from "./shared-panels.ts";
import { upstreams } from "./upstreams.ts";

const STATE_COLOURS = {
  active: "green",
  degraded: "red",
  retired: "purple",
  paused: "yellow",
  unsupported: "text",
} as const;
/** Columns of an exporter; a table leaves out those of labels that no series has. */
const OF_EXPORTER = {
  "%(clusterLabel)s": "cluster",
  "%(namespaceLabel)s": "namespace",
  job: "job",
  instance: "instance",
};
const COLLECTOR = { collector: "~$collector" };
const inRange = (labels: string, selector: string) =>
  `sum by (${labels}) ${grownIn("$__range", selector, `${onNetwork} group_left ()`, metric("stacks_up"))}`;

// Families without series until the first event.
const none = `${inRange("operation", metric("stacks_exporter_upstream_requests_total"))} * 0`;

// The limit of each network or window.
const LIMIT: Override = {
  regexp: ".* limit( per .*)?$",
  properties: {
    color: { mode: "fixed", fixedColor: "red" },
    "custom.lineStyle": { fill: "dash", dash: [8, 6] },
    "custom.lineWidth": 1,
  },
};

const health: readonly Panel[] = [
  stat({
    id: 1,
    title: "Networks",
    description: `Up: the last poll of at least one collector got a valid response. Down: no dashboard has fresh data; see
      the failures by reason below, and the log.`,
    unit: "none",
    width: 9,
    height: 4,
    colour: "background",
    text: "both",
    mappings: [shown(1, "up", "green", 0), shown(0, "down", "red", 1)],
    queries: { "{{network}}": `min by (network) (${metric("stacks_up")})` },
  }),
  stat({
    id: 2,
    title: "Oldest success (intervals)",
    description: `Age of the oldest last success among the selected collectors, in intervals of the collector. Gauges
      disappear at their maximum age, so older values are never shown.`,
    unit: "none",
    decimals: 1,
    noValue: "None yet",
    width: 5,
    height: 4,
    steps: worse(FRESH_BELOW, 5),
    queries: { intervals: `max(${recording(successAge.record, COLLECTOR)})` },
  }),
  stat({
    id: 3,
    title: "Failed polls",
    description: `Share of failed polls in the time range. Retries are part of a poll, so each failed poll means
      missing data.`,
    unit: "percentunit",
    decimals: 1,
    noValue: "No poll in this range",
    width: 5,
    height: 4,
    steps: worse(0.01, 0.1),
    queries: {
      failed: `sum(increase(${metric("stacks_exporter_collector_failures_total", COLLECTOR)}[$__range])) / (sum(increase(${metric("stacks_exporter_collector_runs_total", COLLECTOR)}[$__range])) > 0)`,
    },
  }),
  stat({
    id: 4,
    title: "Planned budget",
    description: `Requests that the schedules need, as a share of the budget of a minute or a month, whichever is
      nearer to its limit. Retries and early polls use the remainder, so the used share may be 100 %. Above 90 % of a
      minute (the rest is for commands) or 100 % of a month, the configuration does not fit: watch fewer targets, use
      longer intervals or a larger budget.`,
    unit: "percentunit",
    decimals: 0,
    width: 5,
    height: 4,
    steps: worse(0.85, 1),
    queries: {
      planned: `max(${metric("stacks_exporter_budget_planned_requests")} / ${metric("stacks_exporter_budget_limit_requests")})`,
    },
  }),
  firingAlerts({
    id: 5,
    description: `Alerts of this exporter that fire now, as reported by Prometheus. The runbook of each alert says what
      to do.`,
    width: 24,
    height: 6,
  }),
  timeline({
    id: 6,
    title: "State of the collectors",
    description: `The worst state of the targets of each collector. Degraded: the last poll failed. Paused: the server
      requested a pause, or the budget is used up. Retired: the API has removed the operation (410). Unsupported: the
      version of the API lacks the operation (404).`,
    height: 12,
    unit: "none",
    mappings: STATES.map((state, index) => shown(index + 1, state, STATE_COLOURS[state], index)),
    queries: {
      "{{network}} {{collector}}": STATES.map(
        (state, index) =>
          `max by (network, collector) (${metric("stacks_exporter_collector_state", { ...COLLECTOR, state })} == 1) * ${index + 1}`,
      ).join(" or "),
    },
  }),
  table({
    id: 7,
    title: "Collectors",
    description: `Interval and age of each collector. Stretched above 1: the budget does not allow the configured
      interval. When the age exceeds the maximum age (three to five intervals), its gauges disappear. Clean audit:
      how long ago what is counted was last equal to what the server lists. Mismatches: differences in the time range.`,
    height: 12,
    unit: "s",
    decimals: 0,
    labels: ["network", "collector"],
    values: {
      age: `max by (network, collector) (time() - ${metric("stacks_exporter_collector_last_success_timestamp_seconds", COLLECTOR)})`,
      every: `max by (network, collector) (${metric("stacks_exporter_collector_interval_seconds", COLLECTOR)})`,
      stretched: `max by (network, collector) (${metric("stacks_exporter_collector_stretch_ratio", COLLECTOR)})`,
      "clean audit": `max by (network, collector) (time() - ${metric("stacks_exporter_last_clean_audit_timestamp_seconds", COLLECTOR)})`,
      mismatches: `sum by (network, collector) (increase(${metric("stacks_exporter_audit_mismatches_total", COLLECTOR)}[$__range]))`,
      "last poll": `min by (network, collector) (${metric("stacks_exporter_collector_success", COLLECTOR)})`,
    },
    overrides: [
      { name: "collector", properties: { "custom.width": 165 } },
      { name: "stretched", properties: { unit: "none", decimals: 2 } },
      { name: "mismatches", properties: { unit: "none", "custom.width": 105 } },
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
    description: `Failed polls per minute, by collector and reason. timeout, network: the connection to the API.
      http_server: the API. bad_body: an unknown response. budget: the budget of the exporter.`,
    noValue: "No failed poll in this range",
    axis: "per minute",
    width: 24,
    queries: {
      "{{collector}} {{reason}}": perMinute(
        "collector, reason",
        metric("stacks_exporter_collector_failures_total", COLLECTOR),
        true,
      ),
    },
  }),
];

const upstream: readonly Panel[] = [
  rates({
    id: 31,
    title: "Requests by status code",
    description: `Requests per minute, by status code, or by reason when there was no response. A 304 (not modified)
      costs nearly nothing.`,
    queries: { "{{code}}": perMinute("code", metric("stacks_exporter_upstream_requests_total"), true) },
    overrides: [coloured("200", "green"), coloured("304", "blue"), coloured("429", "yellow"), coloured("503", "red")],
  }),
  rates({
    id: 32,
    title: "Requests by operation",
    description: "Requests per minute, by operation. Shows which operations use the budget.",
    queries: { "{{operation}}": perMinute("operation", metric("stacks_exporter_upstream_requests_total"), true) },
  }),
  lines({
    id: 35,
    title: "Budget per minute",
    description: `Remaining requests of the minute, excluding the tenth that is reserved for commands; planned
      requests of the schedules, without retries; and the limit. Early polls use the remaining requests. If the plan
      exceeds nine tenths of the limit, the configuration does not fit: see stacks-exporter check.`,
    decimals: 0,
    axis: "requests",
    queries: {
      "{{network}} remaining": `sum by (network) (${metric("stacks_exporter_budget_remaining_requests", { window: "minute" })})`,
      "{{network}} planned": `sum by (network) (${metric("stacks_exporter_budget_planned_requests", { window: "minute" })})`,
      "{{network}} limit": `sum by (network) (${metric("stacks_exporter_budget_limit_requests", { window: "minute" })})`,
    },
    overrides: [
      {
        regexp: ".* planned$",
        properties: { "custom.lineStyle": { fill: "dash", dash: [8, 6] }, "custom.lineWidth": 1 },
      },
      LIMIT,
    ],
  }),
  table({
    id: 37,
    title: "Budget per month, and pauses",
    description: `Requests of the last 31 days, or of those that Prometheus keeps (15 by default), the budget of a month
      (31 days), and pauses (429) in the time range.`,
    unit: "locale",
    decimals: 0,
    labels: ["network"],
    values: {
      used: `sum by (network) (increase(${metric("stacks_exporter_upstream_requests_total")}[31d]))`,
      planned: `sum by (network) (${metric("stacks_exporter_budget_planned_requests", { window: "month" })})`,
      limit: `sum by (network) (${metric("stacks_exporter_budget_limit_requests", { window: "month" })})`,
      pauses: inRange("network", metric("stacks_exporter_upstream_pauses_total")),
    },
  }),
  table({
    id: 38,
    title: "API changes",
    description: `By operation, in the time range: undeclared values, and failed requests. Each of them may break a
      collector: check for a new version of the exporter.`,
    decimals: 0,
    width: 24,
    height: 6,
    labels: ["operation"],
    values: {
      unexpected: `${inRange("operation", metric("stacks_exporter_unexpected_payload_total"))} or ${none}`,
      failed: `${inRange("operation", metric("stacks_exporter_upstream_requests_total", { code: "~[^23].*|30[^4]" }))} or ${none}`,
    },
    sortBy: "-unexpected",
    overrides: [{ name: "operation", properties: { "custom.width": 230 } }],
  }),
];

const itself: readonly Panel[] = [
  lines({
    id: 41,
    title: "Series",
    description: `Number of series. It grows with watched principals and assets. Near the limit, new assets and topics
      count as other.`,
    decimals: 0,
    log: true,
    queries: {
      total: `max(${metric("stacks_exporter_series")})`,
      limit: `min(${metric("stacks_exporter_series_limit")})`,
    },
    overrides: [coloured("total", "text"), reference("limit", "red")],
  }),
  lines({
    id: 42,
    title: "Memory",
    description: "Resident memory. A sawtooth is normal garbage collection; a steady increase is a leak.",
    unit: "bytes",
    width: 6,
    queries: {
      "{{instance}} resident": `max by (instance) (${ofProcess("process_resident_memory_bytes")})`,
    },
  }),
  lines({
    id: 43,
    title: "CPU",
    description: "Share of one CPU core. Scrapes and polls are late when it is near 100 %.",
    unit: "percentunit",
    width: 6,
    queries: {
      "{{instance}} CPU": `sum by (instance) (rate(${ofProcess("process_cpu_seconds_total")}[$__rate_interval]))`,
    },
  }),
  table({
    id: 44,
    title: "Versions",
    description: "Version and commit of the exporter, version of Node.js, and start time of the process.",
    width: 24,
    height: 6,
    unit: "none",
    only: [`max by (${TARGET}, version, revision, node_version) (${metric("stacks_exporter_build_info")})`],
    labels: { ...OF_EXPORTER, version: "version", revision: "commit", node_version: "Node.js" },
    values: { started: `max by (${TARGET}) (${ofProcess("process_start_time_seconds")}) * 1000` },
    overrides: [{ name: "started", properties: { unit: "dateTimeFromNow" } }],
  }),
  table({
    id: 45,
    title: "Configuration, state file, watch lists and web configuration",
    description: `Failed writes of the state file in the time range (their polls failed too), whether it is damaged, and
      the results of the last reloads of the configuration, the watch lists and the web configuration. Without such
      files, the columns are missing.`,
    decimals: 0,
    noValue: "No configuration file, state file, watch list file or web configuration",
    width: 24,
    height: 4,
    labels: OF_EXPORTER,
    values: {
      "failed writes": inRange(TARGET, metric("stacks_exporter_collector_failures_total", { reason: "state" })),
      "watch lists": `min by (${TARGET}) (${metric("stacks_exporter_watch_list_last_reload_successful")})`,
      "state file": `max by (${TARGET}) (${metric("stacks_exporter_state_damaged")})`,
      configuration: `min by (${TARGET}) (${metric("stacks_exporter_config_last_reload_successful")})`,
      "web configuration": `min by (${TARGET}) (${metric("stacks_exporter_web_config_last_reload_successful")})`,
    },
    overrides: [
      ...["configuration", "watch lists", "web configuration"].map((name) => ({
        name,
        properties: { mappings: [shown(1, "valid", "green", 0), shown(0, "refused", "red", 1)] },
      })),
      {
        name: "state file",
        properties: { mappings: [shown(0, "intact", "green", 0), shown(1, "damaged", "red", 1)] },
      },
    ],
  }),
];

/** The dashboard Exporter. */
export const exporter: Board = {
  uid: "stacks-exporter",
  title: "Stacks / Exporter",
  description:
    "Is the data of the other dashboards fresh and complete, how much of the budget is used, and has the API changed?",
  from: "now-3h",
  networks: "several",
  variables: [choiceOf("stacks_exporter_collector_interval_seconds", "collector", "Collector")],
  rows: [
    { panels: health },
    { id: 20, title: "Polls", panels: polls },
    { id: 30, title: "The API and the budget", collapsed: true, panels: upstream },
    { id: 50, title: "Upstreams", collapsed: true, panels: upstreams },
    { id: 40, title: "The process", collapsed: true, panels: itself },
  ],
};
