// The page of one format, compressed once per version.
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { Exposition } from "../exposition/exposition.ts";
import type { Format } from "../exposition/text.ts";

const compress = promisify(gzip);

/** Compresses the page off the main thread, one version at a time: each compression holds a page in memory. */
export class CompressedPage {
  readonly #exposition: Exposition;
  readonly #format: Format;
  #known: { readonly version: number; readonly body: Buffer } | undefined;
  /** Settles when the compression in progress ends. */
  #running: Promise<unknown> = Promise.resolve();
  /** The compression that has not begun: requests that arrive now share it. */
  #next: Promise<Buffer> | undefined;

  constructor(exposition: Exposition, format: Format) {
    this.#exposition = exposition;
    this.#format = format;
  }

  /** The compressed page as it is now, or newer. */
  async body(): Promise<Buffer> {
    if (this.#known?.version === this.#exposition.version) return this.#known.body;
    if (this.#next === undefined) {
      this.#next = this.#running.then(() => this.#compress());
      this.#running = this.#next.catch(() => undefined);
    }
    return this.#next;
  }

  async #compress(): Promise<Buffer> {
    this.#next = undefined;
    const { version } = this.#exposition;
    if (this.#known?.version === version) return this.#known.body;
    // Level 1 is the fastest, and within two percent of the size of the best.
    const body = await compress(this.#exposition.page(this.#format), { level: constants.Z_BEST_SPEED });
    this.#known = { version, body };
    return body;
  }
}
