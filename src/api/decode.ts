// Decodes a body: parses JSON, and checks it against the schema of its operation.
import { type ZodType, z } from "zod";
import type { $ZodIssue } from "zod/v4/core";
import { ApiError } from "./errors.ts";
import type { Drift, Operation } from "./operation.ts";

// A changed response can differ in every row; the first few are sufficient.
const MAX_ISSUES = 100;

// The longest body of a server has more than 250 bytes for each. Fewer bytes are a body that only takes time: `{},`.
const MAX_ITEMS = 65_536;
// Objects with more members are tables, as arrays are.
const MAX_MEMBERS = 1_000;

/**
 * Decodes a body. An error names the first difference: "a[].b: Invalid input: expected number, received string".
 * @param limit the number of rows that the request allows in `results`. A longer list is refused before it is
 * validated, because each of its rows would be a difference.
 * @param onDrift called for each field that differs from the schema, with a path of limited number, fit for a label
 * @throws ApiError `bad_body`, which quotes nothing of the body: names are those of the schema
 */
export function decode<Path extends string, Body>(
  { name, body: schema }: Operation<Path, Body>,
  bytes: Buffer,
  limit: number | undefined,
  onDrift: (field: string, kind: Drift) => void,
): Body {
  const fail = (message: string) => new ApiError("bad_body", name, message, { status: 200 });
  let raw: unknown;
  try {
    raw = JSON.parse(bytes.toString("utf8"));
  } catch {
    throw fail(`body of ${bytes.byteLength} bytes is not JSON`);
  }
  const rows = valueAt(raw, ["results"]);
  if (Array.isArray(rows) && rows.length > (limit ?? MAX_ITEMS)) {
    onDrift("results", "type");
    throw fail(`results: ${rows.length} items, ${limit ?? MAX_ITEMS} were requested`);
  }
  if (hasTooManyItems(raw)) throw fail(`body has more than ${MAX_ITEMS} items`);
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const names = namesIn(schema);
  const issues = result.error.issues.slice(0, MAX_ISSUES);
  const kinds = issues.map((issue) => [fieldOf(names, issue.path), driftOf(issue, valueAt(raw, issue.path))] as const);
  for (const [field, kind] of new Map(kinds.map((one) => [one.join(" "), one])).values()) onDrift(field, kind);
  throw fail(`${kinds[0]?.[0]}: ${issues[0]?.message}`);
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
