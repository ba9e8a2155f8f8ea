// The page at /metrics: renews the self-metrics, expires old values, and compresses each version once.
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Request } from "express";
import type { Exposition, Format } from "../exposition/exposition.ts";

// Process metrics change all the time; renewing them more often than the usual scrape interval is wasted work.
const OWN_MAX_AGE_MS = 5000;

interface Sources {
  readonly exposition: Exposition;
  /** Renews the samples of the self-metrics. */
  readonly renew: () => Promise<void>;
  readonly expire: (now: number) => void;
  readonly now: () => number;
  /** Called when `renew` fails; the page keeps the previous samples. */
  readonly onError: (error: unknown) => void;
}

const compress = promisify(gzip);
const CHUNK_BYTES = 256 * 1024;

/** Serves the page; the same bytes while nothing changes. */
export class MetricsPage {
  readonly #sources: Sources;
  #ownAt = Number.NEGATIVE_INFINITY;
  #renewing: Promise<void> | undefined;
  /** The last page of each format, plain and compressed, and its version. */
  readonly #bodies = new Map<string, { readonly version: number; readonly body: Promise<Buffer> }>();

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Makes the next scrape renew the self-metrics, after a change. */
  touch(): void {
    this.#ownAt = Number.NEGATIVE_INFINITY;
  }

  /** The page in a format, compressed off the main thread when requested. */
  async body(format: Format, isCompressed: boolean): Promise<Buffer> {
    const { exposition, expire, renew, now, onError } = this.#sources;
    const at = now();
    expire(at);
    const isOld = at - this.#ownAt >= OWN_MAX_AGE_MS || at < this.#ownAt;
    if (isOld && this.#renewing === undefined) {
      // Before it begins: what changes meanwhile needs another one.
      this.#ownAt = at;
      this.#renewing = renew()
        .catch(onError)
        .finally(() => {
          this.#renewing = undefined;
        });
    }
    // Simultaneous scrapes share one renewal.
    await this.#renewing;
    const { version } = exposition;
    const key = `${format} ${isCompressed}`;
    const known = this.#bodies.get(key);
    // Simultaneous scrapes share one page, and one compression.
    if (known?.version === version) return known.body;
    // The memory of older pages is free before another one is made.
    for (const [one, { version: of }] of this.#bodies) if (of !== version) this.#bodies.delete(one);
    const page = exposition.page(format);
    // The memory of a page is free as soon as it is compressed. Level 1 is the fastest, and within two percent of the
    // size of the best. Each chunk waits for the event loop: small ones delay a scrape during polls.
    const options = { level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES };
    const body = isCompressed ? compress(page, options) : Promise.resolve(page);
    this.#bodies.set(key, { version, body });
    body.catch(() => this.#bodies.delete(key));
    return body;
  }
}

/** Content types, exactly as the formats demand. */
const CONTENT_TYPE: Readonly<Record<Format, string>> = {
  classic: "text/plain; version=0.0.4; charset=utf-8",
  openmetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8",
};

/** The preferred format of a client; the classic one if it accepts neither: Prometheus prefers that to a 406. */
export function formatFor(request: Request): { readonly format: Format; readonly type: string } {
  const { headers } = request;
  // A parameter of Prometheus that does not choose between the formats.
  headers.accept = headers.accept?.replace(/;\s*escaping=[^;,]*/gi, "");
  const isOpen = request.accepts(Object.values(CONTENT_TYPE)) === CONTENT_TYPE.openmetrics;
  const format = isOpen ? "openmetrics" : "classic";
  return { format, type: CONTENT_TYPE[format] };
}
