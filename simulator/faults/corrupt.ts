// Applies a fault to a correct response: it changes the response, how it is sent, or both.
import { digest } from "../chain/random.ts";
import type { Delivery } from "../http/deliver.ts";
import { DATABASE_DOWN, GONE, internal, type JsonResponse } from "../http/http-error.ts";
import { type HttpResponse, JSON_TYPE, unknownRoute, withBody } from "../http/respond.ts";
import type { BodyForm, Fault } from "./fault.ts";

type FaultOf<Kind extends Fault["kind"]> = Extract<Fault, { kind: Kind }>;

const TYPES: Readonly<Record<BodyForm, string>> = {
  json: JSON_TYPE,
  html: "text/html; charset=utf-8",
  text: "text/plain; charset=utf-8",
  empty: "text/plain",
};

function withJson({ status, json }: JsonResponse): HttpResponse {
  return withBody(status, TYPES.json, JSON.stringify(json));
}

function errorResponse(
  status: number,
  form: BodyForm,
  message: string,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  const bodies: Readonly<Record<BodyForm, string>> = {
    json: JSON.stringify({ statusCode: status, error: message, message }),
    html: `<html><head><title>${status}</title></head><body><h1>${message}</h1></body></html>`,
    text: message,
    empty: "",
  };
  return withBody(status, TYPES[form], bodies[form], headers);
}

function rateLimited(fault: FaultOf<"429">, now: number): HttpResponse {
  const { retryAfter, asDate = false, withHeaders = false, body = "text" } = fault;
  const seconds = retryAfter ?? 60;
  const date = new Date(now + seconds * 1000).toUTCString();
  const headers = {
    ...(retryAfter === undefined ? {} : { "retry-after": asDate ? date : String(retryAfter) }),
    ...(withHeaders
      ? { "ratelimit-limit": "50", "ratelimit-remaining": "0", "ratelimit-reset": String(Math.ceil(seconds)) }
      : {}),
  };
  return errorResponse(429, body, "Too Many Requests", headers);
}

function garbage({ headers, body }: HttpResponse, form: NonNullable<FaultOf<"garbage">["form"]>): HttpResponse {
  const { etag: _, ...rest } = headers;
  const bodies = {
    text: "this is not JSON",
    truncated: body.slice(0, Math.floor(body.length / 2)),
    html: "<html><body>It works!</body></html>",
    empty: "",
  };
  return withBody(200, form === "html" ? TYPES.html : TYPES.json, bodies[form], rest);
}

function redirect({ to, location }: FaultOf<"redirect">, target: string): HttpResponse {
  const other = to === "other-host" ? `http://elsewhere.invalid${target}` : target;
  return { status: 302, body: "", headers: { location: location ?? other, "content-length": "0" } };
}

function mapLeaves(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, leaf));
  if (value === null || typeof value !== "object") return leaf(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapLeaves(item, leaf)]));
}

function withoutFirstKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFirstKeys);
  if (value === null || typeof value !== "object") return value;
  const rest = Object.entries(value).slice(1);
  return Object.fromEntries(rest.map(([key, item]) => [key, withoutFirstKeys(item)]));
}

// An earlier fault may have replaced the JSON by something else, which counts as `{}`.
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return {};
  }
}

function reshape({ headers, body }: HttpResponse, form: NonNullable<FaultOf<"wrong-shape">["form"]>): HttpResponse {
  const { etag: _, ...rest } = headers;
  const json = parse(body);
  const shapes = {
    other: () => ({ hello: "world", items: [1, 2, 3] }),
    list: () => [json],
    nulls: () => mapLeaves(json, () => null),
    strings: () => mapLeaves(json, (leaf) => (typeof leaf === "number" ? String(leaf) : leaf)),
    missing: () => withoutFirstKeys(json),
  };
  return withBody(200, TYPES.json, JSON.stringify(shapes[form]()), rest);
}

type Row = Readonly<Record<string, unknown>>;

// A list with other rows. Entity tag and total stay.
function relist(response: HttpResponse, change: (rows: readonly Row[]) => readonly Row[]): HttpResponse {
  const json = parse(response.body) as { readonly results?: readonly Row[] };
  if (response.status !== 200 || json.results === undefined) return response;
  return withBody(200, TYPES.json, JSON.stringify({ ...json, results: change(json.results) }), response.headers);
}

// A value of a row, at any depth. In all lists, the hash of its block comes before any other.
const partOf = (row: Row | undefined, key: string) => new RegExp(`"${key}":"(0x\\w+)"`).exec(JSON.stringify(row))?.[1];

function invent(rows: readonly Row[], most: number): readonly Row[] {
  const blockOf = (row: Row | undefined) => partOf(row, "(?:block_)?hash") ?? partOf(row, "tx_id");
  const newest = rows.filter((row, at) => at === 0 || blockOf(row) !== blockOf(rows[at - 1])).slice(0, most);
  const made = (row: Row): Row =>
    JSON.parse(JSON.stringify(row), (key, value) => {
      if (key === "tx_id") return digest(value, "invented");
      return key === "tx_index" ? value + 1 : value;
    });
  return rows.flatMap((row) => (newest.includes(row) ? [made(row), row] : [row]));
}

const isLeftOut = (row: Row, every: number): boolean =>
  Number.parseInt(partOf(row, "tx_id")?.slice(-8) ?? "1", 16) % every === 0;

/** Applies one fault. `target` is path and query, `now` real time in Unix milliseconds. */
export function corrupt({ response, mode }: Delivery, fault: Fault, target: string, now: number): Delivery {
  switch (fault.kind) {
    case "status": {
      const message = `Simulated status ${fault.status}`;
      return { response: errorResponse(fault.status, fault.body ?? "json", message), mode };
    }
    case "429":
      return { response: rateLimited(fault, now), mode };
    case "500":
      if (fault.tx !== undefined && !response.body.includes(fault.tx)) return { response, mode };
      return { response: withJson(internal("Simulated failure").response), mode };
    case "503":
      return { response: withJson(DATABASE_DOWN), mode };
    case "410":
      return { response: withJson(GONE), mode };
    case "404":
      return { response: unknownRoute("GET", target), mode };
    case "redirect":
      return { response: redirect(fault, target), mode };
    case "garbage":
      return { response: garbage(response, fault.form ?? "text"), mode };
    case "wrong-shape":
      return { response: reshape(response, fault.form ?? "other"), mode };
    case "invent":
      return { response: relist(response, (rows) => invent(rows, fault.rows ?? 1)), mode };
    case "omit":
      return { response: relist(response, (rows) => rows.filter((row) => !isLeftOut(row, fault.every ?? 2))), mode };
    case "huge": {
      const { "content-length": _, etag: _tag, ...headers } = response.headers;
      const bytes = (fault.mebibytes ?? 32) * 2 ** 20;
      return { response: { ...response, status: 200, headers }, mode: { kind: "huge", bytes } };
    }
    case "slow-headers":
      return { response, mode: { kind: "late", seconds: fault.seconds } };
    case "slow-body": {
      const { seconds = 1, bytes = 16, stalls = false } = fault;
      return { response, mode: { kind: "drip", seconds, bytes, stalls } };
    }
    case "cut":
      return { response, mode: { kind: "cut", part: fault.part ?? 0.5 } };
    case "reset":
      return { response, mode: { kind: "reset" } };
    // Both change the state of the server, and thus the response itself.
    case "retired":
    case "db-down":
      return { response, mode };
  }
}
