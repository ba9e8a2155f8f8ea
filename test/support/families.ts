// The declared families by the names of their series, for tests that read queries.
import { familyOf } from "../../alerts/series.ts";

export { familyOf };

/** Labels of an exposed series besides those of the target; undefined when no family has it. */
export function labelsOf(metric: string): readonly string[] | undefined {
  return familyOf(metric)?.labelNames;
}
