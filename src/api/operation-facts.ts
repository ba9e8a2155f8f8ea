// What is known of each operation since the start, for status pages.

/** The latest about one operation; times are Unix milliseconds. */
export interface OperationFacts {
  readonly operation: string;
  /** Requests that left. */
  readonly requests: number;
  /** Outcome of the latest request, as reported to the observer. */
  readonly lastCode: string | undefined;
  readonly lastRequestAt: number | undefined;
  /** Latest valid answer: 200, 304, or a 404 where that is an answer. */
  readonly lastGoodAt: number | undefined;
  /** Latest answer that announced the end of the operation. */
  readonly deprecatedAt: number | undefined;
}

/** A ledger of the above. */
export class OperationLedger {
  readonly #facts = new Map<string, OperationFacts>();

  /** A request has come to its end. */
  requested(operation: string, code: string, now: number): void {
    const before = this.#of(operation);
    this.#facts.set(operation, { ...before, requests: before.requests + 1, lastCode: code, lastRequestAt: now });
  }

  /** The answer was valid. */
  good(operation: string, now: number): void {
    this.#facts.set(operation, { ...this.#of(operation), lastGoodAt: now });
  }

  /** The answer announced the end of the operation. */
  deprecated(operation: string, now: number): void {
    this.#facts.set(operation, { ...this.#of(operation), deprecatedAt: now });
  }

  /** Everything known, in the order in which operations were first asked. */
  snapshot(): readonly OperationFacts[] {
    return [...this.#facts.values()];
  }

  #of(operation: string): OperationFacts {
    const unknown = { lastCode: undefined, lastRequestAt: undefined, lastGoodAt: undefined, deprecatedAt: undefined };
    return this.#facts.get(operation) ?? { operation, requests: 0, ...unknown };
  }
}
