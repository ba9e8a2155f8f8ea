// What a server does not do now: it does not respond, or does not offer an operation. While that lasts, requests fail
// at once with the first cause, and one request from time to time shows whether it is over.
import type { Clock } from "./clock.ts";
import { ApiError, type Reason } from "./errors.ts";
import type { Drift, Operation } from "./operation.ts";

/** Why a server, or a whole network, cannot be used, and since when. Unix time, milliseconds. */
export interface Outage {
  readonly reason: Reason;
  readonly message: string;
  readonly since: number;
}

/** Callbacks. None may throw, and all must be quick: requests wait for them. */
export interface Observer {
  /** A request has ended with an HTTP status, or without a complete response, for a reason such as `timeout`. */
  onRequest?(operation: string, code: string): void;
  /** An operation was retired, after a second 410. */
  onRetired?(operation: Operation): void;
  /** A response did not match the schema; once per response, field and kind. */
  onDrift?(operation: string, field: string, kind: Drift): void;
  /** A 429 paused the network. Unix time in milliseconds. */
  onPause?(until: number): void;
  /** The server is down; undefined when it responds again. */
  onOutage?(outage: Outage | undefined): void;
}

const FAILURES = 3;
// An operation that is broken by itself must not be the only one that is requested while the server is down.
const OWN_PROBE = 5;
const MOMENT_MS = 15_000;
// A front end in maintenance responds with 410 or 404 to everything, for a moment.
const CONFIRMED_AFTER_MS = 60_000;
const RETIRED_MS = 3_600_000;

// A request that was sent just before the deadline of its poll has no information about the server when it times out.
const SHORTEST_TIMEOUT_MS = 1_000;

const SERVER_FAULTS: readonly Reason[] = ["network", "timeout", "http_server", "unauthorized"];

/** Responses in a row that an operation is not offered. Times are those of `Clock.elapsed`. */
interface Absence {
  readonly error: ApiError;
  readonly since: number;
  readonly nextAt: number;
  readonly isConfirmed: boolean;
}

/** While the server is down. Times are those of `Clock.elapsed`. */
interface Down {
  readonly at: number;
  /** Time of the next probe. */
  nextAt: number;
  /** When each operation was last requested since then. */
  readonly sentAt: Map<string, number>;
}

/** Failures of the server in a row. */
interface Streak {
  /** The first one. */
  readonly cause: Outage;
  readonly status: number | undefined;
  readonly operations: Set<string>;
  readonly subjects: Set<string>;
  failures: number;
  down?: Down;
}

/**
 * The outages of one server.
 *
 * - The server is down after three failures of its own in a row (`network`, `timeout`, `http_server`, `unauthorized`)
 *   of two or more operations and subjects, or of any before its first response: neither a list that always fails nor
 *   one address of which every list fails stops the others. One request may be sent every `probeEveryMs`, and one of
 *   each operation in five times as long. Any other response ends it. Until it responds itself, an operation that has
 *   failed then does not count again: two lists that always fail do not stop the others either.
 * - An operation is not offered after a 410, or a 404 of an optional one: for 15 s, and for an hour when that has
 *   lasted for a minute. Any other response ends it.
 */
export class Outages {
  readonly #clock: Clock;
  readonly #probeEveryMs: number;
  readonly #observer: Observer;
  readonly #absences = new Map<string, Absence>();
  #streak: Streak | undefined;
  #hasResponded = false;
  /** Operations that have failed while others responded. */
  readonly #broken = new Set<string>();

  constructor(clock: Clock, probeEveryMs: number, observer: Observer) {
    this.#clock = clock;
    this.#probeEveryMs = probeEveryMs;
    this.#observer = observer;
  }

  /** The outage of the server; undefined while it responds. */
  get outage(): Outage | undefined {
    return this.#streak?.down && this.#streak.cause;
  }

  /** Milliseconds until the next probe; 0 while the server responds. */
  get probeIn(): number {
    return Math.max(0, (this.#streak?.down?.nextAt ?? 0) - this.#clock.elapsed());
  }

  /** @throws ApiError the error of the outage, if the server is down */
  checkUp(operation: string): void {
    if (this.#streak?.down !== undefined) throw errorOf(this.#streak, operation);
  }

  /** @throws ApiError the error with which a request of this operation fails at once, if it may not be sent */
  check(operation: string): void {
    const { at = 0, sentAt } = this.#streak?.down ?? {};
    const ownAt = (sentAt?.get(operation) ?? at) + OWN_PROBE * this.#probeEveryMs;
    if (this.probeIn > 0 && this.#clock.elapsed() < ownAt) this.checkUp(operation);
    const absence = this.#absences.get(operation);
    if (absence !== undefined && this.#clock.elapsed() < absence.nextAt) throw absence.error;
  }

  /** Whether it is confirmed that an operation is not offered. */
  isRetired(operation: string): boolean {
    const { isConfirmed = false, nextAt = 0 } = this.#absences.get(operation) ?? {};
    return isConfirmed && this.#clock.elapsed() < nextAt;
  }

  /** Call it when a request is sent: while the server is down, it is the probe, and the next one is later. */
  begin(operation: string): void {
    const down = this.#streak?.down;
    if (down === undefined) return;
    down.sentAt.set(operation, this.#clock.elapsed());
    down.nextAt = this.#clock.elapsed() + this.#probeEveryMs;
  }

  responded({ name }: Pick<Operation, "name">): void {
    this.#absences.delete(name);
    this.#end(name);
  }

  /**
   * A request failed, `tookMs` after the budget admitted it. Returns the error to fail with, which is that of the
   * outage when the server is down.
   * @param subject what is requested, such as an address; the name of an operation without path parameters
   */
  failed(operation: Operation, subject: string, error: ApiError, tookMs: number): ApiError {
    if (!SERVER_FAULTS.includes(error.reason)) {
      this.#end(operation.name);
      this.#noteAbsence(operation, error);
      return error;
    }
    if ((error.reason === "timeout" && tookMs < SHORTEST_TIMEOUT_MS) || this.#broken.has(operation.name)) return error;
    const cause = { reason: error.reason, message: error.detail, since: this.#clock.now() };
    this.#streak ??= { cause, status: error.status, operations: new Set(), subjects: new Set(), failures: 0 };
    const streak = this.#streak;
    streak.failures += 1;
    streak.operations.add(operation.name);
    streak.subjects.add(subject);
    const isOfOne = streak.operations.size === 1 || streak.subjects.size === 1;
    if (streak.failures < FAILURES || (isOfOne && this.#hasResponded)) return error;
    if (streak.down === undefined) {
      const at = this.#clock.elapsed();
      streak.down = { at, nextAt: at + this.#probeEveryMs, sentAt: new Map() };
      this.#observer.onOutage?.(this.outage);
    }
    return errorOf(streak, operation.name);
  }

  #end(by: string): void {
    const { outage } = this;
    for (const operation of this.#streak?.operations ?? []) this.#broken.add(operation);
    this.#broken.delete(by);
    this.#hasResponded = true;
    this.#streak = undefined;
    if (outage !== undefined) this.#observer.onOutage?.(undefined);
  }

  #noteAbsence(operation: Operation, error: ApiError): void {
    const known = this.#absences.get(operation.name);
    this.#absences.delete(operation.name);
    if (error.reason !== "gone" && !error.isUnsupported) return;
    const since = known?.error.reason === error.reason ? known.since : this.#clock.elapsed();
    const isConfirmed = this.#clock.elapsed() - since >= CONFIRMED_AFTER_MS;
    const nextAt = this.#clock.elapsed() + (isConfirmed ? RETIRED_MS : MOMENT_MS);
    this.#absences.set(operation.name, { error, since, nextAt, isConfirmed });
    if (error.reason === "gone" && isConfirmed && known?.isConfirmed !== true) this.#observer.onRetired?.(operation);
  }
}

function errorOf({ cause, status }: Streak, operation: string): ApiError {
  const message = `${cause.message}, since ${new Date(cause.since).toISOString()}`;
  return new ApiError(cause.reason, operation, message, { status });
}
