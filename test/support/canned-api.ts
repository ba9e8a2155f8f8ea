// A StacksApi without sockets, with responses from a function. Responses are parsed like those of a server.
import { ApiError } from "../../src/api/errors.ts";
import type { ApiResponse, Drift, Operation, Parameters, StacksApi } from "../../src/api/operation.ts";
import { captured as responseOf } from "../simulator/captured.ts";

/** A response: a JSON value (200) with a validator, or the status of an error. */
export type Canned =
  | { readonly json: unknown; readonly etag?: string | undefined }
  | { readonly status: number; readonly isRouteMissing?: boolean };

export interface CannedApi extends StacksApi {
  /** Every request, as `operation /path?query`. */
  readonly requests: string[];
  readonly drift: string[];
  readonly retired: Set<string>;
}

/** A captured response. */
export function captured(name: string): {
  readonly status: number;
  readonly json: unknown;
  readonly etag: string | undefined;
} {
  const { status, headers, body } = responseOf(name);
  return { status, json: body === "" ? undefined : JSON.parse(body), etag: headers.get("etag") };
}

const urlOf = (operation: Operation, { path, query }: Parameters<string>): string => {
  const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    String((path as Record<string, unknown>)[name]),
  );
  const search = new URLSearchParams(
    Object.fromEntries(Object.entries(query ?? {}).map(([key, value]) => [key, String(value)])),
  ).toString();
  return search === "" ? filled : `${filled}?${search}`;
};

/** The validator of a response, as the server makes it: the id of the newest transaction of the list, or none. */
export function etagOf(body: unknown): string | undefined {
  const { results } = body as { readonly results?: readonly unknown[] };
  return /"tx_id":("[^"]+")/.exec(JSON.stringify(results?.[0] ?? {}))?.[1];
}

/** An event of a contract, and its height and its indexes in the block and in the transaction. */
interface Logged {
  readonly place: readonly [height: number, tx: number, event: number];
  readonly json: object;
}

/** A page of a contract's events (operation 4.4), newest first, from the first one at or below its cursor. */
export function logsPage(events: readonly Logged[], query: URLSearchParams, etag?: string): Canned {
  const limit = Number(query.get("limit"));
  const cursorOf = ({ place: [height, tx, event] }: Logged) => `${height}:2147483647:${tx}:${event}`;
  const at = (row: number) => events.slice(row, row + 1).map(cursorOf)[0] ?? null;
  const [height = 0, , tx = 0, event = 0] = (query.get("cursor") ?? `${2 ** 40}:0:0:0`).split(":").map(Number);
  const first = events.findIndex(({ place }) => (place[0] - height || place[1] - tx || place[2] - event) <= 0);
  if (first < 0 && query.has("cursor")) return { status: 404 };
  const cursors = {
    cursor: at(first),
    prev_cursor: at(first + limit),
    next_cursor: first < limit ? null : at(first - limit),
  };
  const results = first < 0 ? [] : events.slice(first, first + limit).map(({ json }) => json);
  return { json: { total: events.length, ...cursors, results }, etag };
}

const REASON_OF: Readonly<Record<number, "gone" | "not_found" | "rate_limited" | "too_large">> = {
  404: "not_found",
  410: "gone",
  413: "too_large",
  429: "rate_limited",
};

/** An API with the responses that `respond` returns; `now` is the time of the responses. */
export function cannedApi(
  respond: (url: string, operation: string) => Canned,
  now = () => 1_795_219_200_000,
): CannedApi {
  const requests: string[] = [];
  const drift: string[] = [];
  const retired = new Set<string>();
  const get = async <Body>(
    operation: Operation<string, Body>,
    parameters: Parameters<string>,
  ): Promise<ApiResponse<Body>> => {
    const url = urlOf(operation as Operation, parameters);
    requests.push(`${operation.name} ${url}`);
    const canned = respond(url, operation.name);
    if ("status" in canned) {
      throw new ApiError(REASON_OF[canned.status] ?? "http_server", operation.name, `status ${canned.status}`, {
        status: canned.status,
      });
    }
    const body = operation.body.parse(canned.json);
    return { body, receivedAt: now(), etag: canned.etag ?? etagOf(canned.json) };
  };
  return {
    requests,
    drift,
    retired,
    get: get as StacksApi["get"],
    getIfChanged: (async (operation: Operation, parameters: Parameters<string>, etag?: string) => {
      const response = await get(operation, parameters);
      return etag !== undefined && etag === response.etag ? undefined : response;
    }) as StacksApi["getIfChanged"],
    find: (async (operation: Operation, parameters: Parameters<string>) => {
      try {
        return await get(operation, parameters);
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return undefined;
        throw error;
      }
    }) as StacksApi["find"],
    room: () => Number.POSITIVE_INFINITY,
    checkUp: () => undefined,
    isRetired: ({ name }) => retired.has(name),
    noteDrift: ({ name }: Operation, field: string, kind: Drift) => drift.push(`${name} ${field} ${kind}`),
  };
}
