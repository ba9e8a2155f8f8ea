// Every rule as Prometheus reads it, for the tests.
import { alerts, subjects } from "../../alerts/index.ts";
import {
  alertGroups,
  type PrometheusGroup,
  type PrometheusRule,
  recordingGroups,
} from "../../alerts/prometheus-rules.ts";

/** Recordings first, in the order in which they are evaluated. */
export const groups: readonly PrometheusGroup[] = [
  ...recordingGroups(subjects),
  ...alertGroups(subjects, false),
  ...alertGroups(subjects, true),
];

/** The rules of all groups. */
export const rules: readonly PrometheusRule[] = groups.flatMap(({ rules }) => rules);

/** The queries of the rules and of the runbooks, each with its place. */
export const queries: readonly { readonly at: string; readonly expr: string }[] = [
  ...rules.map(({ alert, record, expr }) => ({ at: alert ?? record ?? "", expr })),
  ...alerts.flatMap(({ alert, runbook }) =>
    runbook.check.map(([, expr], index) => ({ at: `${alert}, check ${index + 1}`, expr })),
  ),
];
