// Decodes a body: parses JSON, and checks it against the schema of its operation.
import { type ZodType, z } from "zod";
import type { $ZodIssue } from "zod/v4/core";
import type { Drift } from "./operation.ts";

/** The decoded body, or why there is none. */
type Decoded<Body> =
  | { readonly ok: true; readonly body: Body }
  | {
      readonly ok: false;
      readonly message: string;
      /** Fields that differ from the schema, by paths of limited number, fit for a label. */
      readonly drift: readonly { readonly field: string; readonly kind: Drift }[];
    };

// A changed response can differ in every row; the first few are sufficient.
const MAX_ISSUES = 100;

// The longest body of a server has more than 250 bytes for each. Fewer bytes are a body that only takes time: `{},`.
const MAX_ITEMS = 65_536;
// Objects with more members are tables, as arrays are.
const MAX_MEMBERS = 1_000;

/**
 * Decodes a body. The message names the first difference: "a[].b: Invalid input: expected number, received string".
 * @param limit the number of rows that the request allows in `results`. A longer list is refused before it is
 * validated, because each of its rows would be a difference.
 */
export function decode<Body>(bytes: Buffer, schema: ZodType<Body>, limit = MAX_ITEMS): Decoded<Body> {
  let raw: unknown;
  try {
    raw = JSON.parse(bytes.toString("utf8"));
  } catch {
    // The parser's own message quotes the text.
    return { ok: false, message: `body of ${bytes.byteLength} bytes is not JSON`, drift: [] };
  }
  const rows = valueAt(raw, ["results"]);
  if (Array.isArray(rows) && rows.length > limit) {
    const message = `results: ${rows.length} items, ${limit} were requested`;
    return { ok: false, message, drift: [{ field: "results", kind: "type" }] };
  }
  if (hasTooManyItems(raw)) return { ok: false, message: `body has more than ${MAX_ITEMS} items`, drift: [] };
  const result = schema.safeParse(raw);
  if (result.success) return { ok: true, body: result.data };
  const issues = result.error.issues.slice(0, MAX_ISSUES).map((issue) => deepest(issue, []));
  const names = namesIn(schema);
  const drift = new Map<string, { field: string; kind: Drift }>();
  for (const { issue, path } of issues) {
    const field = fieldOf(names, path);
    const kind = driftOf(issue, valueAt(raw, path));
    drift.set(`${field} ${kind}`, { field, kind });
  }
  // Nothing of the text is quoted: names are those of the schema.
  const [first] = issues;
  const message = first && `${fieldOf(names, first.path)}: ${first.issue.message}`;
  return { ok: false, message: message ?? "body does not match the schema", drift: [...drift.values()] };
}

function hasTooManyItems(raw: unknown): boolean {
  const open = [raw];
  let items = 0;
  while (open.length > 0) {
    const value = open.pop() ?? {};
    const values = Object.values(value);
    if (Array.isArray(value) || values.length > MAX_MEMBERS) items += values.length;
    if (items > MAX_ITEMS) return true;
    open.push(...values.filter((value) => typeof value === "object"));
  }
  return false;
}

interface Located {
  readonly issue: $ZodIssue;
  readonly path: readonly PropertyKey[];
}

// A union fails as a whole; the alternative that failed at the deepest place is the intended one.
function deepest(issue: $ZodIssue, above: readonly PropertyKey[]): Located {
  const here: Located = { issue, path: [...above, ...issue.path] };
  if (issue.code !== "invalid_union") return here;
  const inner = issue.errors.flatMap((errors) => errors.slice(0, 1)).map((error) => deepest(error, here.path));
  return inner.reduce((best, one) => (one.path.length > best.path.length ? one : best), here);
}

/**
 * The dotted path of a field without what the response contributes: indexes become `[]`, and keys that the schema does
 * not name (those of records) become `*`. Examples: `results[].tx.fee_rate` and `tx_ages.*.p25`; `body` for the whole.
 */
function fieldOf(names: ReadonlySet<string>, path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === "number" ? "[]" : `.${names.has(String(key)) ? String(key) : "*"}`));
  return steps.join("").replace(/^\./, "") || "body";
}

// The names of all fields of a schema.
function namesIn(schema: ZodType): ReadonlySet<string> {
  const names = new Set<string>();
  JSON.stringify(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }), (key, value: unknown) => {
    if (key === "properties") for (const name of Object.keys(Object(value))) names.add(name);
    return value;
  });
  return names;
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
