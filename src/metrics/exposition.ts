// Families and samples in, the text of the metrics page out. Text is made when samples change, not when a scrape asks:
// each owner (a target of a collector, or the exporter itself) keeps its lines as bytes, and a page is those bytes copied
// together. Both formats share every sample line; only the header lines differ. Knows nothing of Stacks, HTTP or time.

import { BufferPool } from "./buffer-pool.ts";
import type { Family, Sample } from "./family.ts";
import type { Format } from "./header.ts";
import { type Lines, Renderer, type Shape } from "./lines.ts";
import { composePage, type Layout, layoutOf, type MadePage, type Owner, type Page, patchPage } from "./page.ts";

/** A page that was begun. */
interface Making {
  version: number;
  /** The page before it is still being made, so what changes meanwhile will be on it. */
  isWaiting: boolean;
  /** How many wait for it. */
  readers: number;
  page: Promise<MadePage>;
}

const sizeOf = ({ shape }: Lines): number => shape.stops.at(-1) ?? 0;

/** All samples of the exporter, as text. */
export class Exposition {
  readonly #families: readonly Family[];
  readonly #renderer: Renderer;
  readonly #owners = new Map<string, Owner>();
  /** Made when it is needed after a change. */
  #layout: Layout | undefined;
  #assembling = 0;
  readonly #pages = new Map<Format, MadePage>();
  readonly #making = new Map<Format, Making>();
  readonly #buffers = new BufferPool();
  #version = 0;
  #size = 0;

  /** @param families everything that may appear, in the order of the page; names must be unique. */
  constructor(families: readonly Family[]) {
    this.#families = families;
    const names = new Set<string>();
    for (const { name } of families) {
      if (names.has(name)) throw new Error(`two families are called ${name}`);
      names.add(name);
    }
    this.#renderer = new Renderer(new Map(families.map((family, index) => [family, index])));
  }

  /** Replaces all samples of an owner. Throws, and changes nothing, when one is invalid, undeclared or doubled. */
  set(key: string, samples: Iterable<Sample>): void {
    const owner = this.#owners.get(key);
    // While a page is being copied, its bytes must stay what they are.
    const lines = this.#renderer.render(samples, owner?.lines, this.#assembling === 0);
    this.#version += 1;
    this.#size += sizeOf(lines) - (owner === undefined ? 0 : sizeOf(owner.lines));
    if (owner === undefined) {
      this.#owners.set(key, { place: -1, lines, expired: false });
      this.#layout = undefined;
      return;
    }
    // The same lines with other values: pages need only those values.
    if (owner.lines === lines && !owner.expired) for (const page of this.#pages.values()) page.patched?.add(owner);
    else this.#spoilPages();
    if (owner.lines.shape !== lines.shape) this.#layout = undefined;
    owner.lines = lines;
    owner.expired = false;
  }

  /** Takes an owner away, with all that it had. */
  remove(key: string): void {
    const owner = this.#owners.get(key);
    if (owner === undefined) return;
    this.#owners.delete(key);
    this.#size -= sizeOf(owner.lines);
    this.#version += 1;
    this.#layout = undefined;
    this.#spoilPages();
  }

  /** Hides the gauges of an owner until its next `set`: old values disappear, totals stay. */
  expire(key: string): void {
    const owner = this.#owners.get(key);
    if (owner === undefined || owner.expired) return;
    owner.expired = true;
    this.#version += 1;
    this.#spoilPages();
  }

  #spoilPages(): void {
    for (const page of this.#pages.values()) page.patched = undefined;
  }

  /** Number of series of all owners, those included that have expired. */
  get size(): number {
    return this.#size;
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
   * being made of older samples waits for the next one, and shares it with all who asked meanwhile. Whoever gives the
   * page back with `release` lets its memory be used for a later one; nobody has to.
   */
  async page(format: Format): Promise<Page> {
    const known = this.#pages.get(format);
    if (known?.version === this.#version) {
      known.readers += 1;
      return known;
    }
    let making = this.#making.get(format);
    if (making === undefined || (making.version !== this.#version && !making.isWaiting)) {
      const before = making?.page;
      making = { version: this.#version, isWaiting: before !== undefined, readers: 0, page: Promise.reject() };
      making.page.catch(() => undefined);
      making.page = this.#make(format, making, before);
      this.#making.set(format, making);
    }
    making.readers += 1;
    return making.page;
  }

  async #make(format: Format, making: Making, before: Promise<Page> | undefined): Promise<MadePage> {
    // Also when there is none: who asks for the page is counted before it is made.
    await before?.catch(() => undefined);
    const version = this.#version;
    making.version = version;
    making.isWaiting = false;
    this.#assembling += 1;
    try {
      this.#layout ??= layoutOf(this.#families.length, this.#owners.values());
      const known = this.#pages.get(format);
      const patched = known?.layout === this.#layout ? known.patched : undefined;
      const isPatch = known !== undefined && patched !== undefined;
      // From here on, a change of values is a change of the page to come.
      if (known !== undefined) known.patched = undefined;
      const parts = { families: this.#families, format, layout: this.#layout, version, buffers: this.#buffers };
      const page = isPatch
        ? await patchPage(known, patched, version, this.#buffers)
        : await composePage(parts, this.#owners.values());
      // What changed while it was made was not written in place, so this page cannot be patched to hold it.
      if (this.#version !== version) page.patched = undefined;
      page.readers = making.readers;
      this.#pages.set(format, page);
      known?.retire();
      return page;
    } finally {
      this.#assembling -= 1;
      if (this.#making.get(format) === making) this.#making.delete(format);
    }
  }
}
