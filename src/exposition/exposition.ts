// Families and samples in, the text of the metrics page out. Text is made when samples change, not when a scrape asks:
// each owner (a target of a collector, or the exporter itself) keeps its lines as bytes, and a page is those bytes copied
// together. Both formats share every sample line; only the header lines differ. Knows nothing of Stacks, HTTP or time.

import { setImmediate as nextTurn } from "node:timers/promises";
import { BufferPool } from "./buffer-pool.ts";
import type { Family, Sample } from "./family.ts";
import type { Format } from "./header.ts";
import { type Lines, Renderer, type Shape } from "./lines.ts";
import {
  composePage,
  copyPage,
  type Layout,
  layoutOf,
  type MadePage,
  type Owner,
  type Page,
  writeOwner,
  writeValues,
} from "./page.ts";

/** A page that was begun. */
interface Making {
  /** Of the samples that it shows; none while it is not begun, so what changes meanwhile will be on it. */
  version: number | undefined;
  /** How many wait for it. */
  readers: number;
  page: Promise<MadePage>;
}

const sizeOf = (lines: Lines | undefined): number => lines?.shape.stops.at(-1) ?? 0;

/** All samples of the exporter, as text. */
export class Exposition {
  readonly #families: readonly Family[];
  readonly #renderer: Renderer;
  readonly #owners = new Map<string, Owner>();
  /** Made when it is needed after a change. */
  #layout: Layout | undefined;
  #assembling = 0;
  readonly #pages = new Map<Format, MadePage>();
  /** Owners whose values, and nothing else, changed since the newest page of a format was begun; none when more did. */
  readonly #changed = new Map<Format, Set<Owner>>();
  readonly #making = new Map<Format, Making>();
  readonly #buffers = new BufferPool();
  #version = 0;
  #size = 0;
  #bytes = 0;

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
    this.#tally(lines, owner?.lines);
    if (owner === undefined) {
      this.#owners.set(key, { place: -1, lines, expired: false });
      this.#layout = undefined;
      return;
    }
    const isPatch = owner.lines.marks === lines.marks && !owner.expired;
    if (owner.lines.shape !== lines.shape) this.#layout = undefined;
    owner.lines = lines;
    owner.expired = false;
    // The same lines with other values: pages need only those values.
    if (isPatch) for (const [format, changed] of this.#changed) this.#patchNow(owner, this.#pages.get(format), changed);
    else this.#changed.clear();
  }

  // While its lines are at hand, they are written into a page that nobody reads and that only they make old.
  #patchNow(owner: Owner, page: MadePage | undefined, changed: Set<Owner>): void {
    if (page === undefined || page.readers > 0 || page.version !== this.#version - 1) changed.add(owner);
    else {
      writeOwner(page, owner);
      page.version = this.#version;
    }
  }

  #tally(more: Lines | undefined, less: Lines | undefined): void {
    if (more === less) return;
    this.#size += sizeOf(more) - sizeOf(less);
    this.#bytes += (more?.bytes.length ?? 0) - (less?.bytes.length ?? 0);
  }

  /** Takes an owner away, with all that it had. */
  remove(key: string): void {
    const owner = this.#owners.get(key);
    if (owner === undefined) return;
    this.#owners.delete(key);
    this.#tally(undefined, owner.lines);
    this.#version += 1;
    this.#layout = undefined;
    this.#changed.clear();
  }

  /** Hides the values of an owner that grow old until its next `set`: gauges disappear, totals and info stay. */
  expire(key: string): void {
    const owner = this.#owners.get(key);
    if (owner === undefined || owner.expired) return;
    owner.expired = true;
    this.#version += 1;
    this.#changed.clear();
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
        const owners = family.isLasting ? all : all - expired;
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
    if (making === undefined || (making.version !== undefined && making.version !== this.#version)) {
      const before = making?.page;
      making = { version: undefined, readers: 0, page: Promise.reject() };
      making.page.catch(() => undefined);
      making.page = this.#make(format, making, before);
      this.#making.set(format, making);
    }
    making.readers += 1;
    return making.page;
  }

  async #make(format: Format, making: Making, before: Promise<Page> | undefined): Promise<MadePage> {
    await before?.catch(() => undefined);
    // What asked for the page has held the event loop already; and all who ask in the same turn share it.
    await nextTurn();
    const version = this.#version;
    making.version = version;
    const changed = this.#changed.get(format);
    // From here on, a change is a change of the page to come.
    this.#changed.set(format, new Set());
    this.#assembling += 1;
    try {
      this.#layout ??= layoutOf(this.#families.length, this.#owners);
      const known = this.#pages.get(format);
      const isPatch = changed !== undefined && known?.layout === this.#layout;
      const page = isPatch ? await this.#patch(known, format, changed) : await this.#compose(format, this.#layout);
      page.version = version;
      page.readers += making.readers;
      this.#pages.set(format, page);
      if (known !== page) known?.retire();
      return page;
    } catch (error) {
      this.#changed.delete(format);
      throw error;
    } finally {
      this.#assembling -= 1;
      if (this.#making.get(format) === making) this.#making.delete(format);
    }
  }

  #compose(format: Format, layout: Layout): Promise<MadePage> {
    const parts = { families: this.#families, format, layout, bytes: this.#bytes, buffers: this.#buffers };
    return composePage(parts, this.#owners.values());
  }

  async #patch(known: MadePage, format: Format, changed: Iterable<Owner>): Promise<MadePage> {
    // Taken before the first turn ends: lines that come later may have other widths, and do not fit into this page.
    const values = Array.from(changed, ({ place, lines }) => ({ place, lines }));
    if (values.length === 0) return known;
    const isFree = known.readers === 0;
    // A page that is half written over is nobody's, also when this fails.
    if (isFree) this.#pages.delete(format);
    const page = isFree ? known : await copyPage(known, this.#buffers);
    await writeValues(page, values);
    return page;
  }
}
