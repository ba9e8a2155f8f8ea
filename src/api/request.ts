// Sends one request of a poll, with its retries and redirects. Every try takes its own request from the budget.
import { type Cached, isUsableEtag } from "./cache.ts";
import { isTimeout, withTimeout } from "./clock.ts";
import type { ApiRequest, ClientContext, Try } from "./context.ts";
import { ApiError, type Reason } from "./errors.ts";
import type { ApiResponse, Operation, Parameters } from "./operation.ts";
import { Refusal } from "./queue.ts";
import { type Failure, handleResponse, type Outcome } from "./response.ts";

const MAX_REDIRECTS = 3;
/** Upper bound of the first backoff; doubles with each retry. */
const FIRST_BACKOFF_MS = 500;

/** The reasons that the circuit breaker counts. */
const SERVER_FAULTS: ReadonlySet<Reason> = new Set<Reason>(["network", "timeout", "http_server", "unauthorized"]);

/**
 * Sends the request until there is a valid response, no retry can help, or the deadline is near.
 * @throws ApiError for every failure; the abort reason when the request was cancelled.
 */
export async function sendRequest(context: ClientContext, request: ApiRequest): Promise<ApiResponse<unknown>> {
  const { name } = request.operation;
  if (context.retirement.isRetired(name, context.clock.now())) {
    throw notOffered(context, name, "retired by the server (410), tried again within the hour");
  }
  const absences = context.retirement.timesOf(name);
  let { url } = request;
  let isConditional = true;
  let redirects = 0;
  let failures = 0;
  for (;;) {
    const cached = isConditional ? cachedFor(context, request, url) : undefined;
    const outcome = await tryRequest(context, { ...request, url, cached, absences });
    if (outcome.kind === "success") return outcome.response;
    if (outcome.kind === "redirect") {
      redirects += 1;
      if (redirects > MAX_REDIRECTS) throw new ApiError("redirect", name, `more than ${MAX_REDIRECTS} redirects`);
      url = outcome.to;
      continue;
    }
    let delayMs = 0;
    if (outcome.retry === "without_validator") {
      isConditional = false;
    } else {
      failures += 1;
      delayMs = retryDelay(context, request, outcome, failures);
    }
    context.observer.onRetry?.({ operation: name, reason: outcome.error.reason });
    if (delayMs > 0) await waitForRetry(context, request, outcome.error, delayMs);
  }
}

function notOffered({ retirement }: ClientContext, operation: string, detail: string): ApiError {
  if (retirement.absenceOf(operation) !== "unsupported")
    return new ApiError("gone", operation, detail, { status: 410 });
  const options = { status: 404, routeMissing: true, isUnsupported: true };
  return new ApiError("not_found", operation, "the server lacks it (404), tried again within the hour", options);
}

/** Milliseconds until the next try. @throws the error of the failure when there is none before the deadline. */
function retryDelay(context: ClientContext, { deadline }: ApiRequest, failure: Failure, failures: number): number {
  const { clock, budget, random, retries } = context;
  if (failure.retry === "never" || failures > retries) throw failure.error;
  const isPause = failure.retry === "pause";
  // The budget makes the request wait for the end of a pause.
  const delayMs = isPause ? 0 : (failure.waitMs ?? Math.round(random() * FIRST_BACKOFF_MS * 2 ** (failures - 1)));
  const readyAt = isPause ? (budget.pausedUntil ?? 0) : 0;
  if (Math.max(clock.now() + delayMs, readyAt) >= deadline) throw failure.error;
  return delayMs;
}

async function waitForRetry(
  { clock }: ClientContext,
  { signal, operation }: ApiRequest,
  error: ApiError,
  delayMs: number,
): Promise<void> {
  try {
    await clock.sleep(delayMs, signal);
  } catch (reason) {
    if (!isTimeout(reason)) throw reason;
    const options = { status: error.status, cause: error };
    throw new ApiError("timeout", operation.name, "the deadline passed before another try", options);
  }
}

/**
 * Sends the request once, when the budget admits it. What the response means for other requests (a pause, a
 * retirement, an outage) takes effect before the budget admits the next one.
 * @throws ApiError when the request is refused; the abort reason when it was cancelled.
 */
async function tryRequest(context: ClientContext, request: Try): Promise<Outcome> {
  const { name } = request.operation;
  // Results of other requests while this one waits for the budget.
  const refusal = () =>
    context.retirement.timesOf(name) > request.absences
      ? notOffered(context, name, "another request has just received HTTP 410")
      : context.circuit.refusal(name);
  try {
    return await context.queue.run({ ...request, refusal }, () => exchange(context, request));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new ApiError(error.reason, name, error.message, { isShared: error.reason === "rate_limited" });
  }
}

// Sends the request and handles its response. Notifies the observer and the circuit breaker.
async function exchange(context: ClientContext, request: Try): Promise<Outcome> {
  const { circuit, clock, transport, observer, redactor } = context;
  const { operation, collector, signal, url, cached } = request;
  const startedAt = clock.elapsed();
  const headers = { ...context.headers(), ...(cached && { "if-none-match": cached.etag }) };
  circuit.begin(operation.name);
  // Never rejects.
  const received = await withTimeout(clock, context.tryTimeoutMs, signal, (limited) =>
    transport.get(url, headers, limited, operation.maxBodyBytes),
  );
  const isResponse = "status" in received;
  // Cancelled: there is no outcome to record.
  if (!isResponse && signal.aborted && !isTimeout(signal.reason)) throw signal.reason;
  const tookMs = clock.elapsed() - startedAt;
  observer.onRequest?.({
    operation: operation.name,
    collector,
    bytes: received.wireBytes,
    code: isResponse ? String(received.status) : received.reason,
    durationSeconds: tookMs / 1000,
  });
  let outcome: Outcome;
  if (isResponse) {
    outcome = handleResponse(context, request, received);
  } else {
    const { reason, message } = received;
    const detail = signal.aborted ? "no complete response before the deadline" : redactor.mask(message);
    const error = new ApiError(reason, operation.name, detail);
    const isPassing = (reason === "timeout" || reason === "network") && !signal.aborted;
    outcome = { kind: "failure", error, retry: isPassing ? "backoff" : "never" };
  }
  if (outcome.kind !== "failure" || !SERVER_FAULTS.has(outcome.error.reason)) {
    circuit.responded();
    return outcome;
  }
  const isConnected = isResponse || received.isConnected;
  const error = circuit.failed({ error: outcome.error, url: url.href, isConnected, tookMs });
  return error.isShared ? { ...outcome, error, retry: "never" } : outcome;
}

function cachedFor({ cache }: ClientContext, { operation, validator }: ApiRequest, url: URL): Cached | undefined {
  if (validator === "cache") return cache.find(operation, url.href);
  const { etag } = validator;
  // An earlier version may have written it to the state file.
  return etag === undefined || !isUsableEtag(etag) ? undefined : { etag, body: undefined };
}

/**
 * The URL of an operation below the base URL, whose path is kept as a prefix. Equal parameters in equal order give an
 * equal URL, which is the key of the cache.
 * @throws ApiError `bug` when a path parameter is missing or invalid, or would change the path instead of filling its
 * place.
 */
export function requestUrl<Path extends string>(
  base: URL,
  operation: Operation<Path>,
  parameters: Parameters<Path>,
): URL {
  const values: Readonly<Record<string, string | number>> = parameters.path;
  const path = operation.path.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(values, name) ? String(values[name]) : "";
    // Encoding leaves dots alone, and a URL resolves them away.
    if (value === "" || value === "." || value === ".." || !value.isWellFormed()) {
      throw new ApiError("bug", operation.name, `no usable value for {${name}}`);
    }
    return encodeURIComponent(value);
  });
  const url = new URL(base);
  url.pathname = base.pathname.replace(/\/+$/, "") + path;
  url.search = "";
  url.hash = "";
  for (const [name, value] of Object.entries(parameters.query ?? {})) url.searchParams.append(name, String(value));
  return url;
}
