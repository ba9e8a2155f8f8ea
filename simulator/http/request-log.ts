// The requests that the simulator received.

/** One request. */
export interface LoggedRequest {
  /** Real time, Unix milliseconds, by the simulator's clock. */
  readonly at: number;
  /** Path and query. */
  readonly path: string;
  /** Status of the response; 0 when the socket was destroyed instead. */
  readonly status: number;
  /** Request headers, names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

const MAX_ENTRIES = 100_000;

/** Adds a request to the newest hundred thousand, which are kept. */
export function logRequest(requests: LoggedRequest[], request: LoggedRequest): void {
  requests.push(request);
  // Half at once: removing one from the front of a long array for each request is slow.
  if (requests.length > MAX_ENTRIES) requests.splice(0, MAX_ENTRIES / 2);
}
