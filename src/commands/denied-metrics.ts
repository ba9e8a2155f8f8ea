// Names the alerts and boards that lack a metric which the configuration does not expose.
import { alerts, recordings } from "../../alerts/index.ts";
import { familyOf } from "../../alerts/series.ts";
import type { Config } from "../config/config.ts";
import { isSelected } from "../exposition/selection.ts";
import { BOARDS_OF_METRICS } from "./boards-of-metrics.ts";

/** Warnings about metrics that are not exposed and that alerts or boards need, one sentence for each metric. */
export function deniedWarnings({ metrics }: Pick<Config, "metrics">): string[] {
  const isExposed = isSelected(metrics);
  const users = new Map<string, string[]>();
  const add = (name: string, user: string) => users.set(name, [...(users.get(name) ?? []), user]);
  for (const { alert, expr, optional } of alerts) {
    if (optional === undefined) for (const name of metricsOf(expr)) add(name, alert);
  }
  for (const [name, boards] of Object.entries(BOARDS_OF_METRICS)) add(name, `the boards ${boards}`);
  return [...users]
    .filter(([name]) => !isExposed(name))
    .map(([name, by]) => `metrics: ${name} is not exposed and is needed by ${by.join(", ")}`);
}

/** The metrics that an expression needs, also by way of recording rules. */
function metricsOf(expr: string, seen = new Set<string>()): ReadonlySet<string> {
  for (const name of expr.match(/\bstacks[\w:]*/g) ?? []) {
    const recording = recordings.find(({ record }) => record === name);
    if (recording !== undefined) metricsOf(recording.expr, seen);
    const family = familyOf(name);
    if (family !== undefined) seen.add(family.name);
  }
  return seen;
}
