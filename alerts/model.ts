// The declaration of a rule. The generators make the files for Prometheus and Grafana, the runbooks and the table of
// alerts from it.
import type { Duration } from "./thresholds.ts";
import type { AlertName } from "./values.ts";

/** Joins the lines of a text: declarations may break long texts. */
export const oneLine = (text: string): string => text.replace(/\s+/g, " ");

/** Critical: act immediately. Warning: investigate today. Info: explains other alerts, or may be of interest. */
export type Severity = "critical" | "warning" | "info";

/** A recording rule, used by alerts and dashboards. */
export interface Recording {
  /** `stacks:subject:operation`. */
  readonly record: `stacks:${string}:${string}`;
  /** Meaning and unit of its value. */
  readonly about: string;
  readonly expr: string;
  /** Labels of the result in addition to those of the target. */
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

export interface Alert {
  /** Its times are in LIMITS. */
  readonly alert: AlertName;
  readonly severity: Severity;
  readonly expr: string;
  /** One line, with the labels that identify the instance. */
  readonly summary: string;
  /** The condition in words, with `{{ $value }}`. */
  readonly description: string;
  /**
   * Sentences with values of other series, made by `quoted` or `withReason`. Only Prometheus can query in a text: that
   * of Grafana's alerting has none.
   */
  readonly queried?: string;
  readonly runbook: Runbook;
}

/** Rules of one subject. */
export interface Subject {
  readonly name: string;
  /** The uid of the dashboard that shows it. */
  readonly board: string;
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
