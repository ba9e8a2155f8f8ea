// Every rule as Prometheus reads it, for the tests.
import { subjects } from "../../alerts/index.ts";
import { alertGroups, type PrometheusRule, recordingGroups } from "../../tools/generate/prometheus-rules.ts";

/** Recordings first, in the order in which they are evaluated. */
export const rules: readonly PrometheusRule[] = [
  ...recordingGroups(subjects),
  ...alertGroups(subjects, false),
  ...alertGroups(subjects, true),
].flatMap(({ rules }) => rules);
