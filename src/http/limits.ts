// Limits of the HTTP server. They are constants because no operator has a reason to change them.

/** Limits of a server. */
export interface Limits {
  /** Open connections. */
  readonly connections: number;
  /** Pages rendered or sent at the same time: `/metrics` and the status. */
  readonly pages: number;
  /** Bytes of different bodies sent at the same time; one page and its compressed forms always fit. */
  readonly bytes: number;
  /** A client that reads nothing of its page for this long is cut off. Milliseconds. */
  readonly stalledMs: number;
  /** A client that reads nothing for this long is cut off when another one needs its place. Milliseconds. */
  readonly yieldMs: number;
  /** Size of request headers. */
  readonly headerBytes: number;
  /** Time to receive the headers of a request. Milliseconds. */
  readonly headersMs: number;
  /** Time to receive a whole request. Milliseconds. */
  readonly requestMs: number;
  /** Time between two requests of a connection: longer than the usual scrape interval. Milliseconds. */
  readonly idleMs: number;
}

/** The limits of the exporter. */
export const LIMITS: Limits = {
  connections: 256,
  pages: 64,
  bytes: 64 * 1024 * 1024,
  stalledMs: 30_000,
  yieldMs: 500,
  headerBytes: 16 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  idleMs: 75_000,
};
