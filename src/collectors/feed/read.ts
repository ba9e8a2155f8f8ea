// Reads a list, newest row first, from its top or from an open end, down to a row below which everything is processed.
// The list moves while it is read: pages overlap, and pages that do not fit together are read again.
import { ApiError, isShortage } from "../../api/errors.ts";

/** One row of a list. */
export interface Row {
  /** Unique in the list. */
  readonly id: string;
  /** Hash of the row's block; empty where the list has none. */
  readonly hash: string;
  /** Not counted: listed at the first poll, or not of the kind that the collector counts. */
  readonly isOld?: boolean | undefined;
  /** Position relative to other rows: higher is newer. Absent where blocks give the order. */
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
  /** Cursor of the next newer page; undefined as `older`. */
  readonly newer?: string | undefined;
  readonly isLast: boolean;
  /** Validator of the list; undefined when there is none. */
  readonly etag: string | undefined;
}

/** A list that an operation returns. */
export interface List<Item extends Row> {
  /** Name of the operation. */
  readonly operation: string;
  /** Whether pages are requested by cursor; otherwise by offset. */
  readonly hasCursors: boolean;
  /** Reads a page; undefined when the row that the cursor names is gone. */
  page(offset: number, cursor: string | undefined): Promise<Page<Item> | undefined>;
  /** Reads the first page; undefined when the list has not changed since the response with this validator. */
  changedSince(etag: string): Promise<Page<Item> | undefined>;
}

/** An open end: where reading stopped before it reached processed rows. */
export interface OpenEnd {
  /** The last row that was read, with its position where the list has it. */
  readonly last: Row & { readonly height?: number | undefined; readonly index?: number | undefined };
  /** Rows from the top of the list down to it, itself included. */
  readonly rows: number;
  /** Rows of the whole list at that time. */
  readonly total: number | undefined;
  readonly cursor: string | undefined;
}

/** The rows of one read. */
export interface ReadResult<Item extends Row> {
  /** Rows above the processed ones, newest first. */
  readonly fresh: readonly Item[];
  /** Every row that was read, newest first, each once. */
  readonly rows: readonly Item[];
  /** The first page that was read: the newest rows, unless an earlier read was resumed. */
  readonly first: Page<Item>;
  /** Position to resume; undefined when processed rows or the end of the list were reached. */
  readonly resume: OpenEnd | undefined;
  /** The end of the list was reached. */
  readonly isWhole: boolean;
  /** Number of repeated reads because of inconsistent pages. */
  readonly rereads: number;
  /** The read started at the top of the list. */
  readonly isFromTop: boolean;
}

/** Limits of a read. */
interface ReadLimits<Item extends Row> {
  /** Whether this row and everything below it are processed. */
  readonly stopsAt: (row: Item) => boolean;
  /** Maximum number of pages. */
  readonly pages: number;
  /** Maximum number of rows, including those above the open end. */
  readonly rows: number;
}

// Up to this many rows can leave the list unnoticed during a read.
const OVERLAP = 2;
const MAX_REREADS = 2;
// New rows push the others down, by more than a page when requests have to wait for the budget.
const MAX_PUSHES = 5;

/**
 * Reads the list from its top.
 * @param first the first page, if it has been read already.
 * @throws ApiError `bad_body` when the list changes faster than it can be read.
 */
export async function readFromTop<Item extends Row>(
  list: List<Item>,
  limits: ReadLimits<Item>,
  first?: Page<Item>,
): Promise<ReadResult<Item>> {
  for (let rereads = 0; rereads <= MAX_REREADS; rereads += 1) {
    const result = await readPages(list, limits, rereads === 0 ? first : undefined, undefined);
    if (result !== undefined) return { ...result, rereads, isFromTop: true };
  }
  throw new ApiError("bad_body", list.operation, "the list changed faster than it could be read");
}

/** Resumes reading at an open end; undefined if that row is no longer found. */
export async function readFromOpenEnd<Item extends Row>(
  list: List<Item>,
  limits: ReadLimits<Item>,
  open: OpenEnd,
): Promise<ReadResult<Item> | undefined> {
  const result = await readPages(list, limits, undefined, open);
  return result && { ...result, rereads: 0, isFromTop: false };
}

/** Reads pages; undefined when they do not fit together. */
async function readPages<Item extends Row>(
  list: List<Item>,
  limits: ReadLimits<Item>,
  given: Page<Item> | undefined,
  open: OpenEnd | undefined,
): Promise<Omit<ReadResult<Item>, "rereads" | "isFromTop"> | undefined> {
  const read = new Map<string, Item>();
  const fresh: Item[] = [];
  let first: Page<Item> | undefined;
  let at = open;
  let pushes = 0;
  let offset = open === undefined ? 0 : Math.max(0, open.rows - OVERLAP);
  for (let pages = 1; ; pages += 1) {
    let page: Page<Item> | undefined;
    try {
      page = at === undefined && given !== undefined ? given : await list.page(offset, at?.cursor);
    } catch (error) {
      // Out of budget: the pages that were read are used.
      if (first === undefined || at === undefined || !isShortage(error)) throw error;
      return { fresh, rows: [...read.values()], first, resume: at, isWhole: false };
    }
    if (page === undefined) return undefined;
    const last = list.hasCursors ? undefined : at?.last;
    const overlap = last === undefined ? 0 : page.rows.findIndex(({ id }) => id === last.id) + 1;
    if (last !== undefined && overlap === 0) {
      // The last row is at another offset, or gone. The change of the total is the distance, if there is one.
      pushes += 1;
      if (pushes > MAX_PUSHES || (page.isLast && pushes > 1)) return undefined;
      const grown = (page.total ?? 0) - (at?.total ?? 0);
      offset = Math.max(0, offset + (pushes === 1 && grown !== 0 ? grown : page.rows.length - OVERLAP));
      continue;
    }
    if (last !== undefined && page.rows[overlap - 1]?.hash !== last.hash) return undefined;
    pushes = 0;
    first ??= page;
    let isProcessed = false;
    let isRepeated = page.rows.length > overlap;
    for (const row of page.rows.slice(overlap)) {
      const same = read.get(row.id);
      // The same row in two blocks: the chain was reorganised between two pages.
      if (same !== undefined && same.hash !== row.hash) return undefined;
      if (same !== undefined) continue;
      isRepeated = false;
      read.set(row.id, row);
      isProcessed ||= limits.stopsAt(row);
      if (!isProcessed) fresh.push(row);
    }
    const rows = [...read.values()];
    const bottom = page.rows.at(-1);
    if (isProcessed || page.isLast || bottom === undefined) {
      return { fresh, rows, first, resume: undefined, isWhole: page.isLast };
    }
    if (isRepeated) throw new ApiError("bad_body", list.operation, "a page repeats the one before");
    const above: number = list.hasCursors ? (open?.rows ?? 0) + rows.length : offset + page.rows.length;
    const { id, hash, height, index } = bottom as OpenEnd["last"];
    at = { last: { id, hash, height, index }, rows: above, total: page.total, cursor: page.older };
    offset = Math.max(0, above - OVERLAP);
    if (pages >= limits.pages || above >= limits.rows) return { fresh, rows, first, resume: at, isWhole: false };
  }
}
