// Putting a page together: all at once from the lines of all owners, or from the page before when only values changed. Both
// go in portions of a few milliseconds, with the event loop free in between.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { BufferPool } from "./buffer-pool.ts";
import type { Family } from "./family.ts";
import { type Format, headerOf } from "./header.ts";
import { endOf, type Lines } from "./lines.ts";

const PORTION_BYTES = 2 * 1024 * 1024;
const PORTION_COPIES = 8192;

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
  /** Grows with every change, so that pages can be compared and compressed once. */
  readonly version: number;
  /** Says that the body is not read any more by whoever asked for the page; at most once per page asked for. */
  release(): void;
}

/** Which owners have which family. */
export interface Layout {
  /** For each family: the places of the owners that have it, and the place of the family in the shape of each. */
  readonly holders: readonly { readonly owners: number[]; readonly places: number[] }[];
  /** For each owner: where its families begin among those of all owners. */
  readonly bases: readonly number[];
}

/** A page, with what is needed to make the next one from it. */
export class MadePage implements Page {
  readonly body: Buffer;
  readonly version: number;
  readonly layout: Layout;
  /** For each family of each owner: where its lines begin in the body. */
  readonly offsets: Uint32Array;
  /** Owners whose values, and nothing else, changed since; undefined when something else did. */
  patched: Set<Owner> | undefined;
  /** How many were handed the page and have not released it. */
  readers = 0;
  readonly #memory: Buffer;
  readonly #buffers: BufferPool;
  #isRetired = false;

  constructor(
    made: { body: Buffer; version: number; layout: Layout; offsets: Uint32Array; patched: Set<Owner> | undefined },
    memory: Buffer,
    buffers: BufferPool,
  ) {
    this.body = made.body;
    this.version = made.version;
    this.layout = made.layout;
    this.offsets = made.offsets;
    this.patched = made.patched;
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

/** The layout of owners in their order; gives each its place. */
export function layoutOf(families: number, owners: Iterable<Owner>): Layout {
  const holders = Array.from({ length: families }, () => ({ owners: [] as number[], places: [] as number[] }));
  const bases: number[] = [];
  let base = 0;
  let owner = 0;
  for (const one of owners) {
    const { lines } = one;
    one.place = owner;
    bases.push(base);
    base += lines.shape.families.length;
    for (const [place, index] of lines.shape.families.entries()) {
      holders[index]?.owners.push(owner);
      holders[index]?.places.push(place);
    }
    owner += 1;
  }
  bases.push(base);
  return { holders, bases };
}

interface Parts {
  readonly families: readonly Family[];
  readonly format: Format;
  readonly layout: Layout;
  readonly version: number;
  readonly buffers: BufferPool;
}

/** A page from the lines of all owners. */
export async function composePage(
  { families, format, layout, version, buffers }: Parts,
  owners: Iterable<Owner>,
): Promise<MadePage> {
  // Nothing is written into these lines while a page is made: a consistent snapshot, even while polls go on.
  const shown = [...owners].map(({ lines, expired }) => ({ lines, expired }));
  let size = shown.reduce((sum, { lines }) => sum + lines.bytes.length, 16);
  for (const family of families) size += headerOf(family, format).length;
  const page = buffers.take(size);
  const offsets = new Uint32Array(layout.bases.at(-1) ?? 0);

  let end = 0;
  let portion = PORTION_BYTES;
  let copies = 0;
  for (const [index, family] of families.entries()) {
    const start = end;
    const { owners: holders, places } = layout.holders[index] as Layout["holders"][number];
    for (let at = 0; at < holders.length; at += 1) {
      const owner = holders[at] as number;
      const place = places[at] as number;
      const { lines, expired } = shown[owner] as { lines: Lines; expired: boolean };
      if (expired && family.kind === "gauge") continue;
      if (end === start) end += headerOf(family, format).copy(page, end);
      offsets[(layout.bases[owner] as number) + place] = end;
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
  const isWhole = shown.every(({ expired }) => !expired);
  const body = page.subarray(0, end);
  return new MadePage({ body, version, layout, offsets, patched: isWhole ? new Set() : undefined }, page, buffers);
}

/** The page before with the values of some owners anew; its own bytes stay, since they may still be on their way to somebody. */
export async function patchPage(
  before: MadePage,
  owners: Iterable<Owner>,
  version: number,
  buffers: BufferPool,
): Promise<MadePage> {
  const { layout, offsets } = before;
  // Taken before the first turn ends: lines that come later may have other widths, and do not fit into this page.
  const changed = [...owners].map(({ place, lines }) => ({ place, lines }));
  const memory = buffers.take(before.body.length);
  const body = memory.subarray(0, before.body.length);
  for (let start = 0; start < body.length; start += PORTION_BYTES) {
    if (start > 0) await nextTurn();
    before.body.copy(body, start, start, start + PORTION_BYTES);
  }
  let copies = 0;
  for (const { place, lines } of changed) {
    copies += patchOwner(body, lines, offsets, layout.bases[place] as number);
    if (copies >= PORTION_COPIES) {
      copies = 0;
      await nextTurn();
    }
  }
  return new MadePage({ body, version, layout, offsets, patched: new Set() }, memory, buffers);
}

function patchOwner(body: Buffer, { shape, marks, bytes }: Lines, offsets: Uint32Array, base: number): number {
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
