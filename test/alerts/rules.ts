// Every rule as Prometheus reads it, for the tests.
import { subjects } from "../../alerts/index.ts";
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
