// The changes of the mutation test: every number, comparator, clause and duration of a rule, one at a time.
import type { PrometheusRule as Rule } from "../../alerts/prometheus-rules.ts";
import { mutationsOf, otherWaits } from "../support/mutants.ts";

/** One change of a rule. */
export interface Change {
  readonly kind: string;
  readonly what: string;
  readonly by: Partial<Rule>;
}

/** Name of an alert or of a recorded series. */
export const nameOf = ({ alert, record }: Rule): string => alert ?? record ?? "";

/** Every change of a rule. */
export function changesOf(rule: Rule): Change[] {
  const durations = (["for", "keep_firing_for"] as const).flatMap((field) =>
    rule[field] === undefined
      ? []
      : otherWaits(rule[field]).map((by) => ({
          kind: field,
          what: `${field}: ${rule[field]} → ${by}`,
          by: { [field]: by },
        })),
  );
  return [...mutationsOf(rule.expr).map(({ kind, what, text }) => ({ kind, what, by: { expr: text } })), ...durations];
}
