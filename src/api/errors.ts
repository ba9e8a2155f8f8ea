// Why a request or a poll failed. The list of reasons is closed, because the reason is a label value.

/** Every reason for which a poll can fail, with its meaning for the documentation. */
export const REASONS = {
  timeout: "no connection, or no complete response, before the timeout of the request or the deadline of the poll",
  network: "no connection, a reset, a DNS or TLS failure, or a body cut off in the middle",
  rate_limited: "the server responded with 429, or a pause after a 429 was still active",
  budget: "the request budget had no request left before the deadline",
  gone: "the operation responded with 410; after two, a minute apart, it is requested again after an hour",
  not_found: "404 for something that should be there",
  unauthorized: "the server responded with 401 or 403: it does not accept the API key, or requires one",
  http_client: "another 4xx response",
  http_server: "a 5xx response",
  redirect: "a redirect, which is not followed",
  too_large: "the headers or the body were larger than the limit",
  bad_body: "the body was not JSON, or did not match the schema",
  behind: "the server is behind the known chain; its response has no information about newer blocks",
  empty: "the server has no block at all: its database is empty",
  wrong_chain: "the server follows another chain than the one that the state file belongs to",
  state: "the response was valid, but could not be written to the state file; none of it is exposed",
  bug: "a defect of the exporter itself; please report it",
} as const;

/** Value of the label `reason`. */
export type Reason = keyof typeof REASONS;

/** A failed request. The message holds what an operator needs, and no secret. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly reason: Reason;
  /** Name of the operation, such as `mempool_stats`. */
  readonly operation: string;
  /** The message without the name of the operation. */
  readonly detail: string;
  readonly status: number | undefined = undefined;
  /**
   * True for a 404 that is not the operation's own ("no such block"): the server, or a proxy in front of it, does not
   * know the path. Callers may fall back to another operation.
   */
  readonly routeMissing: boolean = false;
  /** The server, or the node behind it, lacks an optional operation. Reason `not_found`; no failure of the poll. */
  readonly isUnsupported: boolean = false;
  /** Delay after which another try may succeed, milliseconds; undefined if it would fail in the same way. */
  readonly retryAfterMs: number | undefined = undefined;

  constructor(
    reason: Reason,
    operation: string,
    detail: string,
    options: Partial<Pick<ApiError, "status" | "routeMissing" | "isUnsupported" | "retryAfterMs">> = {},
  ) {
    super(`${operation}: ${detail}`);
    this.reason = reason;
    this.operation = operation;
    this.detail = detail;
    Object.assign(this, options);
  }
}

/** Whether the poll ran out of requests or of time: what it has read before is still valid. */
export const isShortage = (error: unknown): error is ApiError =>
  error instanceof ApiError && ["budget", "timeout", "rate_limited"].includes(error.reason);
