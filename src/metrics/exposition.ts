// Families and samples in, the text of the metrics page out. Text is made when samples change, not when a scrape asks:
// each owner (a target of a collector, or the exporter itself) keeps its lines as bytes, and a page is those bytes copied
// together. Both formats share every sample line; only the header lines differ. Knows nothing of Stacks, HTTP or time.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Family, Sample } from "./family.ts";
import { type Format, headerOf } from "./header.ts";
import { endOf, type Lines, Renderer, type Shape } from "./lines.ts";

// A page is copied in portions of a few milliseconds, with the event loop free in between.
const PORTION_BYTES = 5 * 1024 * 1024;
const PORTION_COPIES = 32_768;

interface Owner {
  lines: Lines;
  /** When true, only what outlives its source is shown: counters and histograms. */
  expired: boolean;
}

interface Holder {
  readonly owner: number;
  readonly place: number;
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
  readonly #renderer = new Renderer(this.#index);
  readonly #owners = new Map<string, Owner>();
  /** Which owners have which family, and at which place of their shape; made when it is needed after a change. */
  #layout: readonly Holder[][] | undefined;
  #assembling = 0;
  readonly #pages = new Map<Format, Page>();
  /** The last page that was begun: being made, or waiting for the one before it. */
  readonly #making = new Map<
    Format,
    { readonly version: number; readonly isWaiting: boolean; readonly page: Promise<Page> }
  >();
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
    // While a page is being copied, its bytes must stay what they are.
    const lines = this.#renderer.render(samples, known?.lines, this.#assembling === 0);
    if (known?.lines.shape !== lines.shape) this.#layout = undefined;
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
    const shapes = new Map<Shape, { all: number; expired: number }>();
    for (const { lines, expired } of this.#owners.values()) {
      const seen = shapes.get(lines.shape) ?? { all: 0, expired: 0 };
      shapes.set(lines.shape, { all: seen.all + 1, expired: seen.expired + (expired ? 1 : 0) });
    }
    const counts = new Map<Family, number>();
    for (const [{ families, stops }, { all, expired }] of shapes) {
      for (const [place, index] of families.entries()) {
        const family = this.#families[index] as Family;
        const owners = family.kind === "gauge" ? all - expired : all;
        const lines = (stops[place] as number) - (stops[place - 1] ?? 0);
        if (owners > 0) counts.set(family, (counts.get(family) ?? 0) + owners * lines);
      }
    }
    return counts;
  }

  /**
   * The page in the given format; the same bytes are handed out until something changes. Whoever asks while a page is
   * being made of older samples waits for the next one, and shares it with all who asked meanwhile.
   */
  async page(format: Format): Promise<Page> {
    const known = this.#pages.get(format);
    if (known !== undefined && known.version === this.#version) return known;
    let making = this.#making.get(format);
    if (making?.version !== this.#version) {
      const before = making?.page;
      making = making?.isWaiting
        ? making
        : { version: this.#version, isWaiting: before !== undefined, page: this.#make(format, before) };
      this.#making.set(format, making);
    }
    return making.page;
  }

  async #make(format: Format, before: Promise<Page> | undefined): Promise<Page> {
    await before?.catch(() => undefined);
    const version = this.#version;
    const making = this.#making.get(format);
    if (making !== undefined && before !== undefined)
      this.#making.set(format, { ...making, version, isWaiting: false });
    const page = { body: await this.#assemble(format), version };
    this.#pages.set(format, page);
    return page;
  }

  async #assemble(format: Format): Promise<Buffer> {
    this.#assembling += 1;
    try {
      return await this.#copy(format);
    } finally {
      this.#assembling -= 1;
    }
  }

  async #copy(format: Format): Promise<Buffer> {
    this.#layout ??= layoutOf(this.#families.length, this.#owners.values());
    const layout = this.#layout;
    // Nothing is written into these lines while a page is copied: a consistent snapshot, even while polls go on.
    const shown = [...this.#owners.values()].map(({ lines, expired }) => ({ lines, expired }));
    let size = shown.reduce((sum, { lines }) => sum + lines.bytes.length, 16);
    for (const family of this.#families) size += headerOf(family, format).length;
    const page = Buffer.allocUnsafeSlow(size);

    let end = 0;
    let portion = PORTION_BYTES;
    let copies = 0;
    for (const [index, family] of this.#families.entries()) {
      const start = end;
      for (const { owner, place } of layout[index] as Holder[]) {
        const { lines, expired } = shown[owner] as Owner;
        if (expired && family.kind === "gauge") continue;
        if (end === start) end += headerOf(family, format).copy(page, end);
        end += lines.bytes.copy(page, end, endOf(lines, place - 1), endOf(lines, place));
        copies += 1;
        if (end > portion || copies === PORTION_COPIES) {
          portion = end + PORTION_BYTES;
          copies = 0;
          await nextTurn();
        }
      }
    }
    if (format === "openmetrics") end += page.write("# EOF\n", end, "latin1");
    return page.subarray(0, end);
  }
}

function layoutOf(families: number, owners: Iterable<Owner>): Holder[][] {
  const layout: Holder[][] = Array.from({ length: families }, () => []);
  let owner = 0;
  for (const { lines } of owners) {
    for (const [place, index] of lines.shape.families.entries()) layout[index]?.push({ owner, place });
    owner += 1;
  }
  return layout;
}
