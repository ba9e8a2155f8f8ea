// Every rule as Prometheus reads it, for the tests.
import { alerts } from "../../alerts/index.ts";
import { type PrometheusGroup, type PrometheusRule, rulesWith } from "../../alerts/prometheus-rules.ts";
import { DEFAULTS } from "../../alerts/values.ts";

/** Recordings first, in the order in which they are evaluated. */
export const groups: readonly PrometheusGroup[] = rulesWith({ ...DEFAULTS, disabled: {} });

/** The rules of all groups. */
export const rules: readonly PrometheusRule[] = groups.flatMap(({ rules }) => rules);

/** The queries of the rules and of the runbooks, each with its place. */
export const queries: readonly { readonly at: string; readonly expr: string }[] = [
  ...rules.map(({ alert, record, expr }) => ({ at: alert ?? record ?? "", expr })),
  ...alerts.flatMap(({ alert, runbook }) =>
    runbook.check.map(([, expr], index) => ({ at: `${alert}, check ${index + 1}`, expr })),
  ),
];
