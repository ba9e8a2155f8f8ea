// Event rules: the conditions under which an event makes a sample (one operator each, on what is at a path), and the
// metric, value and labels of the sample.
import { createHash } from "node:crypto";
import type { Family } from "../../exposition/family.ts";
import type { ClarityValue } from "./clarity-value.ts";
import type { Found, Path } from "./path.ts";

/** The operator of a condition, as it is written. Numbers are whole. */
export type Operator = { readonly equals: string | number | boolean } | { readonly exists: boolean };

/** A condition of a rule. */
export interface Condition {
  readonly path: Path;
  readonly operator: Operator;
}

/** Whether an operator accepts what was found at its path. */
export const accepts = (operator: Operator, found: Found): boolean =>
  "exists" in operator ? isPresent(found) === operator.exists : isPresent(found) && isEqual(found, operator.equals);

const isPresent = (found: Found): found is ClarityValue => typeof found !== "string";

// A number equals numbers, and a word true or false: the string "1" is not 1. Text equals every value that is shown so.
function isEqual({ kind, text, number }: ClarityValue, wanted: string | number | boolean): boolean {
  if (typeof wanted === "boolean") return kind === "bool" && text === String(wanted);
  if (typeof wanted === "number") return number === BigInt(wanted);
  if (/^u\d+$/.test(wanted)) return text === (kind === "uint" ? wanted.slice(1) : wanted);
  // Clarity and people write the digits of bytes in either case.
  return text === (kind === "buffer" ? wanted.toLowerCase() : wanted);
}

/** A label of a rule. */
export interface RuleLabel {
  readonly name: string;
  /** Path of its values, or its only value. */
  readonly from: { readonly path: Path } | { readonly value: string };
  /** Values that always have their own series. */
  readonly allow: readonly string[];
  /** Maximum number of values with their own series; others become `other`. */
  readonly max: number;
}

/** A rule of a watched contract. */
export interface EventRule {
  /** Identifies what is counted. A changed fingerprint starts new counters. */
  readonly fingerprint: string;
  /** The same object for all rules of the metric. Its labels are those of the contract, and those of the rule. */
  readonly family: Family;
  readonly conditions: readonly Condition[];
  /** Path of the value that is added or set; undefined: 1 for each event. */
  readonly value: Path | undefined;
  /** In the order of the family. */
  readonly labels: readonly RuleLabel[];
}

/** The fingerprint of a rule, without help, `allow` and `max`, which change neither what is counted nor its unit. */
export function fingerprintOf({ family, conditions, value, labels }: Omit<EventRule, "fingerprint">): string {
  const parts = [
    family.kind,
    family.name,
    conditions.map(({ path, operator }) => [path.text, operator]),
    value?.text,
    labels.map(({ name, from }) => [name, "path" in from ? { path: from.path.text } : from]),
  ];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}
