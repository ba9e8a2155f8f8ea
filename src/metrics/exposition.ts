// Families and samples in, the text of the metrics page out. Text is made when samples change, not when a scrape asks:
// each owner (a target of a collector, or the exporter itself) keeps its lines as bytes, and a page is those bytes copied
// together. Both formats share every sample line; only the header lines differ. Knows nothing of Stacks, HTTP or time.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Family, Sample } from "./family.ts";
import { type Format, headerOf } from "./header.ts";
import { type Lines, renderLines } from "./lines.ts";

// A page is copied in portions of this size, with the event loop free in between: about a millisecond each.
const PORTION_BYTES = 2 * 1024 * 1024;

interface Owner {
  lines: Lines;
  /** When true, only what outlives its source is shown: counters and histograms. */
  expired: boolean;
}

/** A page that is ready to be sent. */
export interface Page {
  readonly body: Buffer;
  /** Grows with every change, so that pages can be compared and compressed once. */
  readonly version: number;
}

/** All samples of the exporter, as text. */
export class Exposition {
  readonly #families: readonly Family[];
  readonly #index = new Map<Family, number>();
  readonly #owners = new Map<string, Owner>();
  readonly #pages = new Map<Format, { version: number; body: Promise<Buffer> }>();
  #version = 0;

  /** @param families everything that may appear, in the order of the page; names must be unique. */
  constructor(families: readonly Family[]) {
    this.#families = families;
    const names = new Set<string>();
    for (const [index, family] of families.entries()) {
      if (names.has(family.name)) throw new Error(`two families are called ${family.name}`);
      names.add(family.name);
      this.#index.set(family, index);
    }
  }

  /** Replaces all samples of an owner. Throws, and changes nothing, when one is invalid, undeclared or doubled. */
  set(owner: string, samples: Iterable<Sample>): void {
    const known = this.#owners.get(owner);
    const lines = renderLines(samples, this.#index, known?.lines);
    if (known === undefined) this.#owners.set(owner, { lines, expired: false });
    else {
      known.lines = lines;
      known.expired = false;
    }
    this.#version += 1;
  }

  /** Hides the gauges of an owner until its next `set`: old values disappear, totals stay. */
  expire(owner: string): void {
    const known = this.#owners.get(owner);
    if (known === undefined || known.expired) return;
    known.expired = true;
    this.#version += 1;
  }

  /** Number of series per family, as shown now. */
  seriesPerFamily(): Map<Family, number> {
    const counts = new Map<Family, number>();
    for (const { lines, expired } of this.#owners.values()) {
      for (const [position, index] of lines.families.entries()) {
        const family = this.#families[index];
        if (family === undefined || (expired && family.kind === "gauge")) continue;
        counts.set(family, (counts.get(family) ?? 0) + (lines.counts[position] ?? 0));
      }
    }
    return counts;
  }

  /** The page in the given format; the same bytes are handed out until something changes. */
  async page(format: Format): Promise<Page> {
    const known = this.#pages.get(format);
    if (known !== undefined && known.version === this.#version)
      return { body: await known.body, version: known.version };
    const version = this.#version;
    const body = this.#assemble(format);
    this.#pages.set(format, { version, body });
    return { body: await body, version };
  }

  async #assemble(format: Format): Promise<Buffer> {
    // Lines are never changed in place, so holding them is a consistent snapshot even while polls go on.
    const shown: { lines: Lines; expired: boolean }[] = [];
    let bytes = 0;
    for (const { lines, expired } of this.#owners.values()) {
      shown.push({ lines, expired });
      bytes += lines.bytes.length;
    }
    const headers = this.#families.map((family) => headerOf(family, format));
    for (const header of headers) bytes += header.length;
    const page = Buffer.allocUnsafeSlow(bytes + 16);
    const cursors = new Uint32Array(shown.length);

    let end = 0;
    let portion = PORTION_BYTES;
    for (const [index, family] of this.#families.entries()) {
      const start = end;
      for (const [position, { lines, expired }] of shown.entries()) {
        const cursor = cursors[position] ?? 0;
        if (lines.families[cursor] !== index) continue;
        cursors[position] = cursor + 1;
        if (expired && family.kind === "gauge") continue;
        const header = headers[index];
        if (end === start && header !== undefined) end += header.copy(page, end);
        end += lines.bytes.copy(page, end, lines.ends[cursor - 1] ?? 0, lines.ends[cursor]);
        if (end > portion) {
          portion = end + PORTION_BYTES;
          await nextTurn();
        }
      }
    }
    if (format === "openmetrics") end += page.write("# EOF\n", end, "latin1");
    return page.subarray(0, end);
  }
}
