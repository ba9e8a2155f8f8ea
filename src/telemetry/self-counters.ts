// Families that count events of the exporter: polls, requests, refusals.
import { counter } from "../exposition/family.ts";
import { MISMATCHES } from "../ledger/audit.ts";

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

const network = "name of the network";
const operation = "name of the API operation";
/** Labels of a collector. */
export const POLL = { network, collector: "name of the collector" };
/** Labels of an upstream. */
export const UPSTREAM = { network, upstream: "name of the upstream; default for the only one" };
const OPERATION = { network, operation };

/** The families. */
export const counters = {
  runs: counter({
    name: "stacks_exporter_collector_runs_total",
    help: "Polls of the collector, by outcome.",
    labels: { ...POLL, outcome: { about: "outcome of the poll", values: Object.keys(OUTCOMES) } },
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
  retries: counter({
    name: "stacks_exporter_upstream_retries_total",
    help: "Retried requests, by the reason of the previous failure.",
    labels: { ...OPERATION, reason: "reason of the previous failure" },
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
