// Alerts on the upstreams of a network: none can be used, one of several cannot, or they disagree.
import type { Alert } from "./model.ts";
import { onNetwork, series } from "./series.ts";
import { UPSTREAMS } from "./thresholds.ts";

const up = series("stacks_exporter_upstream_up");
const active = series("stacks_exporter_upstream_active");

const SEE = {
  up: { shows: "Usable upstreams.", query: up },
  active: { shows: "The active upstream.", query: `${active} == 1` },
  lag: { shows: "Blocks behind the highest known tip.", query: series("stacks_exporter_upstream_lag_blocks") },
  failures: {
    shows: "Failed polls per hour, by collector and reason.",
    query: `3600 * rate(${series("stacks_exporter_collector_failures_total")}[1h]) > 0`,
  },
  switches: { shows: "Switches to and from each upstream in the last day.", query: `changes(${active}[1d])` },
} as const;

const noneUp: Alert = {
  alert: "StacksNoUpstreamUp",
  severity: "critical",
  // StacksUpstreamDown covers a network of which every poll fails.
  expr: `max without (upstream) (${up}) == 0
unless ${onNetwork} ${series("stacks_up")} == 0`,
  for: UPSTREAMS.noneUp.for,
  keepFiringFor: UPSTREAMS.noneUp.keepFiringFor,
  summary: "No upstream of {{ $labels.network }} can be used",
  description: "Every upstream fails or lags, although polls of the active one succeed.",
  runbook: {
    meaning: `Every upstream lags behind the known tip, fails for some collectors, does not respond, is empty or follows
      another chain. When no poll succeeds, StacksUpstreamDown fires instead.`,
    impact: "Counters do not advance, and gauges disappear at their maximum age. Nothing is counted twice.",
    diagnosis: [SEE.failures, SEE.up, SEE.lag],
    actions: [
      "Read the status page: it shows the cause for each upstream.",
      `\`wrong_chain\`: check the URL. If the chain was replaced on purpose, use another \`name\` for the network,
        start once with \`--reset-state\`, or set \`on_new_chain: reset\`.`,
      "`empty`: the API has no block; wait until its database is filled, or restore it.",
      "`behind`: the API lags; inform its operator, or wait until it has caught up.",
      "Add an upstream of another operator to `upstreams`.",
    ],
  },
};

const oneDown: Alert = {
  alert: "StacksUpstreamUnavailable",
  severity: "warning",
  expr: `${up} == 0
and ${onNetwork} ${up} == 1`,
  for: UPSTREAMS.oneDown.for,
  keepFiringFor: UPSTREAMS.oneDown.keepFiringFor,
  summary: "The upstream {{ $labels.upstream }} of {{ $labels.network }} cannot be used",
  description: "The exporter polls another upstream, or no other upstream could take over.",
  runbook: {
    meaning: `One of several upstreams has failed, lagged or followed another chain for ${UPSTREAMS.oneDown.for}, while
      another one can be used.`,
    impact: "The exporter polls the active upstream within its budget. Fewer upstreams remain as a fallback.",
    diagnosis: [SEE.active, SEE.lag, SEE.switches],
    actions: [
      "Read the status page: it shows the cause.",
      "`unauthorized`: renew the key of this upstream.",
      `\`behind\`, \`http_server\`, \`network\`, \`timeout\`: inform its operator. It becomes active again
        automatically after it has been healthy for \`failover.return_after\`.`,
    ],
  },
};

const disagreements = `sum without (upstream) (increase(${series("stacks_exporter_upstream_disagreements_total")}[${UPSTREAMS.disagreement.window}]))`;
const disagreement: Alert = {
  alert: "StacksUpstreamsDisagree",
  severity: "critical",
  expr: `${disagreements} > 0`,
  for: UPSTREAMS.disagreement.for,
  summary: "Two upstreams of {{ $labels.network }} disagree on a settled block",
  description: "They report different blocks at the same height, below the confirmations.",
  runbook: {
    meaning: `Once an hour the exporter compares the block at a settled height on all upstreams. At least one upstream
      reported another hash than the active upstream: one of them follows a fork, or returns wrong data.`,
    impact: "Counters are correct only if the active upstream is. A failover would mix two histories.",
    diagnosis: [
      {
        shows: "Disagreements with the active upstream in the last day, by upstream.",
        query: `increase(${series("stacks_exporter_upstream_disagreements_total")}[1d]) > 0`,
      },
      SEE.active,
    ],
    actions: [
      "Read the log: it shows the height and both hashes.",
      "Compare with a third API, such as a block explorer.",
      "Remove the wrong upstream from the configuration, and inform its operator.",
    ],
  },
};

/** Alerts on upstreams, part of the exporter's rules. */
export const upstreamAlerts: readonly Alert[] = [noneUp, oneDown, disagreement];
