// The conditions of a rule: one operator each, on what is at a path.
import type { Found, Path, Scalar } from "./path.ts";

/** A value in the configuration: text, a whole number, true or false. */
export type Wanted = string | number | boolean;

/** The operator of a condition, as it is written. */
export type Operator = { readonly equals: Wanted } | { readonly exists: boolean };

/** A condition of a rule. */
export interface Condition {
  readonly path: Path;
  readonly operator: Operator;
  readonly test: (found: Found) => boolean;
}

/** A condition from its path and operator. */
export function conditionOf(path: Path, operator: Operator): Condition {
  return { path, operator, test: testOf(operator) };
}

function testOf(operator: Operator): Condition["test"] {
  if ("exists" in operator) return (found) => isPresent(found) === operator.exists;
  const test = equalTo(operator.equals);
  return (found) => isPresent(found) && test(found);
}

const isPresent = (found: Found): found is Scalar => typeof found !== "string";

// A number equals numbers, and a word true or false: the string "1" is not 1. Text equals every value that is shown so.
function equalTo(wanted: Wanted): (scalar: Scalar) => boolean {
  if (typeof wanted === "boolean") return ({ kind, text }) => kind === "bool" && text === String(wanted);
  if (typeof wanted === "number") {
    const number = BigInt(wanted);
    return (scalar) => scalar.number === number;
  }
  if (/^u\d+$/.test(wanted)) {
    const digits = wanted.slice(1);
    return ({ kind, text }) => text === (kind === "uint" ? digits : wanted);
  }
  // Clarity and people write the digits of bytes in either case.
  const lower = wanted.toLowerCase();
  return ({ kind, text }) => text === (kind === "buffer" ? lower : wanted);
}
