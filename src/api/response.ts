// What a response means: its decoded body or its error, its validator, and the times in its headers.
import { type ZodType, z } from "zod";
import type { $ZodIssue } from "zod/v4/core";
import { ApiError, type Reason } from "./errors.ts";
import type { Drift, Operation } from "./operation.ts";
import type { Redactor } from "./redact.ts";
import type { Headers, WireResponse } from "./transport.ts";

const LARGEST_ERROR_BODY = 65_536;
/** Delay of another try, if the response asks for none. */
export const BACKOFF_MS = 500;
// Those after which another try can help.
const PASSING_STATUS: readonly number[] = [500, 502, 503, 504];

// The API passes some operations on to its node; it responds so when it has none, or cannot reach it.
const NODE_MISSING = /^(FST_REPLY_FROM_|UND_ERR_|ECONNRESET)/;
// The messages of the API server, of its older versions, and of gateways in front of it.
const ROUTE_MISSING = /^((Route )?[A-Z]+[: ]\/.* not found$|not found$|no Route matched)/is;

const nonEmpty = z.string().min(1).optional().catch(undefined);
// Of the API, its node or a gateway. Anything else has none of these.
const errorBody = z.object({ code: nonEmpty, error: nonEmpty, message: nonEmpty }).catch({});

/**
 * The error of a response without a result. It quotes `message`, else `error`, of a JSON object, as the API sends it.
 */
export function errorOf(
  { name, isOptional = false }: Operation,
  { status, headers, body }: WireResponse,
  redactor: Redactor,
): ApiError {
  // A part of a long text could end within a secret, which could not be recognised then.
  const text = body.byteLength > LARGEST_ERROR_BODY ? "" : body.toString("utf8");
  const { code = "", error, message = error } = errorBody.parse(parsedJson(text));
  const quoted = redactor.excerpt(message ?? "");
  // The node responds with text while it has no tip.
  const isOfRoute = message === undefined ? !text.startsWith("No such chain tip") : ROUTE_MISSING.test(message);
  const routeMissing = status === 404 && isOfRoute;
  const isUnsupported = isOptional && (routeMissing || (status >= 500 && NODE_MISSING.test(code)));
  const reason = isUnsupported ? "not_found" : reasonOf(status);
  const detail = quoted === "" ? `HTTP ${status}` : `HTTP ${status}: ${quoted}`;
  const mayPass = !isUnsupported && (status === 429 || PASSING_STATUS.includes(status));
  const delay = status === 429 ? 0 : (retryAfter(headers) ?? BACKOFF_MS);
  return new ApiError(reason, name, detail, {
    ...{ status, routeMissing, isUnsupported },
    retryAfterMs: mayPass ? delay : undefined,
  });
}

function reasonOf(status: number): Reason {
  if (status === 404) return "not_found";
  if (status === 410) return "gone";
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "unauthorized";
  if (status >= 500) return "http_server";
  if (status >= 400) return "http_client";
  // Another host must not receive the key, and no API redirects within its host.
  return status >= 300 && status !== 304 ? "redirect" : "bad_body";
}

/** The value of a text in JSON; undefined when it is none. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// The characters that RFC 9110 allows, and at most 256: servers and proxies refuse requests with long headers.
const ETAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]{0,254}"$/;

/** The validator of a response that may be stored; undefined when it has none that can be sent. */
export function validatorOf(headers: Headers): string | undefined {
  const etag = headers.get("etag") ?? "";
  const mayStore = !/\bno-store\b/i.test(headers.get("cache-control") ?? "");
  return mayStore && ETAG.test(etag) ? etag : undefined;
}

const SHORTEST_WAIT_MS = 1_000;

/** Milliseconds to wait by `Retry-After`, in seconds or until a date; at least 1 s. Undefined when it is neither. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  // By the clock of the server.
  const untilDate = () =>
    / GMT$/.test(value) ? Date.parse(value) - Date.parse(headers.get("date") ?? "") : Number.NaN;
  const wait = /^\d+(\.\d+)?$/.test(value) ? Math.ceil(Number(value) * 1000) : untilDate();
  return Number.isNaN(wait) ? undefined : Math.max(SHORTEST_WAIT_MS, wait);
}

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
  // Parsed, lists in lists take forty times their bytes. The long bodies of a server have one in about 115 bytes.
  const nested = (count: number, byte: number) => (byte === 0x5b || byte === 0x7b ? count + 1 : count);
  if (bytes.length > 2 ** 20 && bytes.reduce(nested, 0) > 4 * MAX_ITEMS) throw fail("too many lists and objects");
  const raw = parsedJson(bytes.toString("utf8"));
  if (raw === undefined) throw fail(`body of ${bytes.byteLength} bytes is not JSON`);
  const { results: rows } = Object(raw) as { readonly results?: unknown };
  if (Array.isArray(rows) && rows.length > (limit ?? MAX_ITEMS)) {
    onDrift("results", "type");
    throw fail(`results: ${rows.length} items, ${limit ?? MAX_ITEMS} were requested`);
  }
  if (hasTooManyItems(raw)) throw fail(`body has more than ${MAX_ITEMS} items`);
  const result = schema.safeParse(raw, { reportInput: true });
  if (result.success) return result.data;
  const names = namesIn(schema);
  const issues = result.error.issues.slice(0, MAX_ISSUES);
  const kinds = issues.map((issue) => [fieldOf(names, issue.path), driftOf(issue)] as const);
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

function driftOf({ code, input }: $ZodIssue): Drift {
  if (input === undefined) return "missing";
  if (input === null) return "null";
  return code === "invalid_value" && typeof input === "string" ? "enum" : "type";
}
