// Alerts on the upstreams of a network: none can be used, or one of several cannot.
import type { Alert, Check } from "./model.ts";
import { onNetwork, series } from "./series.ts";
import { limitsOf } from "./values.ts";

const up = series("stacks_exporter_upstream_up");
const active = series("stacks_exporter_upstream_active");

/** Why polls fail. */
export const FAILED_POLLS: Check = [
  "Failed polls per hour, by collector and reason.",
  `3600 * rate(${series("stacks_exporter_collector_failures_total")}[1h]) > 0`,
];
const SEE = {
  up: ["Usable upstreams.", up],
  active: ["The active upstream.", `${active} == 1`],
  lag: ["Blocks behind the highest known tip.", series("stacks_exporter_upstream_lag_blocks")],
} as const satisfies Readonly<Record<string, Check>>;

const noneUp: Alert = {
  alert: "StacksNoUpstreamUp",
  severity: "critical",
  // StacksUpstreamDown covers a network of which every poll fails.
  expr: `max without (upstream) (${up}) == 0
unless ${onNetwork} ${series("stacks_up")} == 0`,
  summary: "No upstream of {{ $labels.network }} can be used",
  description: "Every upstream lags, or fails for some collectors.",
  runbook: {
    meaning: `Every upstream lags, fails for some collectors, is empty or follows another chain. Counters do not
      advance; nothing is counted twice. When no poll succeeds, StacksUpstreamDown fires instead.`,
    check: [FAILED_POLLS, SEE.up],
    actions: [
      "Read the cause for each upstream on the status page.",
      "`wrong_chain`: check the URL. `empty`, `behind`: wait until the API has caught up, or inform its operator.",
      "Add an upstream of another operator.",
    ],
  },
};

const oneDown: Alert = {
  alert: "StacksUpstreamUnavailable",
  severity: "warning",
  expr: `${up} == 0
and ${onNetwork} ${up} == 1`,
  summary: "The upstream {{ $labels.upstream }} of {{ $labels.network }} cannot be used",
  description: "Another upstream can be used: the exporter polls that one.",
  runbook: {
    meaning: `One of several upstreams has failed, lagged or followed another chain for ${limitsOf("StacksUpstreamUnavailable").for},
      while another one can be used. Fewer remain as a fallback.`,
    check: [SEE.active, SEE.lag],
    actions: [
      "Read the cause on the status page.",
      "`unauthorized`: renew its key. Otherwise inform its operator; it becomes active again when it is healthy.",
    ],
  },
};

/** Alerts on upstreams, part of the exporter's rules. */
export const upstreamAlerts: readonly Alert[] = [noneUp, oneDown];
