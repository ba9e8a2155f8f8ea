// Circuit breaker: while the server is down, one probe at a time is sent, and all other requests fail at once with
// the first cause.
import type { Clock } from "./clock.ts";
import { ApiError } from "./errors.ts";

const FAILURES = 3;
const FIRST_PROBE_MS = 15_000;

// A request that was sent just before the deadline of its poll has no information about the server when it times out.
const SHORTEST_TIMEOUT_MS = 1_000;

/** A server, or one operation of it, that is down. Times are Unix time in milliseconds. */
export interface Outage {
  /** The only operation that fails; undefined for the whole server. */
  readonly operation: string | undefined;
  /** The first failure in a row. */
  readonly cause: { readonly reason: ApiError["reason"]; readonly message: string };
  readonly since: number;
  /** Time when the next request may be sent. */
  readonly nextProbeAt: number;
}

interface FailedRequest {
  readonly error: ApiError;
  readonly url: string;
  /** Whether a connection was made. */
  readonly isConnected: boolean;
  /** From admission by the budget to the failure. Milliseconds. */
  readonly tookMs: number;
}

/** Failures in a row. */
interface Streak {
  readonly first: ApiError;
  /** Time of the first failure. Unix time, milliseconds. */
  readonly since: number;
  readonly operations: Set<string>;
  readonly urls: Set<string>;
  failures: number;
  unconnected: number;
  /** The next probe, in the time of `Clock.elapsed`; undefined while the circuit is closed. */
  probe: { readonly waitMs: number; readonly at: number } | undefined;
}

/**
 * A circuit breaker. It counts failures of the server itself (`network`, `timeout`, `http_server`), and refused keys
 * (`unauthorized`), in a row, and opens after three of them:
 *
 * - for all requests when no connection could be made, or when two or more operations have failed;
 * - for one operation when it has failed at three different URLs. One bad address does not stop the others.
 *
 * While it is open, one request may be sent after 15 s, then after twice as long each time, up to `longestProbeMs`. Any
 * other response closes it, including an error of the client (4xx).
 */
export class Circuit {
  readonly #clock: Clock;
  readonly #longestProbeMs: number;
  readonly #onChange: (outage: Outage | undefined) => void;
  #streak: Streak | undefined;

  /** @param onChange called when it opens, opens for all requests, and closes (`undefined`). */
  constructor(clock: Clock, longestProbeMs: number, onChange: (outage: Outage | undefined) => void) {
    this.#clock = clock;
    this.#longestProbeMs = longestProbeMs;
    this.#onChange = onChange;
  }

  /** The failing server or operation; undefined while the circuit is closed. */
  get outage(): Outage | undefined {
    const streak = this.#streak;
    if (streak?.probe === undefined) return undefined;
    const { first, since, operations, probe } = streak;
    return {
      operation: isWholeServer(streak) ? undefined : [...operations][0],
      since,
      cause: { reason: first.reason, message: first.detail },
      nextProbeAt: this.#clock.now() + probe.at - this.#clock.elapsed(),
    };
  }

  /** The error with which a request of this operation fails at once; undefined when it may be sent. */
  refusal(operation: string): ApiError | undefined {
    const streak = this.#openFor(operation);
    const isProbeDue = this.#clock.elapsed() >= (streak?.probe?.at ?? 0);
    return streak === undefined || isProbeDue ? undefined : sharedError(streak, operation);
  }

  /** Call it when a request is sent: while the circuit is open, it is the probe, and the next one is later. */
  begin(operation: string): void {
    const streak = this.#openFor(operation);
    if (streak?.probe !== undefined) this.#schedule(streak, streak.probe.waitMs * 2);
  }

  /** The server responded. */
  responded(): void {
    const wasOpen = this.#streak?.probe !== undefined;
    this.#streak = undefined;
    if (wasOpen) this.#onChange(undefined);
  }

  /** A request failed. Returns the error to fail with, which is that of the outage when the circuit is now open. */
  failed({ error, url, isConnected, tookMs }: FailedRequest): ApiError {
    if (error.reason === "timeout" && isConnected && tookMs < SHORTEST_TIMEOUT_MS) return error;
    const before = this.outage;
    const none = {
      operations: new Set<string>(),
      urls: new Set<string>(),
      failures: 0,
      unconnected: 0,
      probe: undefined,
    };
    this.#streak ??= { first: error, since: this.#clock.now(), ...none };
    const streak = this.#streak;
    streak.failures += 1;
    if (!isConnected) streak.unconnected += 1;
    streak.operations.add(error.operation);
    if (streak.urls.size < FAILURES) streak.urls.add(url);
    if (streak.failures < FAILURES || !(isWholeServer(streak) || streak.urls.size >= FAILURES)) return error;
    if (streak.probe === undefined) this.#schedule(streak, FIRST_PROBE_MS);
    const { outage } = this;
    if (before === undefined || before.operation !== outage?.operation) this.#onChange(outage);
    return sharedError(streak, error.operation);
  }

  #schedule(streak: Streak, milliseconds: number): void {
    const waitMs = Math.min(this.#longestProbeMs, milliseconds);
    streak.probe = { waitMs, at: this.#clock.elapsed() + waitMs };
  }

  #openFor(operation: string): Streak | undefined {
    const streak = this.#streak;
    const isOpen = streak?.probe !== undefined && (isWholeServer(streak) || streak.operations.has(operation));
    return isOpen ? streak : undefined;
  }
}

function isWholeServer({ unconnected, operations }: Streak): boolean {
  return unconnected >= FAILURES || operations.size > 1;
}

function sharedError({ first, since }: Streak, operation: string): ApiError {
  const message = `${first.detail}, since ${new Date(since).toISOString()}`;
  return new ApiError(first.reason, operation, message, { status: first.status, isShared: true });
}
