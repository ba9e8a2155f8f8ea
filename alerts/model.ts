// The declaration of a rule. The generators make the files for Prometheus and Grafana, the runbooks and the table of
// alerts from it.
import type { Duration } from "./thresholds.ts";

/** Joins the lines of a text: declarations may break long texts. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ");

/**
 * A sentence with the value of a series of the alert's network, in STX: `{{ . }}` stands for it. Empty without a value.
 * @param selector of an exposed series, with matchers
 */
export const quoted = (selector: string, sentence: string): string => {
  const own = "network=%q, job=%q, instance=%q";
  const query = `${selector.replace("}", `, ${own}}`)} / 1e6`.replaceAll('"', '\\"');
  const value = '{{ printf "%.3g" (. | first | value) }}';
  const labels = "$labels.network $labels.job $labels.instance";
  return `{{ with query (printf "${query}" ${labels}) }}${sentence.replace("{{ . }}", value)}{{ end }}`;
};

/** Critical: act immediately. Warning: investigate today. Info: explains other alerts, or may be of interest. */
export type Severity = "critical" | "warning" | "info";

/** A recording rule, used by alerts and dashboards. */
export interface Recording {
  /** `stacks:subject:operation`. */
  readonly record: `stacks:${string}:${string}`;
  /** Meaning and unit of its value. */
  readonly about: string;
  readonly expr: string;
  /** Labels of the result in addition to `job` and `instance`. */
  readonly labels: readonly string[];
}

/** What a query shows, and the query. */
export type Check = readonly [shows: string, query: string];

/** The section of a runbook, of about a hundred words at most. */
export interface Runbook {
  /** What it means, and its impact. */
  readonly meaning: string;
  readonly check: readonly [Check, ...Check[]];
  /** Steps to take, in order. */
  readonly actions: readonly [string, ...string[]];
}

/** `for` and `keepFiringFor` of an alert. */
export const times = <Keep extends Duration>(limits: { readonly for: Duration; readonly keepFiringFor: Keep }) => ({
  for: limits.for,
  keepFiringFor: limits.keepFiringFor,
});

export interface Alert {
  readonly alert: `Stacks${string}`;
  readonly severity: Severity;
  readonly expr: string;
  readonly for: Duration;
  /** Time for which it keeps firing after the condition has ended: bridges gaps and flapping. */
  readonly keepFiringFor?: Duration;
  /** One line, with the labels that identify the instance. */
  readonly summary: string;
  /** The condition in words, with `{{ $value }}`. */
  readonly description: string;
  /**
   * Sentences with values of other series, made by `quoted`. Only Prometheus can query in a text: that of Grafana's
   * alerting has none.
   */
  readonly prices?: string;
  readonly runbook: Runbook;
  /**
   * Set when the alert is not loaded by default, with the reason: it needs your own limit, or is rarely of
   * interest.
   */
  readonly optional?: string;
}

/** Rules of one subject. */
export interface Subject {
  readonly name: string;
  readonly title: string;
  /** Evaluated every five minutes: baselines over days. */
  readonly baselines: readonly Recording[];
  /** Evaluated with the alerts. */
  readonly recordings: readonly Recording[];
  readonly alerts: readonly Alert[];
}

/**
 * Evaluation intervals. Rules are evaluated once per scrape, so that an alert fires without delay. Grafana accepts only
 * multiples of ten seconds.
 */
export const INTERVALS = { baselines: "5m", rules: "15s", grafana: "30s" } as const satisfies Record<string, Duration>;
