// What a response means: its error, its validator, and the times in its headers.
import { ApiError, type Reason } from "./errors.ts";
import type { Operation } from "./operation.ts";
import type { Redactor } from "./redact.ts";
import type { Headers, WireResponse } from "./transport.ts";

const LARGEST_ERROR_BODY = 65_536;
const PASSING_STATUS: readonly number[] = [500, 502, 503, 504];

// The messages of the API server, and of the gateway in front of it.
// The API passes some operations on to its node; it responds so when it has none, or cannot reach it.
const NODE_MISSING = "FST_REPLY_FROM_INTERNAL_SERVER_ERROR";
const ROUTE_MISSING = /^(Route [A-Z]+:.* not found$|no Route matched)/is;

/**
 * The error of a response without a result. It quotes `message`, else `error`, of a JSON object, as the API sends it.
 * @param retryAfterMs delay of another try, if the response asks for none; it helps only after some kinds of errors
 */
export function errorOf(
  { name, isOptional = false }: Operation,
  { status, headers, body }: WireResponse,
  redactor: Redactor,
  retryAfterMs: number,
): ApiError {
  // A part of a long text could end within a secret, which could not be recognised then.
  const text = body.byteLength > LARGEST_ERROR_BODY ? "" : body.toString("utf8");
  const { message, error, code } = jsonObject(text);
  const ofApi = [message, error].find((one) => typeof one === "string" && one !== "");
  const quoted = redactor.excerpt(typeof ofApi === "string" ? ofApi : "");
  const routeMissing = status === 404 && (typeof ofApi !== "string" || ROUTE_MISSING.test(ofApi));
  const isUnsupported = isOptional && (routeMissing || (status === 500 && code === NODE_MISSING));
  const reason = isUnsupported ? "not_found" : reasonOf(status);
  const detail = quoted === "" ? `HTTP ${status}` : `HTTP ${status}: ${quoted}`;
  const mayPass = !isUnsupported && (status === 429 || PASSING_STATUS.includes(status));
  const delay = status === 429 ? 0 : (retryAfter(headers) ?? retryAfterMs);
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

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
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

/** Milliseconds to wait by `Retry-After` in seconds; at least 1 s. Undefined when the header has no such number. */
export function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim() ?? "";
  return /^\d+(\.\d+)?$/.test(value) ? Math.max(SHORTEST_WAIT_MS, Math.ceil(Number(value) * 1000)) : undefined;
}
