// From bytes to a body of the declared shape, or to words that say where it differs.
import type { ZodType } from "zod";
import type { $ZodIssue } from "zod/v4/core";
import type { Drift } from "./operation.ts";
import { shapePath, valuePath } from "./shape-path.ts";

/** A difference between an answer and the declared shape. */
export interface Difference {
  /** Bounded path, fit for a label. */
  readonly field: string;
  readonly kind: Drift;
}

/** The declared body, or why there is none. */
export type Decoded<Body> =
  | { readonly ok: true; readonly body: Body }
  | { readonly ok: false; readonly message: string; readonly differences: readonly Difference[] };

// A changed answer can differ in every row; what differs is said by the first few.
const MOST_DIFFERENCES = 20;

/** Parses JSON and checks it. The message names the first difference: "expected number at a.b, found string". */
export function decode<Body>(bytes: Buffer, shape: ZodType<Body>): Decoded<Body> {
  let raw: unknown;
  try {
    raw = JSON.parse(bytes.toString("utf8"));
  } catch {
    // The parser's own message quotes the text.
    return { ok: false, message: `body of ${bytes.byteLength} bytes is not JSON`, differences: [] };
  }
  const result = shape.safeParse(raw);
  if (result.success) return { ok: true, body: result.data };
  const issues = result.error.issues.map((issue) => deepest(issue, []));
  const differences = new Map<string, Difference>();
  for (const { issue, path } of issues) {
    const field = shapePath(shape, path) || "body";
    const kind = driftOf(issue, valueAt(raw, path));
    if (differences.size < MOST_DIFFERENCES) differences.set(`${field} ${kind}`, { field, kind });
  }
  const [first] = issues;
  const message = first === undefined ? "body is not of the declared shape" : describe(first, raw);
  return { ok: false, message, differences: [...differences.values()] };
}

interface Place {
  readonly issue: $ZodIssue;
  readonly path: readonly PropertyKey[];
}

// A union fails as a whole; the alternative that came furthest is the one that was meant.
function deepest(issue: $ZodIssue, above: readonly PropertyKey[]): Place {
  const here: Place = { issue, path: [...above, ...issue.path] };
  if (issue.code !== "invalid_union") return here;
  const inner = issue.errors.flatMap((errors) => errors.slice(0, 1)).map((error) => deepest(error, here.path));
  return inner.reduce((best, place) => (place.path.length > best.path.length ? place : best), here);
}

function describe({ issue, path }: Place, raw: unknown): string {
  const where = path.length === 0 ? "the top of the body" : valuePath(path);
  return `expected ${expected(issue)} at ${where}, found ${typeName(valueAt(raw, path))}`;
}

function expected(issue: $ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.expected;
    case "invalid_value":
      return issue.values.length > 8 ? "one of the known values" : issue.values.map(String).join(" or ");
    case "invalid_format":
      return `text of the form ${issue.format}`;
    case "too_small":
      return `${issue.origin} of at least ${issue.minimum}`;
    case "too_big":
      return `${issue.origin} of at most ${issue.maximum}`;
    case "invalid_union":
      return "one of the declared shapes";
    default:
      return "another value";
  }
}

function driftOf(issue: $ZodIssue, found: unknown): Drift {
  if (found === undefined) return "missing";
  if (found === null) return "null";
  return issue.code === "invalid_value" && typeof found === "string" ? "enum" : "type";
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    return Reflect.get(value, key);
  }, raw);
}

function typeName(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
