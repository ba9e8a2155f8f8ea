// Every request that reached the simulator, so that a test can count what a client asked.
import type { ReplicaSpec } from "../replicas/replica.ts";

/** One request. */
export interface LoggedRequest {
  /** Real time, Unix milliseconds, by the simulator's clock. */
  readonly at: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly path: string;
  /** Template of the operation; undefined for an unknown route. */
  readonly template: string | undefined;
  /** Status of the reply; 0 when the socket was destroyed instead. */
  readonly status: number;
  readonly ifNoneMatch: string | undefined;
  /** The replica that answered; undefined if the gateway refused the request. */
  readonly replica: ReplicaSpec["kind"] | undefined;
  /** Height of the tip of this replica at that moment. */
  readonly tip: number | undefined;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const MOST = 100_000;

/** The newest hundred thousand requests, and counts of all. */
export class RequestLog {
  #entries: LoggedRequest[] = [];
  readonly #counts = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #total = 0;

  /** The requests, oldest first. */
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

  /** Notes a request. */
  add(request: LoggedRequest): void {
    this.#entries.push(request);
    // Half at once: taking one off the front of a long list for each request would be slow.
    if (this.#entries.length > MOST) this.#entries = this.#entries.slice(-MOST / 2);
    const key = `${request.template ?? "unknown"} ${request.status}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    this.#total += 1;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves once so many requests have come in total. */
  async reached(total: number): Promise<void> {
    while (this.#total < total) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Forgets everything. */
  clear(): void {
    this.#entries = [];
    this.#counts.clear();
    this.#total = 0;
  }
}
