// The context of all requests of a client, and the description of one request.
import type { Budget } from "./budget.ts";
import type { Cache, Cached } from "./cache.ts";
import type { Circuit } from "./circuit.ts";
import type { Clock } from "./clock.ts";
import type { Observer } from "./observer.ts";
import type { Operation } from "./operation.ts";
import type { QueuedRequest, RequestQueue } from "./queue.ts";
import type { RateLimits } from "./rate-limits.ts";
import type { Redactor } from "./redact.ts";
import type { Retirement } from "./retirement.ts";
import type { Transport } from "./transport.ts";

/** The context of all requests of a client. */
export interface ClientContext {
  readonly clock: Clock;
  /** For jitter: a number of [0, 1). */
  readonly random: () => number;
  readonly budget: Budget;
  readonly queue: RequestQueue;
  readonly transport: Transport;
  readonly cache: Cache;
  readonly retirement: Retirement;
  readonly circuit: Circuit;
  readonly rateLimits: RateLimits;
  readonly observer: Observer;
  /** Masks secrets in text from the server. */
  readonly redactor: Redactor;
  /** Header fields of every request. */
  readonly headers: () => Readonly<Record<string, string>>;
  /** Tries after the first. */
  readonly retries: number;
  /** Timeout of one try, milliseconds. */
  readonly tryTimeoutMs: number;
}

/** One request of a poll. */
export interface ApiRequest extends Omit<QueuedRequest, "refusal"> {
  readonly operation: Operation;
  readonly url: URL;
  readonly collector: string | undefined;
  /** Maximum number of rows in the response, if the request names one. */
  readonly limit: number | undefined;
  /**
   * Source of the validator of a conditional request. `cache`: the cached response. Otherwise, the caller keeps it, and
   * nothing is cached. `undefined` makes the request unconditional.
   */
  readonly validator: "cache" | { readonly etag: string | undefined };
}

/** One try of a request. Its URL may be that of a redirect. */
export interface Try extends ApiRequest {
  /** Validator of a conditional try; undefined if it is not conditional. */
  readonly cached: Cached | undefined;
  /** Responses in a row, when the request began, that the operation is not offered. */
  readonly absences: number;
}
