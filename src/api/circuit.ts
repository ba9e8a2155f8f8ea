// Whether the server itself is down. While it is, one request now and then asks whether it is back, and all others fail at
// once with the first cause, instead of each poll finding out for itself.
import type { Clock } from "./clock.ts";
import { ApiError } from "./errors.ts";

const FAILURES = 3;
const FIRST_PROBE_MS = 15_000;

// A request that left just before the deadline of its poll says nothing of the server when it gets no answer.
const SHORTEST_TIMEOUT_MS = 1_000;

/** A server, or one operation of it, that does not answer. Times are Unix time in milliseconds. */
export interface Outage {
  /** The only operation that fails; undefined: the whole server. */
  readonly operation: string | undefined;
  /** First failure in a row. */
  readonly since: number;
  /** What it was. */
  readonly cause: { readonly reason: ApiError["reason"]; readonly message: string };
  /** When the next request may leave. */
  readonly nextProbeAt: number;
}

/** A request that failed, and how. */
export interface FailedRequest {
  readonly error: ApiError;
  readonly url: string;
  /** Whether a connection was made. */
  readonly isConnected: boolean;
  /** From leaving the budget to the failure. Milliseconds. */
  readonly tookMs: number;
}

interface First {
  readonly error: ApiError;
  /** Unix time, milliseconds. */
  readonly at: number;
}

/**
 * A circuit breaker. Failures count when they are the server's own (`network`, `timeout`, `http_server`) and nothing was
 * answered in between. It opens after three of them:
 *
 * - for all requests when no connection could be made, or when two operations or more have failed;
 * - for one operation when that failed at three different URLs. One bad address does not stop the others.
 *
 * While it is open one request may leave after 15 s, then after twice as long each time, up to `longestProbeMs`. Any answer
 * closes it, one that refuses (4xx) too.
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #longestProbeMs: number;
  readonly #onChange: (outage: Outage | undefined) => void;
  // Failures since the last answer.
  #failures = 0;
  #unconnected = 0;
  #first: First | undefined;
  readonly #operations = new Set<string>();
  readonly #urls = new Set<string>();
  // Times of `Clock.elapsed`.
  #probe: { readonly waitMs: number; readonly at: number } | undefined;
  #isProbing = false;

  /** @param onChange told when it opens (of what it is open for), opens further, and closes (`undefined`). */
  constructor(clock: Clock, longestProbeMs: number, onChange: (outage: Outage | undefined) => void) {
    this.#clock = clock;
    this.#longestProbeMs = longestProbeMs;
    this.#onChange = onChange;
  }

  /** What is down; undefined while requests may leave. */
  get outage(): Outage | undefined {
    const [operation] = this.#operations;
    if (this.#first === undefined || this.#probe === undefined || operation === undefined) return undefined;
    const { error, at } = this.#first;
    return {
      operation: this.#isWhole() ? undefined : operation,
      since: at,
      cause: { reason: error.reason, message: error.detail },
      nextProbeAt: this.#clock.now() + this.#probe.at - this.#clock.elapsed(),
    };
  }

  /** The error with which a request of this operation fails instead of leaving now; undefined when it may leave. */
  refusal(operation: string): ApiError | undefined {
    if (this.#first === undefined || !this.#isOpenFor(operation)) return undefined;
    if (!this.#isProbing && this.#clock.elapsed() >= (this.#probe?.at ?? 0)) return undefined;
    return shared(this.#first, operation);
  }

  /** Must be called when a request leaves; what it returns, when the request has ended, before its outcome is noted. */
  leave(operation: string): () => void {
    if (!this.#isOpenFor(operation)) return () => {};
    this.#isProbing = true;
    return () => {
      this.#isProbing = false;
    };
  }

  /** The server answered something. */
  answered(): void {
    if (this.#failures === 0) return;
    const wasOpen = this.#probe !== undefined;
    this.#failures = 0;
    this.#unconnected = 0;
    this.#first = undefined;
    this.#operations.clear();
    this.#urls.clear();
    this.#probe = undefined;
    if (wasOpen) this.#onChange(undefined);
  }

  /** A request failed. Returns the error to fail with: one that names the outage when the circuit is open now. */
  failed({ error, url, isConnected, tookMs }: FailedRequest): ApiError {
    if (error.reason === "timeout" && isConnected && tookMs < SHORTEST_TIMEOUT_MS) return error;
    const before = this.outage;
    this.#first ??= { error, at: this.#clock.now() };
    this.#failures += 1;
    if (!isConnected) this.#unconnected += 1;
    this.#operations.add(error.operation);
    if (this.#urls.size < FAILURES) this.#urls.add(url);
    if (this.#failures < FAILURES || !(this.#isWhole() || this.#urls.size >= FAILURES)) return error;
    this.#wait();
    const { outage } = this;
    if (before === undefined || before.operation !== outage?.operation) this.#onChange(outage);
    return shared(this.#first, error.operation);
  }

  // A request that left before the circuit opened, and fails before the next probe, changes nothing.
  #wait(): void {
    const now = this.#clock.elapsed();
    if (this.#probe !== undefined && now < this.#probe.at) return;
    const wished = this.#probe === undefined ? FIRST_PROBE_MS : this.#probe.waitMs * 2;
    const waitMs = Math.min(this.#longestProbeMs, wished);
    this.#probe = { waitMs, at: now + waitMs };
  }

  #isWhole(): boolean {
    return this.#unconnected >= FAILURES || this.#operations.size > 1;
  }

  #isOpenFor(operation: string): boolean {
    return this.#probe !== undefined && (this.#isWhole() || this.#operations.has(operation));
  }
}

function shared({ error, at }: First, operation: string): ApiError {
  const message = `${error.detail}, since ${new Date(at).toISOString()}`;
  return new ApiError(error.reason, operation, message, { status: error.status, isShared: true });
}
