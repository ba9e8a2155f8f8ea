// Answers worth asking "has it changed?" about: conditional requests. Knows no network.
import type { Operation } from "./operation.ts";
import type { Headers } from "./retry-after.ts";

/** A stored answer and its validator. */
export interface Stored {
  readonly etag: string;
  readonly body: unknown;
}

interface Entry extends Stored {
  readonly shape: Operation["body"];
  readonly bytes: number;
}

// Opaque characters as RFC 9110 allows them; anything else could not be sent back in a header.
const ETAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

// Servers and proxies refuse requests with long headers. An index hash takes 68 characters.
const LONGEST_ETAG = 256;

/** Whether a validator can be sent back: of the form of an ETag, and at most 256 bytes long. */
export function isUsable(etag: string): boolean {
  return etag.length <= LONGEST_ETAG && ETAG.test(etag);
}

/** The validator of an answer that may be stored; undefined when it has none that can be sent back. */
export function validatorOf(headers: Headers): string | undefined {
  const etag = headers.get("etag");
  const mayStore = !/\bno-store\b/i.test(headers.get("cache-control") ?? "");
  return etag !== undefined && isUsable(etag) && mayStore ? etag : undefined;
}

/**
 * Decoded bodies by exact URL, the longest unused dropped first. The validator of an answer is sent for the very URL it came
 * from only: the server gives unrelated URLs, and even answers of failure, the same ETag.
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

  /** What is stored of this URL, decoded with the shape of this operation. */
  find(operation: Operation, url: string): Stored | undefined {
    const entry = this.#entries.get(url);
    if (entry === undefined || entry.shape !== operation.body) return undefined;
    this.#entries.delete(url);
    this.#entries.set(url, entry);
    return entry;
  }

  /** Keeps the body of a good 200, or drops what was kept when this one may not be. Answers of failure do not come here. */
  store(operation: Operation, url: string, etag: string | undefined, body: unknown, bytes: number): void {
    this.#drop(url);
    if (etag === undefined || bytes > this.#maxBytes) return;
    this.#entries.set(url, { etag, body, shape: operation.body, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  /** How much is stored; bytes of the bodies as received, unpacked. */
  snapshot(): { readonly entries: number; readonly bytes: number } {
    return { entries: this.#entries.size, bytes: this.#bytes };
  }

  #drop(url: string): void {
    this.#bytes -= this.#entries.get(url)?.bytes ?? 0;
    this.#entries.delete(url);
  }
}
