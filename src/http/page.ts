// The page at /metrics: renews the self-metrics, expires old values, and compresses each version once.
import type { Exposition } from "../exposition/exposition.ts";
import type { Sample } from "../exposition/family.ts";
import type { Format } from "../exposition/text.ts";
import { CompressedPage } from "./compressed.ts";

// Process metrics change all the time; renewing them more often than the usual scrape interval is wasted work.
const OWN_MAX_AGE_MS = 5000;

interface Parts {
  readonly exposition: Exposition;
  /** Collects the samples of the self-metrics. */
  readonly ownSamples: () => Promise<Iterable<Sample>>;
  /** Removes expired values. */
  readonly expire: (now: number) => void;
  readonly now: () => number;
  /** Called when `ownSamples` fails; the page keeps the previous samples. */
  readonly onError: (error: unknown) => void;
}

/** Serves the page; the same bytes while nothing changes. */
export class MetricsPage {
  readonly #parts: Parts;
  readonly #compressed: Readonly<Record<Format, CompressedPage>>;
  #ownAt = Number.NEGATIVE_INFINITY;
  #renewing: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { exposition } = parts;
    this.#compressed = {
      classic: new CompressedPage(exposition, "classic"),
      openmetrics: new CompressedPage(exposition, "openmetrics"),
    };
  }

  /** Makes the next scrape renew the self-metrics, after a change. */
  touch(): void {
    this.#ownAt = Number.NEGATIVE_INFINITY;
  }

  /** The page in a format, compressed off the main thread when asked. */
  async body(format: Format, isCompressed: boolean): Promise<Buffer> {
    const { exposition, expire, now } = this.#parts;
    expire(now());
    if (now() - this.#ownAt >= OWN_MAX_AGE_MS || now() < this.#ownAt) await this.#renewOnce();
    return isCompressed ? this.#compressed[format].body() : exposition.page(format);
  }

  // Simultaneous scrapes share one renewal.
  #renewOnce(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    const { exposition, ownSamples, now, onError } = this.#parts;
    const at = now();
    try {
      exposition.set("exporter", await ownSamples());
    } catch (error) {
      onError(error);
    }
    this.#ownAt = at;
  }
}
