// The PromQL of a condition: for an alert, and for the evaluation of other limits.
import type { Condition, Limit } from "./model.ts";
import { onNetwork } from "./series.ts";

const compared = ({ value, is, limit }: Limit) => `${value} ${is} ${limit}`;

const gates = ({ and, unless }: Condition) => [
  ...and.map((gate) => `and ${onNetwork} ${compared(gate)}`),
  ...unless.map((gate) => `unless ${onNetwork} ${compared(gate)}`),
];

/** The expression of an alert. */
export const exprOf = (condition: Condition): string => [compared(condition), ...gates(condition)].join("\n");

/** The value at times when its gates hold, regardless of its limit. */
export const gatedValueOf = (condition: Condition): string => [condition.value, ...gates(condition)].join("\n");

/** The value at times when all values of the condition are known. */
export const knownValueOf = ({ value, and }: Condition): string =>
  [value, ...and.map((gate) => `and ${onNetwork} ${gate.value}`)].join("\n");
