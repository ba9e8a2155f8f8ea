// Why a request or a poll failed: a closed list, because the reason is a label value.

/** Every reason a poll can fail for, with its meaning for the documentation. */
export const REASONS = {
  timeout: "the server did not answer before the deadline of the poll, or a connect, header or body time-out passed",
  network: "no connection, a reset, a DNS or TLS failure, or a body cut off in the middle",
  rate_limited: "the server answered 429, or a pause that a 429 asked for was still running",
  budget: "the request budget had no request left before the deadline",
  gone: "the operation answered 410; after two, a minute apart, it is requested again only after 10 minutes to an hour",
  not_found: "404 for something that should be there",
  unauthorized: "the server answered 401 or 403: it does not accept the API key, or wants one",
  http_client: "another 4xx answer",
  http_server: "a 5xx answer",
  redirect: "a redirect to another host, or too many redirects",
  too_large: "the body was larger than the limit",
  bad_body: "the body was not JSON, or not of the declared shape",
  behind: "the server is behind the chain that is known; its answer says nothing about newer blocks",
  empty: "the server has no block at all: its database is empty",
  wrong_chain: "the server follows another chain than the one that the state file belongs to",
  state: "the answer was good, but could not be written to the state file; nothing of it is shown",
  bug: "a defect of the exporter itself; please report it",
} as const;

/** Value of the label `reason`. */
export type Reason = keyof typeof REASONS;

/** A request that failed, with everything an operator needs and nothing secret. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly reason: Reason;
  /** Name of the operation, such as `mempool_stats`. */
  readonly operation: string;
  /** HTTP status, when there was an answer. */
  readonly status: number | undefined;
  /**
   * True for a 404 that is not the operation's own answer ("no such block") but says that the server, or something before
   * it, does not know the path at all: callers may fall back to another operation.
   */
  readonly routeMissing: boolean;
  /** The message without the name of the operation. */
  readonly detail: string;
  /** The failure is that of the whole server, for every request alike; the observer was told of it once. */
  readonly isShared: boolean;

  constructor(
    reason: Reason,
    operation: string,
    message: string,
    options: {
      readonly status?: number | undefined;
      readonly routeMissing?: boolean;
      readonly isShared?: boolean;
      readonly cause?: unknown;
    } = {},
  ) {
    super(`${operation}: ${message}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.reason = reason;
    this.operation = operation;
    this.status = options.status;
    this.routeMissing = options.routeMissing ?? false;
    this.detail = message;
    this.isShared = options.isShared ?? false;
  }
}

/** Out of requests or of time: what was learned before is worth keeping. */
export const isShortage = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.reason === "budget" || error.reason === "timeout" || error.reason === "rate_limited");
