// The rules in the format of Prometheus.
import { declared } from "./index.ts";
import { type Alert, INTERVALS, oneLine, type Recording, type Subject } from "./model.ts";
import { runbookUrl } from "./runbook-page.ts";
import { type AlertName, filled, limitsOf, type Values } from "./values.ts";

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

const recordingRule = ({ record, expr }: Recording): PrometheusRule => ({ record, expr });

const boardUrl = (uid: string) =>
  `%(grafanaUrl)s/d/${uid}?var-job={{ urlquery $labels.job }}{{ with $labels.network }}&var-network={{ . }}{{ end }}`;

function alertRule(alert: Alert, { name, board }: Subject): PrometheusRule {
  const { for: time, keepFiringFor: keep }: { for: string; keepFiringFor?: string } = limitsOf(alert.alert);
  return {
    alert: alert.alert,
    expr: alert.expr,
    for: time,
    ...(keep === undefined ? {} : { keep_firing_for: keep }),
    labels: { severity: alert.severity },
    annotations: {
      summary: alert.summary,
      description: oneLine(alert.description + (alert.queried ?? "")),
      runbook_url: runbookUrl(alert, name, "%(runbookUrl)s"),
      dashboard_url: boardUrl(board),
    },
  };
}

/** All rules with tokens. Baselines have their own groups, because they are evaluated less often. */
export const ruleTemplate: readonly PrometheusGroup[] = [
  ...declared.flatMap(({ name, baselines, recordings }) => [
    { name: `stacks-${name}-baselines`, interval: INTERVALS.baselines, rules: baselines.map(recordingRule) },
    { name: `stacks-${name}-recordings`, interval: INTERVALS.rules, rules: recordings.map(recordingRule) },
  ]),
  ...declared.map((subject) => ({
    name: `stacks-${subject.name}`,
    interval: INTERVALS.rules,
    rules: subject.alerts.map((alert) => alertRule(alert, subject)),
  })),
].filter(({ rules }) => rules.length > 0);

const SELECTED = /\b(stacks[_:][a-z0-9_:]+|up\b)(\{?)/g;

/** Adds the token of the selector to every series of the rules. */
export const selected = (groups: readonly PrometheusGroup[]): PrometheusGroup[] =>
  groups.map((group) => ({
    ...group,
    rules: group.rules.map((rule) => ({
      ...rule,
      expr: rule.expr.replace(SELECTED, (_, name, open) => `${name}{%(selector)s${open === "" ? "}" : ", "}`),
    })),
  }));

/** The rules with values. */
export function rulesWith(values: Values, template: readonly PrometheusGroup[] = ruleTemplate): PrometheusGroup[] {
  return filled(selected(template), values)
    .map((group) => ({ ...group, rules: group.rules.flatMap((rule) => ruleWith(values, rule)) }))
    .filter(({ rules }) => rules.length > 0);
}

// The template prometheusrule.yaml of the Helm chart does the same.
function ruleWith({ disabled, additionalLabels, grafanaUrl }: Values, rule: PrometheusRule): PrometheusRule[] {
  if (rule.alert === undefined) return [rule];
  if (disabled[rule.alert as AlertName]) return [];
  const { dashboard_url = "", ...annotations } = rule.annotations ?? {};
  const links = grafanaUrl === "" ? annotations : { ...annotations, dashboard_url };
  return [{ ...rule, labels: { ...rule.labels, ...additionalLabels }, annotations: links }];
}
