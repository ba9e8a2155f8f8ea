// From a request to a complete response, in the order of the real server: route, switched off, schema, database,
// cache, operation. Pure: no sockets, no clock.
import { matches } from "./etag.ts";
import { DATABASE_DOWN, GONE, HttpError, type JsonResponse, noRoute } from "./http-error.ts";
import type { ServerState } from "./operation.ts";
import { SERVER_VERSION } from "./operations/status.ts";
import { route } from "./routes.ts";

type Headers = Readonly<Record<string, string>>;

/** A complete response; header names in lower case. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** A request. `target` is path and query. */
export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly ifNoneMatch: string | undefined;
}

const COMMON = { "access-control-allow-origin": "*", "access-control-expose-headers": "X-API-Version" };
const VERSION = { "x-api-version": SERVER_VERSION };
const NO_STORE = { ...VERSION, "cache-control": "no-store" };
const REVALIDATE = { ...VERSION, "cache-control": "public, no-cache, must-revalidate" };
const WARNING = { warning: '299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"' };

/** A body with its type and length. */
export function withBody(status: number, type: string, body: string, headers: Headers = {}): HttpResponse {
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...headers, "content-type": type, "content-length": length }, body };
}

export const JSON_TYPE = "application/json; charset=utf-8";

function complete({ status, json, headers }: JsonResponse, more: Headers): HttpResponse {
  const all = { ...COMMON, ...more, ...headers };
  if (json !== undefined) return withBody(status, JSON_TYPE, JSON.stringify(json), all);
  return { status, headers: status === 304 ? all : { ...all, "content-length": "0" }, body: "" };
}

/** The 404 of a route that the server does not have. */
export function unknownRoute(method: string, target: string): HttpResponse {
  return complete(noRoute(method, target), NO_STORE);
}

/** Responds to a request. `isRetired`: deprecated operations are switched off. */
export function respond(
  { method, target, ifNoneMatch }: HttpRequest,
  state: ServerState & { readonly isRetired: boolean },
): HttpResponse {
  const [pathname = "", search = ""] = target.split("?", 2);
  const match = method === "GET" || method === "HEAD" ? route(pathname) : undefined;
  if (match === undefined) return unknownRoute(method, target);

  const { operation, path } = match;
  const warning = operation.isDeprecated ? WARNING : {};
  let headers: Headers = warning;
  try {
    if (operation.isDeprecated && state.isRetired) return complete(GONE, headers);
    const parsed = operation.parse({ path, query: new URLSearchParams(search) });
    headers = { ...NO_STORE, ...warning };
    if (state.isDown && !operation.needsNoDatabase) return complete(DATABASE_DOWN, headers);
    const tag = state.isDown ? undefined : parsed.tag(state.chain);
    if (matches(ifNoneMatch, tag)) return complete({ status: 304 }, { ...REVALIDATE, ...warning });
    if (tag !== undefined) headers = { ...REVALIDATE, etag: `"${tag}"`, ...warning };
    return complete(parsed.respond(state), headers);
  } catch (error) {
    if (error instanceof HttpError) return complete(error.response, headers);
    throw error;
  }
}
