// Handles a response: what it means for its own request, and for all later requests to the server.
import { validatorOf } from "./cache.ts";
import type { ClientContext, Try } from "./context.ts";
import { decode } from "./decode.ts";
import { ApiError, type Reason } from "./errors.ts";
import type { ApiResponse } from "./operation.ts";
import { type Headers, httpDate, retryAfter } from "./rate-limits.ts";
import type { WireResponse } from "./transport.ts";

/** The outcome of one try. */
export type Outcome =
  | { readonly kind: "success"; readonly response: ApiResponse<unknown> }
  | { readonly kind: "redirect"; readonly to: URL }
  | Failure;

/** A failed try. */
export interface Failure {
  readonly kind: "failure";
  readonly error: ApiError;
  /**
   * `never`: the result would be the same. `backoff`: the fault may pass. `pause`: after the pause of the network.
   * `without_validator`: the server refused a conditional request; the same request without a validator may work.
   */
  readonly retry: "never" | "backoff" | "pause" | "without_validator";
  /** Delay that the server requests for this request, milliseconds. */
  readonly waitMs?: number | undefined;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const PASSING_STATUS: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** Handles the response to one try. */
export function handleResponse(context: ClientContext, request: Try, response: WireResponse): Outcome {
  const { clock, observer, retirement, redactor } = context;
  const { operation, validator, url, cached } = request;
  const { status, headers, body } = response;
  const now = clock.now();
  const servedAt = httpDate(headers.get("date") ?? "");

  if (status === 200) {
    const decoded = decode(body, operation.body, request.limit);
    if (!decoded.ok) {
      for (const one of decoded.drift) observer.onDrift?.({ operation: operation.name, ...one });
      return fail(new ApiError("bad_body", operation.name, redactor.mask(decoded.message), { status }));
    }
    const etag = validatorOf(headers);
    if (validator === "cache") context.cache.store(operation, url.href, etag, decoded.body, body.byteLength);
    noteSuccess(context, operation.name);
    return { kind: "success", response: { body: decoded.body, changed: true, receivedAt: now, servedAt, etag } };
  }
  if (status === 304) {
    if (cached === undefined) {
      return fail(new ApiError("bad_body", operation.name, "HTTP 304 to an unconditional request", { status }));
    }
    noteSuccess(context, operation.name);
    return { kind: "success", response: { body: cached.body, changed: false, receivedAt: now, servedAt } };
  }
  if (REDIRECTS.has(status)) return redirect(context, operation.name, url, response);
  if (status === 429) pauseNetwork(context, headers, now);
  if (status === 410 && retirement.absent(operation.name, "gone", now)) {
    observer.onRetired?.({ operation: operation.name, replacement: operation.replacement });
  }

  const reason = reasonOf(status);
  const { text, isApi, isRouteMissing } = parseErrorBody(headers, body);
  const isNotFound = status === 404 && isApi && !isRouteMissing;
  if (isNotFound) noteSuccess(context, operation.name);
  const isUnsupported = status === 404 && !isNotFound && operation.isOptional === true;
  if (isUnsupported) retirement.absent(operation.name, "unsupported", now);
  const detail = redactor.excerpt(text);
  const error = new ApiError(reason, operation.name, `HTTP ${status}${detail === "" ? "" : `: ${detail}`}`, {
    status,
    routeMissing: status === 404 && !isNotFound,
    isUnsupported,
    isShared: reason === "rate_limited",
  });
  // A front end may refuse the header field that carries the validator.
  if (cached !== undefined && reason === "http_client") return fail(error, "without_validator");
  if (reason === "rate_limited") return fail(error, "pause");
  if (!PASSING_STATUS.has(status)) return fail(error);
  return { ...fail(error, "backoff"), waitMs: retryAfter(headers, now) };
}

const fail = (error: ApiError, retry: Failure["retry"] = "never"): Failure => ({ kind: "failure", error, retry });

function noteSuccess({ retirement, rateLimits, budget }: ClientContext, operation: string): void {
  retirement.works(operation);
  // A request that was in flight when a pause began has no information about the time after it.
  if (budget.pausedUntil === undefined) rateLimits.succeeded();
}

function pauseNetwork({ rateLimits, budget, observer }: ClientContext, headers: Headers, now: number): void {
  const before = budget.pausedUntil;
  budget.pause(rateLimits.pauseAfter(headers, now, before !== undefined));
  const until = budget.pausedUntil;
  if (until !== undefined && until !== before) observer.onPause?.({ until });
}

function reasonOf(status: number): Reason {
  if (status === 404) return "not_found";
  if (status === 410) return "gone";
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403) return "unauthorized";
  if (status >= 500) return "http_server";
  if (status >= 400) return "http_client";
  return status >= 300 ? "redirect" : "bad_body";
}

// Only within the origin: another host is another API and must not receive the key.
function redirect(
  { redactor }: ClientContext,
  operation: string,
  url: URL,
  { status, headers }: WireResponse,
): Outcome {
  const location = headers.get("location");
  const to = location === undefined ? null : URL.parse(location, url.href);
  if (to?.origin === url.origin) return { kind: "redirect", to };
  const where =
    to === null ? "without a usable location" : `to another origin, ${redactor.excerpt(to.host || to.protocol)}`;
  return fail(new ApiError("redirect", operation, `HTTP ${status} ${where}`, { status }));
}

const LARGEST_ERROR_BODY = 65_536;

// The messages of the API server, and of the gateway in front of it.
const ROUTE_MISSING = /^(Route [A-Z]+:.* not found$|no Route matched)/is;

/**
 * Servers, gateways and proxies each have their own form of error responses. `text` is `message`, else `error`, of a
 * JSON object, as the API itself sends it (`isApi`), or a plain text; not masked. With `isRouteMissing`, the server
 * does not know the path, as opposed to the requested item.
 */
function parseErrorBody(headers: Headers, body: Buffer) {
  // A part of it could end within a secret, which could not be recognised then.
  if (body.byteLength > LARGEST_ERROR_BODY) return { text: "", isApi: false, isRouteMissing: false };
  const { message, error } = jsonObject(body);
  const text = [message, error].find((one) => typeof one === "string" && one !== "");
  if (typeof text === "string") return { text, isApi: true, isRouteMissing: ROUTE_MISSING.test(text) };
  const isPlain = /^text\/plain\b/i.test(headers.get("content-type") ?? "");
  return { text: isPlain ? body.toString("utf8") : "", isApi: false, isRouteMissing: false };
}

function jsonObject(body: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
