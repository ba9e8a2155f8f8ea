// What a rule is. From these come the files for Prometheus and Grafana, the runbooks and the table of alerts.
import type { Duration } from "./thresholds.ts";

/** Critical: somebody gets up. Warning: somebody looks today. Info: it explains, or may be of interest. */
export type Severity = "critical" | "warning" | "info";

/** A series that is computed ahead: once for all alerts and dashboards that need it. */
export interface Recording {
  /** `stacks:subject:operation`. */
  readonly record: `stacks:${string}:${string}`;
  /** What its value is, and its unit. */
  readonly about: string;
  readonly expr: string;
  /** Labels of the result beside `job` and `instance`. */
  readonly labels: readonly string[];
}

/** A query that helps to find the cause, and what it shows. */
export interface Diagnosis {
  readonly shows: string;
  readonly query: string;
}

/** The section of a runbook. */
export interface Runbook {
  readonly meaning: string;
  readonly impact: string;
  readonly diagnosis: readonly [Diagnosis, ...Diagnosis[]];
  /** What to do, in order. */
  readonly actions: readonly [string, ...string[]];
}

export interface Alert {
  readonly alert: `Stacks${string}`;
  readonly severity: Severity;
  readonly expr: string;
  readonly for: Duration;
  /** How long it goes on firing when the condition is gone: bridges gaps and wobbling. */
  readonly keepFiringFor?: Duration;
  /** One line, with the labels that tell which one. */
  readonly summary: string;
  /** What is the case, with `{{ $value }}` in words. */
  readonly description: string;
  readonly runbook: Runbook;
  /** Why it is not loaded unless somebody asks for it: it needs a number of one's own, or tells what not everybody wants to hear. */
  readonly optional?: string;
}

/** The rules of one subject. */
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
 * How often rules are evaluated: as often as is scraped, since each evaluation between a poll and a page is a delay. Grafana takes
 * multiples of ten seconds only.
 */
export const INTERVALS = { baselines: "5m", rules: "15s", grafana: "30s" } as const satisfies Record<string, Duration>;
