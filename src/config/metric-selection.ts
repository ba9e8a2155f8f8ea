// The names and patterns of `metrics`: each must match a metric, because a misspelt name has no effect.
import { matchesName } from "../exposition/selection.ts";
import { type ErrorList, suggestionFor } from "./errors.ts";
import { entriesOf, valueAt } from "./paths.ts";

/** Reports the names and patterns that match no metric. @param known the names of all metrics, only called if needed */
export function checkMetricNames(root: unknown, errors: ErrorList, known: () => readonly string[]): void {
  const written = (["allow", "deny"] as const).flatMap((list) =>
    entriesOf(valueAt(root, ["metrics", list])).flatMap((pattern, index) =>
      typeof pattern === "string" && pattern !== "*" ? [{ pattern, at: ["metrics", list, index] }] : [],
    ),
  );
  if (written.length === 0) return;
  const names = known();
  for (const { pattern, at } of written) {
    if (names.some((name) => matchesName(pattern, name))) continue;
    const meant = suggestionFor(pattern, names);
    const hint = meant === undefined ? "" : `; did you mean "${meant}"?`;
    errors.add(
      at,
      `expected the name of a metric or a pattern that matches one, found ${errors.describe(at, pattern)}${hint}`,
    );
  }
}
