// The names and patterns of `metrics`: each must match a metric, because a misspelt name has no effect.
import { matchesName } from "../exposition/selection.ts";
import { type Issue, issueAt, suggestionFor } from "./errors.ts";
import { entriesOf, valueAt } from "./paths.ts";

/** The names and patterns that match no metric. @param known the names of all metrics, only called if needed */
export function wrongMetricNames(root: unknown, known: () => readonly string[]): readonly Issue[] {
  let names: readonly string[] | undefined;
  return ["allow", "deny"].flatMap((list) =>
    entriesOf(valueAt(root, ["metrics", list])).flatMap((pattern, index) => {
      if (typeof pattern !== "string" || pattern === "*") return [];
      names ??= known();
      if (names.some((name) => matchesName(pattern, name))) return [];
      const meant = suggestionFor(pattern, names);
      const reason = meant === undefined ? {} : { reason: `did you mean "${meant}"?` };
      return [issueAt(["metrics", list, index], "the name of a metric or a pattern that matches one", reason)];
    }),
  );
}
