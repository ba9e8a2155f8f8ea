// The conditions of a rule: one operator each, on what is at a path.
import type { Found, Path, Scalar } from "./path.ts";

/** A value in the configuration: text, a whole number, true or false. */
export type Wanted = string | number | boolean;

/** The operator of a condition, as it is written. */
export type Operator =
  | { readonly equals: Wanted }
  | { readonly in: readonly Wanted[] }
  | { readonly exists: boolean }
  | { readonly range: { readonly min?: bigint | undefined; readonly max?: bigint | undefined } }
  | { readonly regex: string };

/** A condition of a rule. */
export interface Condition {
  readonly path: Path;
  readonly operator: Operator;
  readonly test: (found: Found) => boolean;
}

/** Compiles an expression that a whole text has to match. @throws RegexError */
export type CompileRegex = (expression: string) => (text: string) => boolean;

/** An expression that is not valid; the message says why. */
export class RegexError extends Error {
  override readonly name = "RegexError";
}

// The time to match a text is linear in its length, and a value can have a megabyte.
const LONGEST_MATCHED = 4096;

/** Loads the regular expressions of RE2, which take linear time. Those of JavaScript can take exponential time. */
export async function loadRegex(): Promise<CompileRegex> {
  const { RE2JS, RE2JSException } = await import("re2js");
  return (expression) => {
    try {
      const compiled = RE2JS.compile(expression);
      return (text) => text.length <= LONGEST_MATCHED && compiled.matches(text);
    } catch (error) {
      if (!(error instanceof RE2JSException)) throw error;
      throw new RegexError(error.message.replace(/^error parsing regexp: /, ""));
    }
  };
}

/** A condition from its path and operator. @param compile for `regex` */
export function conditionOf(path: Path, operator: Operator, compile: CompileRegex): Condition {
  return { path, operator, test: testOf(operator, compile) };
}

function testOf(operator: Operator, compile: CompileRegex): Condition["test"] {
  if ("exists" in operator) return (found) => isPresent(found) === operator.exists;
  const test = scalarTest(operator, compile);
  return (found) => isPresent(found) && test(found);
}

const isPresent = (found: Found): found is Scalar => typeof found !== "string";

function scalarTest(
  operator: Exclude<Operator, { readonly exists: boolean }>,
  compile: CompileRegex,
): (scalar: Scalar) => boolean {
  if ("equals" in operator) return equalTo(operator.equals);
  if ("in" in operator) {
    const tests = operator.in.map(equalTo);
    return (scalar) => tests.some((test) => test(scalar));
  }
  if ("range" in operator) {
    const { min, max } = operator.range;
    return ({ number }) =>
      number !== undefined && (min === undefined || number >= min) && (max === undefined || number <= max);
  }
  const matches = compile(operator.regex);
  return ({ text }) => text !== undefined && matches(text);
}

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
