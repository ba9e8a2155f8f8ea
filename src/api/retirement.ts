// Operations that the server has switched off (410). A single 410 may be an error of the moment; two, a minute apart,
// retire the operation: it is requested again only after a while.

const CONFIRMED_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 10 * 60_000;
const LONGEST_WAIT_MS = 3_600_000;

/** A retired operation. Times are Unix time in milliseconds. */
interface Retired {
  readonly operation: string;
  /** First 410 in a row. */
  readonly since: number;
  /** When it may be requested again. */
  readonly nextTryAt: number;
}

interface Gone extends Omit<Retired, "operation"> {
  /** From the latest 410 to the next try, milliseconds; 0 until the operation is retired. */
  readonly waitMs: number;
  /** 410 responses in a row. */
  readonly times: number;
}

/** Permission for one request of an operation, with its retries. */
export interface Permit {
  /** Whether another request has received a 410 since this one began: its response would be the same. */
  isGone(): boolean;
  /** Must be called when the request has ended. */
  end(): void;
}

/** Which operations of one server are retired. */
export class Retirement {
  readonly #gone = new Map<string, Gone>();
  readonly #probing = new Set<string>();

  /** Whether a request now would fail without being sent. */
  isRetired(operation: string, now: number): boolean {
    const gone = this.#gone.get(operation);
    return gone !== undefined && gone.waitMs > 0 && (this.#probing.has(operation) || now < gone.nextTryAt);
  }

  /**
   * Permission for one request; undefined when the operation is retired. When a retired operation may be requested
   * again, one request is permitted, and `isRetired` holds for all others until it has ended.
   */
  begin(operation: string, now: number): Permit | undefined {
    if (this.isRetired(operation, now)) return undefined;
    const before = this.#gone.get(operation);
    const isProbe = before !== undefined && before.waitMs > 0;
    if (isProbe) this.#probing.add(operation);
    return {
      isGone: () => (this.#gone.get(operation)?.times ?? 0) > (before?.times ?? 0),
      end: () => {
        if (isProbe) this.#probing.delete(operation);
      },
    };
  }

  /**
   * The server answered 410. The operation is retired when that is a minute or more after the first 410, without a
   * valid response in between: for 10 minutes, and twice as long after each further 410, up to an hour.
   * @returns whether it has become retired.
   */
  gone(operation: string, now: number): boolean {
    const before = this.#gone.get(operation) ?? { since: now, nextTryAt: now, waitMs: 0, times: 0 };
    const { since, times } = before;
    const waitMs = waitAfter(before, now);
    this.#gone.set(operation, { since, nextTryAt: now + waitMs, waitMs, times: times + 1 });
    return waitMs > 0 && before.waitMs === 0;
  }

  /** The operation gave a valid response. */
  works(operation: string): void {
    this.#gone.delete(operation);
  }

  /** All retired operations. */
  snapshot(): readonly Retired[] {
    return [...this.#gone].flatMap(([operation, { since, nextTryAt, waitMs }]) =>
      waitMs === 0 ? [] : [{ operation, since, nextTryAt }],
    );
  }
}

function waitAfter({ since, nextTryAt, waitMs }: Gone, now: number): number {
  if (waitMs === 0) return now - since < CONFIRMED_AFTER_MS ? 0 : FIRST_WAIT_MS;
  // Requests that were in flight together count once.
  return now < nextTryAt ? waitMs : Math.min(LONGEST_WAIT_MS, waitMs * 2);
}
