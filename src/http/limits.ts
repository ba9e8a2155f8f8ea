// Bounds of what is served at the same time. Constants: no operator has a reason to change them, and each setting can be wrong.

/** Bounds of a server. */
export interface Limits {
  /** Open connections. */
  readonly connections: number;
  /** Pages that are made or sent at the same time: `/metrics` and the status. */
  readonly pages: number;
  /** Bytes of different bodies that are sent at the same time; where a page and compressed ones are more, those. */
  readonly bytes: number;
  /** A client that takes no slice of its page for so long is cut off. Milliseconds. */
  readonly stalledMs: number;
  /** When others need the place or the memory, so long without a slice is enough. Milliseconds. */
  readonly yieldMs: number;
  /** Headers of a request. Bytes. */
  readonly headerBytes: number;
  /** Time for the headers of a request to arrive. Milliseconds. */
  readonly headersMs: number;
  /** Time for a whole request to arrive. Milliseconds. */
  readonly requestMs: number;
  /** Time between two requests of a connection: longer than the usual scrape interval. Milliseconds. */
  readonly idleMs: number;
}

/** The bounds of the exporter. */
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
