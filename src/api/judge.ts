// What an answer means: for the call that asked, and for all that will ask after it.
import { type Stored, validatorOf } from "./cache.ts";
import { decode } from "./decode.ts";
import { errorBody } from "./error-body.ts";
import { ApiError, type Reason } from "./errors.ts";
import type { Answer, Operation } from "./operation.ts";
import type { Call, Parts } from "./parts.ts";
import type { Redact } from "./redact.ts";
import { type Again, againAfterStatus } from "./retry.ts";
import { type Headers, retryAfter } from "./retry-after.ts";
import type { WireAnswer } from "./transport.ts";

/** The outcome of one attempt. */
export type Judged =
  | { readonly kind: "answer"; readonly answer: Answer<unknown> }
  | { readonly kind: "redirect"; readonly to: URL }
  | {
      readonly kind: "failure";
      readonly error: ApiError;
      readonly again: Again;
      /** How long the server asked this request to wait, milliseconds. */
      readonly waitMs: number | undefined;
    };

/** An attempt that failed. */
export type Failed = Extract<Judged, { kind: "failure" }>;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Judges answers with the state of one network. */
export class Judge {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Judges one answer to one request, which was conditional if something was `stored`. */
  judge(call: Call, url: URL, stored: Stored | undefined, answer: WireAnswer): Judged {
    const { operation } = call;
    const now = this.#parts.clock.now();
    this.#parts.rateLimits.note(answer.headers, now);
    if (announcesEnd(answer.headers)) {
      this.#parts.ledger.deprecated(operation.name, now);
      this.#parts.observer.onDeprecation?.({ operation: operation.name });
    }
    const { status } = answer;
    if (status === 200) return this.#fresh(call, url, answer, now);
    if (status === 304) return this.#unchanged(operation, stored, now);
    if (REDIRECTS.has(status)) return redirect(operation, url, answer, this.#parts.redact);
    if (status === 429) return this.#limited(operation, answer, now);
    if (status === 410 && this.#parts.retirement.gone(operation.name, now)) {
      this.#parts.observer.onRetired?.({ operation: operation.name, replacement: operation.replacement });
    }
    if (status === 404) return this.#notFound(operation, answer, now);
    const failure = this.#failure(reasonOf(status), operation, answer, now);
    // A front end may refuse the header field that carries the validator.
    const isRefused = stored !== undefined && failure.error.reason === "http_client";
    return isRefused ? { ...failure, again: "without_validator" } : failure;
  }

  #fresh({ operation, known }: Call, url: URL, answer: WireAnswer, now: number): Judged {
    const decoded = decode(answer.body, operation.body);
    if (!decoded.ok) {
      for (const difference of decoded.differences) {
        this.#parts.observer.onDrift?.({ operation: operation.name, ...difference });
      }
      const message = this.#parts.redact(decoded.message);
      return stop(new ApiError("bad_body", operation.name, message, { status: 200 }));
    }
    const etag = validatorOf(answer.headers);
    if (known === undefined) this.#parts.cache.store(operation, url.href, etag, decoded.body, answer.body.byteLength);
    this.#works(operation, now);
    return { kind: "answer", answer: { body: decoded.body, changed: true, receivedAt: now, etag } };
  }

  #unchanged(operation: Operation, stored: Stored | undefined, now: number): Judged {
    if (stored === undefined) {
      return stop(new ApiError("bad_body", operation.name, "HTTP 304 to an unconditional request", { status: 304 }));
    }
    this.#works(operation, now);
    return { kind: "answer", answer: { body: stored.body, changed: false, receivedAt: now } };
  }

  #limited(operation: Operation, answer: WireAnswer, now: number): Judged {
    const { backoff, budget, observer } = this.#parts;
    const before = budget.pausedUntil;
    budget.pause(backoff.limited(answer.headers, now, before !== undefined));
    const until = budget.pausedUntil;
    if (until !== undefined && until !== before) observer.onPause?.({ until });
    return this.#failure("rate_limited", operation, answer, now);
  }

  #notFound(operation: Operation, answer: WireAnswer, now: number): Judged {
    const { isApi, routeMissing } = errorBody(answer.headers, answer.body);
    const ofTheOperation = isApi && !routeMissing;
    if (ofTheOperation) this.#works(operation, now);
    return this.#failure("not_found", operation, answer, now, !ofTheOperation);
  }

  #works(operation: Operation, now: number): void {
    const { retirement, ledger, backoff, budget } = this.#parts;
    retirement.works(operation.name);
    ledger.good(operation.name, now);
    // What was under way when a pause began says nothing about what comes after it.
    if (budget.pausedUntil === undefined) backoff.succeeded();
  }

  #failure(reason: Reason, operation: Operation, answer: WireAnswer, now: number, routeMissing = false): Failed {
    const { status, headers } = answer;
    const text = this.#parts.redact(errorBody(headers, answer.body).text);
    const message = `HTTP ${status}${text === "" ? "" : `: ${text}`}`;
    const waitMs = reason === "http_server" ? retryAfter(headers, now) : undefined;
    const isShared = reason === "rate_limited";
    const error = new ApiError(reason, operation.name, message, { status, routeMissing, isShared });
    return { kind: "failure", error, again: againAfterStatus(status), waitMs };
  }
}

function reasonOf(status: number): Reason {
  if (status === 410) return "gone";
  if (status === 401 || status === 403) return "unauthorized";
  if (status >= 500) return "http_server";
  if (status >= 400) return "http_client";
  return status >= 300 ? "redirect" : "bad_body";
}

// Only within the origin: the key must not travel, and another host is another API.
function redirect(operation: Operation, url: URL, answer: WireAnswer, redact: Redact): Judged {
  const { status } = answer;
  const location = answer.headers.get("location");
  const to = location === undefined ? null : URL.parse(location, url.href);
  if (to === null) {
    return stop(new ApiError("redirect", operation.name, `HTTP ${status} without a usable location`, { status }));
  }
  if (to.origin !== url.origin) {
    const message = `HTTP ${status} to another origin, ${redact(to.host || to.protocol)}`;
    return stop(new ApiError("redirect", operation.name, message, { status }));
  }
  return { kind: "redirect", to };
}

function announcesEnd(headers: Headers): boolean {
  return /(^|,)\s*299\b/.test(headers.get("warning") ?? "") || headers.has("deprecation") || headers.has("sunset");
}

function stop(error: ApiError): Failed {
  return { kind: "failure", error, again: "never", waitMs: undefined };
}
