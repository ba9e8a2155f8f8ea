// The upstreams of a network: none can be used, one of several cannot, or they disagree.
import type { Alert } from "./model.ts";
import { onNetwork, series } from "./series.ts";
import { UPSTREAMS } from "./thresholds.ts";

const up = series("stacks_exporter_upstream_up");
const active = series("stacks_exporter_upstream_active");

const SEE = {
  up: { shows: "Which upstreams can be used.", query: up },
  active: { shows: "Which upstream is polled.", query: `${active} == 1` },
  lag: { shows: "Blocks behind the highest known tip.", query: series("stacks_exporter_upstream_lag_blocks") },
  failures: {
    shows: "Failed polls an hour, by collector and reason.",
    query: `3600 * rate(${series("stacks_exporter_collector_failures_total")}[1h]) > 0`,
  },
  switches: {
    shows: "How often each upstream took over in a day.",
    query: `increase(${series("stacks_exporter_upstream_switches_total")}[1d])`,
  },
} as const;

const noneUp: Alert = {
  alert: "StacksNoUpstreamUp",
  severity: "critical",
  // A network that gets no answers is an alert of its own.
  expr: `max without (upstream) (${up}) == 0
unless ${onNetwork} ${series("stacks_up")} == 0`,
  for: UPSTREAMS.noneUp.for,
  keepFiringFor: UPSTREAMS.noneUp.keepFiringFor,
  summary: "No upstream of {{ $labels.network }} can be used",
  description: "Every upstream fails or lags, although polls of the active one succeed.",
  runbook: {
    meaning:
      "Every upstream lags behind the known tip, or fails for some collectors; the others do not answer, are empty or follow another chain. When no poll succeeds, StacksUpstreamDown fires instead.",
    impact: "Counters stand still, and gauges disappear at their maximum age. Nothing is counted twice.",
    diagnosis: [SEE.failures, SEE.up, SEE.lag],
    actions: [
      "Read the status page: it names the cause of each upstream.",
      "`wrong_chain`: check the URL. If the chain is a new one on purpose, use another `name` for the network, start once with `--reset-state`, or set `on_new_chain: reset`.",
      "`empty`: the API has no block yet; wait for its database to be filled, or restore it.",
      "`behind`: the API lags; ask its operator, or wait until it has caught up.",
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
  description: "Another upstream is polled in its place, or it could not take over.",
  runbook: {
    meaning: `One of several upstreams has failed, lagged or followed another chain for ${UPSTREAMS.oneDown.for}, while another one can be used.`,
    impact: "The network is polled, within the budget of the active upstream. There is less to fall back on.",
    diagnosis: [SEE.active, SEE.lag, SEE.switches],
    actions: [
      "Read the status page: it names the cause.",
      "`unauthorized`: renew the key of this upstream.",
      "`behind`, `http_server`, `network`, `timeout`: ask its operator. It becomes active again by itself when it has been healthy for `failover.return_after`.",
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
  description: "At the same height, below the confirmations, they have different blocks.",
  runbook: {
    meaning:
      "Once an hour the exporter compares the block at a settled height on all upstreams. At least one gave another hash than the active upstream: one of them follows a fork, or its answers are wrong.",
    impact: "What is counted is right only if the active upstream is. A failover would mix two histories.",
    diagnosis: [
      {
        shows: "Which upstream had another block than the active one, in a day.",
        query: `increase(${series("stacks_exporter_upstream_disagreements_total")}[1d]) > 0`,
      },
      SEE.active,
    ],
    actions: [
      "Read the log: it names the height and both hashes.",
      "Compare with a third API, such as a block explorer.",
      "Remove the wrong upstream from the configuration, and tell its operator.",
    ],
  },
};

/** The alerts about upstreams, part of the exporter's. */
export const upstreamAlerts: readonly Alert[] = [noneUp, oneDown, disagreement];
