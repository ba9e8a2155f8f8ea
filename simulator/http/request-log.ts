// Every request that the simulator received.

/** One request. */
export interface LoggedRequest {
  /** Real time, Unix milliseconds, by the simulator's clock. */
  readonly at: number;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Template of the operation; undefined for an unknown route. */
  readonly template: string | undefined;
  /** Status of the response; 0 when the socket was destroyed instead. */
  readonly status: number;
  readonly ifNoneMatch: string | undefined;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const MAX_ENTRIES = 100_000;

/** The newest hundred thousand requests, and counts of all. */
export class RequestLog {
  readonly #entries: LoggedRequest[] = [];
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** The requests, oldest first. The array grows with each request. */
  get entries(): readonly LoggedRequest[] {
    return this.#entries;
  }

  /** Number of all requests ever. */
  get total(): number {
    return this.#total;
  }

  /** Number of requests per template and status, e.g. `{"/extended/v2/mempool/fees 200": 3}`. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  add(request: LoggedRequest): void {
    this.#entries.push(request);
    // Half at once: removing one from the front of a long array for each request is slow.
    if (this.#entries.length > MAX_ENTRIES) this.#entries.splice(0, MAX_ENTRIES / 2);
    const key = `${request.template ?? "unknown"} ${request.status}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#total += 1;
  }
}
