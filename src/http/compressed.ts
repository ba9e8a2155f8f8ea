// The page of one format, compressed once per version.
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Page } from "../exposition/page.ts";

const compress = promisify(gzip);

/** Compresses the page off the main thread, at most one version at a time: each holds a page while it lasts. */
export class CompressedPage {
  readonly #takePage: () => Promise<Page>;
  #known: { readonly version: number; readonly body: Buffer } | undefined;
  /** Settles when nothing is compressed any more. */
  #running: Promise<void> = Promise.resolve();
  /** The compression that has not begun: requests that come now share it. */
  #next: Promise<Buffer> | undefined;

  /** @param takePage the newest page, to be released. */
  constructor(takePage: () => Promise<Page>) {
    this.#takePage = takePage;
  }

  /** The compressed body of this version of the page, or of a newer one. Rejects when no page can be made. */
  async body(version: number): Promise<Buffer> {
    if (this.#known?.version === version) return this.#known.body;
    if (this.#next === undefined) {
      this.#next = this.#running.then(() => this.#compress());
      this.#running = this.#next.then(
        () => undefined,
        () => undefined,
      );
    }
    return this.#next;
  }

  async #compress(): Promise<Buffer> {
    this.#next = undefined;
    const page = await this.#takePage();
    try {
      if (this.#known?.version === page.version) return this.#known.body;
      // Level 1 is the fastest, and within two percent of the size of the best.
      const body = await compress(page.body, { level: constants.Z_BEST_SPEED });
      this.#known = { version: page.version, body };
      return body;
    } finally {
      page.release();
    }
  }
}
