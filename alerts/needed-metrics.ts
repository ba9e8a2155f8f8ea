// The metrics of the exporter that an expression needs.
import { recordings } from "./index.ts";
import { familyOf, namesIn } from "./series.ts";

/** Names of the families whose series an expression reads, also by way of recording rules. */
export function metricsOf(expr: string, seen: Set<string> = new Set()): ReadonlySet<string> {
  for (const name of namesIn(expr)) {
    const recording = recordings.find(({ record }) => record === name);
    if (recording !== undefined) metricsOf(recording.expr, seen);
    const family = familyOf(name);
    if (family !== undefined) seen.add(family.name);
  }
  return seen;
}
