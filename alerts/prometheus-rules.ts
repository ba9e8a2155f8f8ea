// The rules in the format of Prometheus.
import { type Alert, INTERVALS, oneLine, type Recording, type Subject } from "./model.ts";
import { runbookUrl } from "./runbook-url.ts";

/** One rule of a group: a recording, or an alert. */
export interface PrometheusRule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly for?: string;
  readonly keep_firing_for?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A group of rules, as in a rule file. */
export interface PrometheusGroup {
  readonly name: string;
  readonly interval: string;
  readonly rules: readonly PrometheusRule[];
}

/** A recording rule in the format of Prometheus. */
function recordingRule({ record, expr }: Pick<Recording, "record" | "expr">): PrometheusRule {
  return { record, expr };
}

/** An alert in the format of Prometheus. */
function alertRule(alert: Alert, { name }: Pick<Subject, "name">, runbooks: string | undefined): PrometheusRule {
  return {
    alert: alert.alert,
    expr: alert.expr,
    for: alert.for,
    ...(alert.keepFiringFor === undefined ? {} : { keep_firing_for: alert.keepFiringFor }),
    labels: { severity: alert.severity },
    annotations: {
      summary: alert.summary,
      description: oneLine(alert.description + (alert.prices ?? "")),
      runbook_url: runbookUrl(alert, name, runbooks),
    },
  };
}

/** The groups of recording rules. Baselines have their own groups, because they are evaluated less often. */
export function recordingGroups(subjects: readonly Subject[]): PrometheusGroup[] {
  return subjects
    .flatMap(({ name, baselines, recordings }) => [
      { name: `stacks-${name}-baselines`, interval: INTERVALS.baselines, rules: baselines.map(recordingRule) },
      { name: `stacks-${name}-recordings`, interval: INTERVALS.rules, rules: recordings.map(recordingRule) },
    ])
    .filter(({ rules }) => rules.length > 0);
}

/** The groups of the default alerts, or of the optional ones. @param runbooks URL of the runbooks */
export function alertGroups(subjects: readonly Subject[], isOptional: boolean, runbooks?: string): PrometheusGroup[] {
  return subjects
    .map((subject) => ({
      name: `stacks-${subject.name}${isOptional ? "-optional" : ""}`,
      interval: INTERVALS.rules,
      rules: subject.alerts
        .filter(({ optional }) => (optional !== undefined) === isOptional)
        .map((alert) => alertRule(alert, subject, runbooks)),
    }))
    .filter(({ rules }) => rules.length > 0);
}
