// Operations that the server does not offer: it has switched them off (410), or its version lacks them (a 404 of an
// optional operation). A single such response may be an error of the moment; after two, a minute apart, the operation
// is requested again only after some time.

const CONFIRMED_AFTER_MS = 60_000;
const FIRST_WAIT_MS = 10 * 60_000;
const LONGEST_WAIT_MS = 3_600_000;

/** Why an operation is not offered: it is switched off, or the version of the server lacks it. */
type Absence = "gone" | "unsupported";

/** A retired operation. Times are Unix time in milliseconds. */
interface Retired {
  readonly operation: string;
  /** First 410 in a row, or 404 of an optional operation. */
  readonly since: number;
  /** Time when it may be requested again. */
  readonly nextTryAt: number;
}

interface Gone extends Omit<Retired, "operation"> {
  readonly absence: Absence;
  /** From the latest such response to the next try, milliseconds; 0 until the operation is retired. */
  readonly waitMs: number;
  /** Such responses in a row. */
  readonly times: number;
}

/** The retired operations of one server. */
export class Retirement {
  readonly #gone = new Map<string, Gone>();

  /** Whether a request now would fail without being sent. */
  isRetired(operation: string, now: number): boolean {
    const gone = this.#gone.get(operation);
    return gone !== undefined && gone.waitMs > 0 && now < gone.nextTryAt;
  }

  /** Such responses in a row. If there are more than when a request was queued, its response would be the same. */
  timesOf(operation: string): number {
    return this.#gone.get(operation)?.times ?? 0;
  }

  /**
   * The server does not offer the operation. It is retired when that is a minute or more after the first such response,
   * without a valid one in between: for an hour if the version of the server lacks it; otherwise for 10 minutes, and
   * twice as long after each further response, up to an hour.
   * @returns whether it has become retired.
   */
  absent(operation: string, absence: Absence, now: number): boolean {
    const known = this.#gone.get(operation);
    const times = (known?.times ?? 0) + 1;
    const before = known?.absence === absence ? known : { absence, since: now, nextTryAt: now, waitMs: 0 };
    const waitMs = waitAfter(before, now);
    this.#gone.set(operation, { absence, since: before.since, nextTryAt: now + waitMs, waitMs, times });
    return waitMs > 0 && before.waitMs === 0;
  }

  /** Why the operation is not offered; undefined if it is. */
  absenceOf(operation: string): Absence | undefined {
    return this.#gone.get(operation)?.absence;
  }

  /** The operation gave a valid response. */
  works(operation: string): void {
    this.#gone.delete(operation);
  }

  /** All operations that the server has switched off. */
  snapshot(): readonly Retired[] {
    return [...this.#gone].flatMap(([operation, { absence, since, nextTryAt, waitMs }]) =>
      waitMs === 0 || absence !== "gone" ? [] : [{ operation, since, nextTryAt }],
    );
  }
}

function waitAfter({ absence, since, nextTryAt, waitMs }: Omit<Gone, "times">, now: number): number {
  if (waitMs === 0 && now - since < CONFIRMED_AFTER_MS) return 0;
  if (absence === "unsupported") return LONGEST_WAIT_MS;
  if (waitMs === 0) return FIRST_WAIT_MS;
  // Requests that were in flight together count once.
  return now < nextTryAt ? waitMs : Math.min(LONGEST_WAIT_MS, waitMs * 2);
}
