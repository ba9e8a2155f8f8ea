// Putting a page together: from the lines of all owners, or from the page before when only values changed; that one is
// written over when nobody reads it. All go in portions of a few milliseconds, with the event loop free in between.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BufferPool } from "./buffer-pool.ts";
import type { Family } from "./family.ts";
import { type Format, headerOf } from "./header.ts";
import { endOf, type Lines } from "./lines.ts";

const PORTION_MS = 2;
// Between two looks at the clock: a few tenths of a millisecond.
const STEP_COPIES = 512;
const STEP_BYTES = 1024 * 1024;

/** The samples of one owner as they are shown. */
export interface Owner {
  /** Place among the owners in the newest layout. */
  place: number;
  lines: Lines;
  /** When true, only what outlives its source is shown: counters and histograms. */
  expired: boolean;
}

/** A page that is ready to be sent. */
export interface Page {
  readonly body: Buffer;
  /** Grows with every change, so that pages can be compared and compressed once. To be read before the release. */
  readonly version: number;
  /** Says that the body is not read any more by whoever asked for the page; at most once per page asked for. */
  release(): void;
}

/** Which owners have which family; flat, because a large watch list has as many entries as gauges. */
export interface Layout {
  /** For each family: where its entries begin in `owners` and `places`, and where those of the last one end. */
  readonly starts: Uint32Array;
  /** For each entry, the place of the owner. */
  readonly owners: Uint32Array;
  /** For each entry, the place of the family in the shape of that owner. */
  readonly places: Uint32Array;
  /** For each owner: where its families begin among those of all owners. */
  readonly bases: Uint32Array;
}

/** A page, with what is needed to make the next one from it. Its version is given to it when it is whole. */
export class MadePage implements Page {
  readonly body: Buffer;
  version = 0;
  readonly layout: Layout;
  /** For each family of each owner that is shown: where its lines begin in the body. */
  readonly offsets: Uint32Array;
  /** How many were handed the page and have not released it. */
  readers = 0;
  readonly #memory: Buffer;
  readonly #buffers: BufferPool;
  #isRetired = false;

  constructor(memory: Buffer, length: number, layout: Layout, offsets: Uint32Array, buffers: BufferPool) {
    this.body = memory.subarray(0, length);
    this.layout = layout;
    this.offsets = offsets;
    this.#memory = memory;
    this.#buffers = buffers;
  }

  /** There is a newer page: nobody will be handed this one any more. */
  retire(): void {
    this.#isRetired = true;
    this.#giveBack();
  }

  release(): void {
    this.readers -= 1;
    this.#giveBack();
  }

  #giveBack(): void {
    if (this.#isRetired && this.readers === 0) this.#buffers.give(this.#memory);
  }
}

/** Adds to a place of an array; returns what was there. */
function add(counts: Uint32Array, place: number, more: number): number {
  const before = counts[place] as number;
  counts[place] = before + more;
  return before;
}

/** The layout of owners in their order; gives each its place. */
export function layoutOf(families: number, owners: ReadonlyMap<string, Owner>): Layout {
  const starts = new Uint32Array(families + 1);
  const bases = new Uint32Array(owners.size);
  // Asked of each owner once: what lies apart in memory takes longer to reach than to work on.
  const held: (readonly number[])[] = [];
  let entries = 0;
  for (const owner of owners.values()) {
    owner.place = held.length;
    bases[owner.place] = entries;
    const { families: all } = owner.lines.shape;
    held.push(all);
    entries += all.length;
    for (let at = 0; at < all.length; at += 1) add(starts, (all[at] as number) + 1, 1);
  }
  for (let family = 0; family < families; family += 1) add(starts, family + 1, starts[family] as number);

  const ends = starts.slice(0, families);
  const layout = { starts, owners: new Uint32Array(entries), places: new Uint32Array(entries), bases };
  for (let owner = 0; owner < held.length; owner += 1) {
    const all = held[owner] as readonly number[];
    for (let at = 0; at < all.length; at += 1) {
      const entry = add(ends, all[at] as number, 1);
      layout.owners[entry] = owner;
      layout.places[entry] = at;
    }
  }
  return layout;
}

interface Parts {
  readonly families: readonly Family[];
  readonly format: Format;
  readonly layout: Layout;
  /** Of the lines of all owners. */
  readonly bytes: number;
  readonly buffers: BufferPool;
}

/** Lets others have the event loop when a portion has taken its time. */
class Pace {
  #begun = performance.now();

  get isOver(): boolean {
    return performance.now() - this.#begun >= PORTION_MS;
  }

  async rest(): Promise<void> {
    await nextTurn();
    this.#begun = performance.now();
  }
}

/** A page from the lines of all owners. */
export async function composePage(
  { families, format, layout, bytes, buffers }: Parts,
  owners: Iterable<Owner>,
): Promise<MadePage> {
  const pace = new Pace();
  // Nothing is written into these lines while a page is made: a consistent snapshot, even while polls go on.
  const lines: Lines[] = [];
  const expired = new Set<number>();
  for (const owner of owners) {
    if (owner.expired) expired.add(lines.length);
    lines.push(owner.lines);
  }
  let size = bytes + 16;
  for (const family of families) size += headerOf(family, format).length;
  const page = buffers.take(size);
  const offsets = new Uint32Array(layout.owners.length);
  if (pace.isOver) await pace.rest();

  let end = 0;
  let copies = 0;
  for (const [index, family] of families.entries()) {
    const start = end;
    const stop = layout.starts[index + 1] as number;
    for (let entry = layout.starts[index] as number; entry < stop; entry += 1) {
      const owner = layout.owners[entry] as number;
      const place = layout.places[entry] as number;
      if (!family.isLasting && expired.has(owner)) continue;
      if (end === start) end += headerOf(family, format).copy(page, end);
      const shown = lines[owner] as Lines;
      offsets[(layout.bases[owner] as number) + place] = end;
      end += shown.bytes.copy(page, end, endOf(shown, place - 1), endOf(shown, place));
      copies += 1;
      if (copies % STEP_COPIES === 0 && pace.isOver) await pace.rest();
    }
  }
  if (format === "openmetrics") end += page.write("# EOF\n", end, "latin1");
  return new MadePage(page, end, layout, offsets, buffers);
}

/** A copy of a page to be written over, because the page itself may still be on its way to somebody. */
export async function copyPage({ body, layout, offsets }: MadePage, buffers: BufferPool): Promise<MadePage> {
  const pace = new Pace();
  const memory = buffers.take(body.length);
  for (let start = 0; start < body.length; start += STEP_BYTES) {
    body.copy(memory, start, start, start + STEP_BYTES);
    if (pace.isOver) await pace.rest();
  }
  return new MadePage(memory, body.length, layout, offsets, buffers);
}

/** Writes the values of some owners over those on a page that nobody reads. */
export async function writeValues(page: MadePage, values: readonly Pick<Owner, "place" | "lines">[]): Promise<void> {
  const pace = new Pace();
  let copies = 0;
  for (const owner of values) {
    copies += writeOwner(page, owner);
    if (copies < STEP_COPIES) continue;
    copies = 0;
    if (pace.isOver) await pace.rest();
  }
}

/** Writes the values of one owner over those on a page that nobody reads; returns how many. */
export function writeOwner(
  { body, layout, offsets }: MadePage,
  { place: owner, lines }: Pick<Owner, "place" | "lines">,
): number {
  const { shape, marks, bytes } = lines;
  const base = layout.bases[owner] as number;
  let line = 0;
  let start = 0;
  for (let place = 0; place < shape.stops.length; place += 1) {
    const shift = (offsets[base + place] as number) - start;
    const stop = shape.stops[place] as number;
    for (; line < stop; line += 1) {
      const from = marks[line * 2] as number;
      const to = (marks[line * 2 + 1] as number) - 1;
      // A value has a few digits: copying them here is faster than asking the runtime to.
      for (let at = from; at < to; at += 1) body[at + shift] = bytes[at] as number;
    }
    start = marks[line * 2 - 1] as number;
  }
  return line;
}
