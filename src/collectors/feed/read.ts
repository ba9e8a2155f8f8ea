// Reads a list that is newest first, from its top or from where the last reading ended, down to something known. The list
// moves while it is read: pages overlap, and what does not fit together is read again.
import { ApiError, isShortage } from "../../api/errors.ts";

/** One row of a list. */
export interface Row {
  /** Unique in the list. */
  readonly id: string;
  /** Changes when the same row moves to another block; empty where the list does not tell. */
  readonly hash: string;
  /** It was there at first sight, and does not count. */
  readonly isOld?: boolean | undefined;
  /** Its place in the list, compared with that of other rows: higher is newer. Absent where blocks tell the order. */
  readonly rank?: number | undefined;
}

/** One page of a list. */
export interface Page<Item extends Row> {
  /** Newest first. */
  readonly rows: readonly Item[];
  /** Rows of the whole list; undefined where the server does not count them. */
  readonly total: number | undefined;
  /** Cursor of the next older page; undefined on the last page and where the list has no cursors. */
  readonly older: string | undefined;
  readonly isLast: boolean;
  /** Validator of the list; undefined when there is none. */
  readonly etag: string | undefined;
}

/** A list as an operation offers it. */
export interface List<Item extends Row> {
  /** Name of the operation. */
  readonly operation: string;
  /** Whether pages follow each other by cursor; otherwise by offset. */
  readonly hasCursors: boolean;
  /** Reads a page. The row that a cursor names can be gone: then `undefined`. */
  page(offset: number, cursor: string | undefined): Promise<Page<Item> | undefined>;
  /** The first page; undefined when the list has not changed since the answer with this validator. */
  changedSince(etag: string): Promise<Page<Item> | undefined>;
}

/** Where a reading ended before it reached something known. */
export interface Resume {
  /** The last row that was read, with its place where the list tells it. */
  readonly last: Row & { readonly height?: number | undefined; readonly index?: number | undefined };
  /** Rows from the top of the list down to it, itself included. */
  readonly rows: number;
  /** Rows of the whole list at that time. */
  readonly total: number | undefined;
  readonly cursor: string | undefined;
}

/** What was read. */
export interface Reading<Item extends Row> {
  /** Newest first, each row once, without what was known before. */
  readonly fresh: readonly Item[];
  /** Every row that was read, newest first. */
  readonly rows: readonly Item[];
  /** The first page that was read: the newest rows, unless the reading resumed an earlier one. */
  readonly first: Page<Item>;
  /** Where to go on; undefined when something known or the end of the list was reached. */
  readonly resume: Resume | undefined;
  /** The end of the list was reached. */
  readonly isWhole: boolean;
  /** How often the reading began again because the pages did not fit together. */
  readonly rereads: number;
  /** The reading began at the top of the list. */
  readonly isFromTop: boolean;
}

/** How far to read. */
export interface ReadLimits<Item extends Row> {
  /** Whether everything from this row down is known. */
  readonly isKnown: (row: Item) => boolean;
  /** Most pages. */
  readonly pages: number;
  /** Most rows, with those of the readings before this one. */
  readonly rows: number;
}

// As many rows may leave the list unnoticed while it is read.
const OVERLAP = 2;
const MOST_REREADS = 2;
// New rows push the others down, by more than a page when requests have to wait for the budget.
const MOST_PUSHES = 5;

/**
 * Reads the list from its top.
 * @param first the first page of the list, when it has been read already.
 * @throws ApiError `bad_body` when the list changes faster than it can be read.
 */
export async function readDown<Item extends Row>(
  list: List<Item>,
  limits: ReadLimits<Item>,
  first?: Page<Item>,
): Promise<Reading<Item>> {
  for (let rereads = 0; rereads <= MOST_REREADS; rereads += 1) {
    const reading = await tryDown(list, limits, rereads === 0 ? first : undefined, undefined);
    if (reading !== undefined) return { ...reading, rereads, isFromTop: true };
  }
  throw new ApiError("bad_body", list.operation, "the list changed faster than it could be read");
}

/** Goes on reading where a reading ended; undefined when that place is not found any more. */
export async function readOn<Item extends Row>(
  list: List<Item>,
  limits: ReadLimits<Item>,
  resume: Resume,
): Promise<Reading<Item> | undefined> {
  const reading = await tryDown(list, limits, undefined, resume);
  return reading && { ...reading, rereads: 0, isFromTop: false };
}

type Tried<Item extends Row> = Omit<Reading<Item>, "rereads" | "isFromTop">;

async function tryDown<Item extends Row>(
  list: List<Item>,
  limits: ReadLimits<Item>,
  given: Page<Item> | undefined,
  from: Resume | undefined,
): Promise<Tried<Item> | undefined> {
  const read = new Map<string, Item>();
  const fresh: Item[] = [];
  let first: Page<Item> | undefined;
  let at: Resume | undefined = from;
  let pushes = 0;
  let offset = from === undefined ? 0 : Math.max(0, from.rows - OVERLAP);
  for (let pages = 1; ; pages += 1) {
    let page: Page<Item> | undefined;
    try {
      page = at === undefined && given !== undefined ? given : await list.page(offset, at?.cursor);
    } catch (error) {
      // What was read is worth keeping.
      if (first === undefined || at === undefined || !isShortage(error)) throw error;
      return { fresh, rows: [...read.values()], first, resume: at, isWhole: false };
    }
    if (page === undefined) return undefined;
    const last = list.hasCursors ? undefined : at?.last;
    const overlap = last === undefined ? 0 : page.rows.findIndex(({ id }) => id === last.id) + 1;
    if (last !== undefined && overlap === 0) {
      // The last row was pushed to another offset, or is gone. The totals tell how far, where the server counts rows.
      pushes += 1;
      if (pushes > MOST_PUSHES || (page.isLast && pushes > 1)) return undefined;
      const grown = (page.total ?? 0) - (at?.total ?? 0);
      offset = Math.max(0, offset + (pushes === 1 && grown !== 0 ? grown : page.rows.length - OVERLAP));
      continue;
    }
    if (last !== undefined && page.rows[overlap - 1]?.hash !== last.hash) return undefined;
    pushes = 0;
    first ??= page;
    let isKnown = false;
    let isRepeated = page.rows.length > overlap;
    for (const row of page.rows.slice(overlap)) {
      const same = read.get(row.id);
      // The same row in two blocks: the chain was reorganised between two pages.
      if (same !== undefined && same.hash !== row.hash) return undefined;
      if (same !== undefined) continue;
      isRepeated = false;
      read.set(row.id, row);
      isKnown ||= limits.isKnown(row);
      if (!isKnown) fresh.push(row);
    }
    const rows = [...read.values()];
    const bottom = page.rows.at(-1);
    if (isKnown || page.isLast || bottom === undefined) {
      return { fresh, rows, first, resume: undefined, isWhole: page.isLast };
    }
    if (isRepeated) throw new ApiError("bad_body", list.operation, "a page repeats the one before");
    const above: number = list.hasCursors ? (from?.rows ?? 0) + rows.length : offset + page.rows.length;
    const { id, hash, height, index } = bottom as Resume["last"];
    at = { last: { id, hash, height, index }, rows: above, total: page.total, cursor: page.older };
    offset = Math.max(0, above - OVERLAP);
    if (pages >= limits.pages || above >= limits.rows) return { fresh, rows, first, resume: at, isWhole: false };
  }
}
