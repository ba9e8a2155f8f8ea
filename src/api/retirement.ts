// Operations the server has switched off (410): asked again once an hour, so that nobody has to restart when they return.

const RETRY_MS = 3_600_000;

/** One retired operation. */
export interface Retired {
  readonly operation: string;
  /** First 410 in a row, Unix time in milliseconds. */
  readonly since: number;
  /** Latest 410, Unix time in milliseconds. */
  readonly confirmedAt: number;
  /** When it may be asked again, Unix time in milliseconds. */
  readonly nextTryAt: number;
}

/** Which operations of one network are retired. */
export class Retirement {
  readonly #retired = new Map<string, { readonly since: number; readonly confirmedAt: number }>();
  readonly #probing = new Set<string>();

  /** Whether asking now would fail without a request. */
  isRetired(operation: string, now: number): boolean {
    const state = this.#retired.get(operation);
    return state !== undefined && (this.#probing.has(operation) || now < state.confirmedAt + RETRY_MS);
  }

  /**
   * Lets one call of an operation through after the hour; it must be ended. Undefined when the call has to fail.
   * A probing call may ask although `isRetired` holds, for all others, until it has ended.
   */
  begin(operation: string, now: number): { readonly probing: boolean; end(): void } | undefined {
    if (this.isRetired(operation, now)) return undefined;
    const probing = this.#retired.has(operation);
    if (probing) this.#probing.add(operation);
    return { probing, end: () => probing && this.#probing.delete(operation) };
  }

  /** The operation answered 410. */
  gone(operation: string, now: number): void {
    this.#retired.set(operation, { since: this.#retired.get(operation)?.since ?? now, confirmedAt: now });
  }

  /** The operation did its work. */
  works(operation: string): void {
    this.#retired.delete(operation);
  }

  /** All retired operations. */
  snapshot(): readonly Retired[] {
    return [...this.#retired].map(([operation, { since, confirmedAt }]) => ({
      operation,
      since,
      confirmedAt,
      nextTryAt: confirmedAt + RETRY_MS,
    }));
  }
}
