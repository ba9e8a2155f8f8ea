// What a server does not do now: it does not respond, or does not offer an operation. While that lasts, requests fail
// at once with the first cause, and one request from time to time shows whether it is over.
import type { Clock } from "./clock.ts";
import { ApiError, type Reason } from "./errors.ts";

const FAILURES = 3;
const FIRST_WAIT_MS = 15_000;
// A front end in maintenance responds with 410 or 404 to everything, for a moment.
const CONFIRMED_AFTER_MS = 60_000;
const RETIRED_MS = 3_600_000;

// A request that was sent just before the deadline of its poll has no information about the server when it times out.
const SHORTEST_TIMEOUT_MS = 1_000;

/** The reasons that are failures of the server, or of the connection to it. */
export const SERVER_FAULTS: readonly Reason[] = ["network", "timeout", "http_server", "unauthorized"];

/** A server that is down. Times are Unix time in milliseconds. */
export interface Outage {
  /** The first failure in a row. */
  readonly cause: { readonly reason: Reason; readonly message: string };
  readonly since: number;
  /** Time when the next request may be sent. */
  readonly nextProbeAt: number;
}

/** An operation that the server has switched off. Times are Unix time in milliseconds. */
export interface Retired {
  readonly operation: string;
  /** First 410 in a row. */
  readonly since: number;
  /** Time when it may be requested again. */
  readonly nextTryAt: number;
}

/** When the next request may be sent. */
interface Wait {
  /** From the latest failure, milliseconds. */
  readonly waitMs: number;
  /** In the time of `Clock.elapsed`. */
  readonly nextAt: number;
}

/** Responses in a row that an operation is not offered. */
interface Absence extends Wait {
  readonly error: ApiError;
  /** Unix time, milliseconds. */
  readonly since: number;
}

/** Failures of the server in a row. */
interface Streak {
  readonly first: ApiError;
  /** Unix time, milliseconds. */
  readonly since: number;
  readonly operations: Set<string>;
  failures: number;
  unreachable: number;
  /** Undefined until the server is down. */
  wait: Wait | undefined;
}

/**
 * The outages of one server.
 *
 * - The server is down after three failures of its own in a row (`network`, `timeout`, `http_server`, `unauthorized`),
 *   without any response, or of two or more operations: a list that always fails does not stop the others. One request
 *   may be sent after 15 s, then after twice as long each time, up to `longestProbeMs`. Any other response ends it.
 * - An operation is not offered after a 410, or a 404 of an optional one: for 15 s, and for an hour when that has
 *   lasted for a minute. Any other response ends it.
 */
export class Outages {
  readonly #clock: Clock;
  readonly #longestProbeMs: number;
  readonly #onOutage: (outage: Outage | undefined) => void;
  readonly #absences = new Map<string, Absence>();
  #streak: Streak | undefined;

  /** @param onOutage called when the server is down, and when it responds again (`undefined`) */
  constructor(clock: Clock, longestProbeMs: number, onOutage: (outage: Outage | undefined) => void) {
    this.#clock = clock;
    this.#longestProbeMs = longestProbeMs;
    this.#onOutage = onOutage;
  }

  /** The outage of the server; undefined while it responds. */
  get outage(): Outage | undefined {
    if (this.#streak?.wait === undefined) return undefined;
    const { first, since, wait } = this.#streak;
    return { cause: { reason: first.reason, message: first.detail }, since, nextProbeAt: this.#toUnix(wait.nextAt) };
  }

  /** The operations that the server has switched off for longer than a moment. */
  get retired(): readonly Retired[] {
    return [...this.#absences.values()].flatMap(({ error, since, waitMs, nextAt }) =>
      error.reason === "gone" && waitMs === RETIRED_MS
        ? [{ operation: error.operation, since, nextTryAt: this.#toUnix(nextAt) }]
        : [],
    );
  }

  /** Whether a request of this operation would fail without being sent, because the server does not offer it. */
  isAbsent(operation: string): boolean {
    return this.#clock.elapsed() < (this.#absences.get(operation)?.nextAt ?? 0);
  }

  /** The error with which a request of this operation fails at once; undefined when it may be sent. */
  refusal(operation: string): ApiError | undefined {
    const isDown = this.#clock.elapsed() < (this.#streak?.wait?.nextAt ?? 0);
    if (isDown && this.#streak !== undefined) return sharedError(this.#streak, operation);
    return this.isAbsent(operation) ? this.#absences.get(operation)?.error : undefined;
  }

  /** Call it when a request is sent: while the server is down, it is the probe, and the next one is later. */
  begin(): void {
    if (this.#streak?.wait !== undefined) this.#streak.wait = this.#wait(this.#streak.wait.waitMs * 2);
  }

  /**
   * The server responded, with a result or an error of the request itself.
   * @returns whether the operation is retired now: the first 410 a minute or more after another
   */
  responded(operation: string, error?: ApiError): boolean {
    const wasDown = this.#streak?.wait !== undefined;
    this.#streak = undefined;
    if (wasDown) this.#onOutage(undefined);
    const known = this.#absences.get(operation);
    this.#absences.delete(operation);
    if (error === undefined || (error.reason !== "gone" && !error.isUnsupported)) return false;
    const since = known?.error.reason === error.reason ? known.since : this.#clock.now();
    const waitMs = this.#clock.now() - since < CONFIRMED_AFTER_MS ? FIRST_WAIT_MS : RETIRED_MS;
    this.#absences.set(operation, { error, since, waitMs, nextAt: this.#clock.elapsed() + waitMs });
    return error.reason === "gone" && waitMs === RETIRED_MS && known?.waitMs !== RETIRED_MS;
  }

  /**
   * A request failed for `SERVER_FAULTS`, `tookMs` after the budget admitted it. Returns the error to fail with, which
   * is that of the outage when the server is down.
   * @param isUnreachable there was no connection, or it ended before the response
   */
  failed(error: ApiError, isUnreachable: boolean, tookMs: number): ApiError {
    if (error.reason === "timeout" && !isUnreachable && tookMs < SHORTEST_TIMEOUT_MS) return error;
    const none = { operations: new Set<string>(), failures: 0, unreachable: 0, wait: undefined };
    this.#streak ??= { first: error, since: this.#clock.now(), ...none };
    const streak = this.#streak;
    streak.failures += 1;
    if (isUnreachable) streak.unreachable += 1;
    streak.operations.add(error.operation);
    const isWholeServer = streak.unreachable >= FAILURES || streak.operations.size > 1;
    if (streak.failures < FAILURES || !isWholeServer) return error;
    if (streak.wait === undefined) {
      streak.wait = this.#wait(FIRST_WAIT_MS);
      this.#onOutage(this.outage);
    }
    return sharedError(streak, error.operation);
  }

  #wait(milliseconds: number): Wait {
    const waitMs = Math.min(this.#longestProbeMs, milliseconds);
    return { waitMs, nextAt: this.#clock.elapsed() + waitMs };
  }

  #toUnix(elapsed: number): number {
    return elapsed + this.#clock.now() - this.#clock.elapsed();
  }
}

function sharedError({ first, since }: Streak, operation: string): ApiError {
  const message = `${first.detail}, since ${new Date(since).toISOString()}`;
  return new ApiError(first.reason, operation, message, { status: first.status });
}
