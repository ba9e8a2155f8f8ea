// Validators of conditional requests, and the cached responses that belong to them. Knows no network.
//
// There are two places for a validator. Most responses are cached here by URL, with their body. The list of an
// address or of a contract is not: its collector keeps the validator in its state, so that ten thousand lists cost no
// memory.
import type { Operation } from "./operation.ts";
import type { Headers } from "./rate-limits.ts";

/** A validator, and the decoded body that it belongs to; `undefined` when the caller keeps what it needs of it. */
export interface Cached {
  readonly etag: string;
  readonly body: unknown;
}

interface Entry extends Cached {
  readonly schema: Operation["body"];
  readonly bytes: number;
}

// The characters that RFC 9110 allows; others could not be sent in a header.
const ETAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

// Servers and proxies refuse requests with long headers. An index hash takes 68 characters.
const LONGEST_ETAG = 256;

/** Whether a validator can be sent: a valid ETag of at most 256 bytes. */
export function isUsableEtag(etag: string): boolean {
  return etag.length <= LONGEST_ETAG && ETAG.test(etag);
}

/** The validator of a response that may be stored; undefined when it has none that can be sent. */
export function validatorOf(headers: Headers): string | undefined {
  const etag = headers.get("etag");
  const mayStore = !/\bno-store\b/i.test(headers.get("cache-control") ?? "");
  return etag !== undefined && isUsableEtag(etag) && mayStore ? etag : undefined;
}

/**
 * Decoded bodies by exact URL; the least recently used ones are dropped first. A validator is sent only for the exact
 * URL of its response: the server gives the same ETag to unrelated URLs, and even to error responses.
 */
export class Cache {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  constructor(maxEntries: number, maxBytes: number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
  }

  /** The cached response of this URL, decoded with the schema of this operation. */
  find(operation: Operation, url: string): Cached | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined || entry.schema !== operation.body) return undefined;
    this.#entries.delete(url);
    this.#entries.set(url, entry);
    return entry;
  }

  /** Caches the body of a valid 200; without a validator, drops the cached body of this URL. */
  store(operation: Operation, url: string, etag: string | undefined, body: unknown, bytes: number): void {
    this.#drop(url);
    if (etag === undefined || bytes > this.#maxBytes) return;
    this.#entries.set(url, { etag, body, schema: operation.body, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(url: string): void {
    this.#bytes -= this.#entries.get(url)?.bytes ?? 0;
    this.#entries.delete(url);
  }
}
