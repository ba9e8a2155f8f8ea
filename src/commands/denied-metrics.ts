// Names the alerts and dashboards that lack a metric which the configuration does not expose.
import { alerts } from "../../alerts/index.ts";
import { metricsOf } from "../../alerts/needed-metrics.ts";
import type { Config } from "../config/config.ts";
import { isSelected } from "../exposition/selection.ts";
import { BOARDS_OF_METRICS } from "./boards-of-metrics.ts";

/** Warnings about metrics that are not exposed and that alerts or dashboards need, one sentence for each metric. */
export function deniedWarnings({ metrics }: Pick<Config, "metrics">): string[] {
  const isExposed = isSelected(metrics);
  const users = new Map<string, string[]>();
  const add = (name: string, user: string) => users.set(name, [...(users.get(name) ?? []), user]);
  for (const { alert, expr, optional } of alerts) {
    if (optional === undefined) for (const name of metricsOf(expr)) add(name, alert);
  }
  for (const [name, boards] of Object.entries(BOARDS_OF_METRICS)) add(name, `the dashboards ${boards}`);
  return [...users]
    .filter(([name]) => !isExposed(name))
    .map(([name, by]) => `metrics: ${name} is not exposed and is needed by ${by.join(", ")}`);
}
