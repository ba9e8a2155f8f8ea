// Operations that the server has switched off (410). One 410 may be the mistake of a moment; two, a minute apart, are
// believed, and the operation is retired: it gets a request only after a while.

const BELIEVED_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 10 * 60_000;
const LONGEST_WAIT_MS = 3_600_000;

/** One retired operation. */
export interface Retired {
  readonly operation: string;
  /** First 410 in a row, Unix time in milliseconds. */
  readonly since: number;
  /** Latest 410, Unix time in milliseconds. */
  readonly confirmedAt: number;
  /** When it may be requested again, Unix time in milliseconds. */
  readonly nextTryAt: number;
}

interface Suspect {
  readonly since: number;
  readonly confirmedAt: number;
  /** Time until it may be requested again; 0 until the 410 is believed. Milliseconds. */
  readonly waitMs: number;
  /** Answers 410 in a row. */
  readonly times: number;
}

/** Permission for one call of an operation; it must be ended. */
export interface Lease {
  /** Whether another call got a 410 since this one began: its answer would be the same. */
  isGone(): boolean;
  end(): void;
}

/** Which operations of one network are retired. */
export class Retirement {
  readonly #suspects = new Map<string, Suspect>();
  readonly #probing = new Set<string>();

  /** Whether asking now would fail without a request. */
  isRetired(operation: string, now: number): boolean {
    const suspect = this.#suspects.get(operation);
    return suspect !== undefined && suspect.waitMs > 0 && (this.#probing.has(operation) || now < nextTryAt(suspect));
  }

  /**
   * Permission for one call of an operation; undefined when it is retired. When a retired operation may be requested again, one call has
   * permission and `isRetired` holds for all others until that call has ended.
   */
  begin(operation: string, now: number): Lease | undefined {
    if (this.isRetired(operation, now)) return undefined;
    const before = this.#suspects.get(operation);
    const isProbe = before !== undefined && before.waitMs > 0;
    if (isProbe) this.#probing.add(operation);
    return {
      isGone: () => (this.#suspects.get(operation)?.times ?? 0) > (before?.times ?? 0),
      end: () => {
        if (isProbe) this.#probing.delete(operation);
      },
    };
  }

  /**
   * The operation answered 410. It is retired when that is a minute or more after the first one without a good answer in
   * between: for 10 minutes, and twice as long after each further 410, up to an hour.
   * @returns whether it is retired now and was not before.
   */
  gone(operation: string, now: number): boolean {
    const before = this.#suspects.get(operation) ?? { since: now, confirmedAt: now, waitMs: 0, times: 0 };
    const waitMs = waitAfter(before, now);
    this.#suspects.set(operation, { ...before, confirmedAt: now, waitMs, times: before.times + 1 });
    return waitMs > 0 && before.waitMs === 0;
  }

  /** The operation did its work. */
  works(operation: string): void {
    this.#suspects.delete(operation);
  }

  /** All retired operations. */
  snapshot(): readonly Retired[] {
    return [...this.#suspects]
      .filter(([, { waitMs }]) => waitMs > 0)
      .map(([operation, suspect]) => ({
        operation,
        since: suspect.since,
        confirmedAt: suspect.confirmedAt,
        nextTryAt: nextTryAt(suspect),
      }));
  }
}

function nextTryAt({ confirmedAt, waitMs }: Suspect): number {
  return confirmedAt + waitMs;
}

function waitAfter(before: Suspect, now: number): number {
  if (before.waitMs === 0) return now - before.since < BELIEVED_AFTER_MS ? 0 : FIRST_WAIT_MS;
  // Requests that left together say the same thing once.
  return now < nextTryAt(before) ? before.waitMs : Math.min(LONGEST_WAIT_MS, before.waitMs * 2);
}
