// From a request to a complete reply, in the order of the real server: route, switched off, schema, database,
// cache, operation. Pure: no sockets, no clock.
import type { MempoolStatistics } from "../chain/mempool-statistics.ts";
import type { View } from "../chain/records.ts";
import { matches } from "./etag.ts";
import { type Answer, DATABASE_DOWN, GONE, HttpError, noRoute } from "./http-error.ts";
import { route } from "./routes.ts";
import { SERVER_VERSION } from "./version.ts";

/** A reply with everything that goes over the wire; header names in lower case. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a reply depends on, besides the request. */
export interface Conditions {
  readonly chain: View;
  readonly statistics: () => MempoolStatistics;
  /** The database does not answer. */
  readonly isDown: boolean;
  /** Deprecated operations are switched off. */
  readonly isRetired: boolean;
}

/** A request as far as it matters. `target` is path and query. */
export interface Request {
  readonly method: string;
  readonly target: string;
  readonly ifNoneMatch: string | undefined;
}

const COMMON = { "access-control-allow-origin": "*", "access-control-expose-headers": "X-API-Version" };
const VERSION = { "x-api-version": SERVER_VERSION };
const NO_STORE = { "cache-control": "no-store" };
const REVALIDATE = { "cache-control": "public, no-cache, must-revalidate" };
const WARNING = { warning: '299 - "Deprecated: See https://docs.hiro.so/stacks/api for more information"' };

type Headers = Readonly<Record<string, string>>;

function complete(answer: Answer, headers: Headers): Reply {
  const all = { ...COMMON, ...headers, ...answer.headers };
  if (answer.json === undefined) {
    const length: Headers = answer.status === 304 ? {} : { "content-length": "0" };
    return { status: answer.status, headers: { ...all, ...length }, body: "" };
  }
  const body = JSON.stringify(answer.json);
  const length = String(Buffer.byteLength(body));
  const content = { "content-type": "application/json; charset=utf-8", "content-length": length };
  return { status: answer.status, headers: { ...all, ...content }, body };
}

function attempt<Result>(act: () => Result): Result | HttpError {
  try {
    return act();
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

/** Replies to a request. */
export function respond({ method, target, ifNoneMatch }: Request, conditions: Conditions): Reply {
  const { chain, isDown, isRetired } = conditions;
  const [pathname = "", search = ""] = target.split("?", 2);
  const match = method === "GET" || method === "HEAD" ? route(pathname) : undefined;
  if (match === undefined) return complete(noRoute(method, target), { ...VERSION, ...NO_STORE });

  const { operation, path } = match;
  const warning = operation.isDeprecated ? WARNING : {};
  if (operation.isDeprecated && isRetired) return complete(GONE, warning);
  const understood = attempt(() => operation.understand({ path, query: new URLSearchParams(search) }));
  if (understood instanceof HttpError) return complete(understood.answer, warning);

  const uncached = { ...VERSION, ...NO_STORE, ...warning };
  if (isDown && !operation.needsNoDatabase) return complete(DATABASE_DOWN, uncached);
  const tag = isDown ? undefined : understood.tag(chain);
  if (matches(ifNoneMatch, tag)) return complete({ status: 304 }, { ...VERSION, ...REVALIDATE, ...warning });
  const answered = attempt(() => understood.answer(conditions));
  const answer = answered instanceof HttpError ? answered.answer : answered;
  if (tag === undefined) return complete(answer, uncached);
  return complete(answer, { ...VERSION, ...REVALIDATE, etag: `"${tag}"`, ...warning });
}
