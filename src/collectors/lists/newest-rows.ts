// Reads a list with cursors from its top, newest row first. The list moves while it is read: pages overlap, and pages
// that do not fit together are read again.
import { ApiError, isShortage } from "../../api/errors.ts";

/** One row of a list. */
export interface Row {
  /** Unique in the list. */
  readonly id: string;
}

/** One page of a list. */
export interface Page<Item extends Row> {
  /** Newest first. */
  readonly rows: readonly Item[];
  /** Cursor of the next older page; undefined on the last page. */
  readonly older: string | undefined;
  /** Validator of the list; undefined when there is none. */
  readonly etag: string | undefined;
}

/** A list that an operation returns. */
export interface List<Item extends Row> {
  /** Name of the operation. */
  readonly operation: string;
  /** Reads the page at a cursor, or the first one; undefined when the row that the cursor names is gone. */
  page(cursor: string | undefined): Promise<Page<Item> | undefined>;
  /** Reads the first page; undefined when the list has not changed since the response with this validator. */
  changedSince(etag: string): Promise<Page<Item> | undefined>;
}

/** The rows of one read. */
export interface ReadResult<Item extends Row> {
  /** Rows above the processed ones, newest first. */
  readonly fresh: readonly Item[];
  /** Every row that was read, newest first, each once. */
  readonly rows: readonly Item[];
  readonly first: Page<Item>;
  /** Whether processed rows or the end of the list were reached. */
  readonly isComplete: boolean;
  /** Whether the end of the list was reached. */
  readonly isWhole: boolean;
}

/** Limits of a read. */
interface ReadLimits<Item extends Row> {
  /** Whether this row and everything below it are processed. */
  readonly stopsAt: (row: Item) => boolean;
  /** Maximum number of pages. */
  readonly pages: number;
  /** Maximum number of rows. */
  readonly rows: number;
}

const MAX_READS = 3;

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
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const result = await readPages(list, limits, reads === 0 ? first : undefined);
    if (result !== undefined) return result;
  }
  throw new ApiError("bad_body", list.operation, "the list changed faster than it could be read");
}

/** Reads pages; undefined when the row of a cursor is gone. */
async function readPages<Item extends Row>(
  list: List<Item>,
  { stopsAt, pages, rows: maxRows }: ReadLimits<Item>,
  given: Page<Item> | undefined,
): Promise<ReadResult<Item> | undefined> {
  const first = given ?? (await list.page(undefined));
  if (first === undefined) return undefined;
  const read = new Map<string, Item>();
  const fresh: Item[] = [];
  const resultOf = (isComplete: boolean, isWhole: boolean) => {
    return { fresh, rows: [...read.values()], first, isComplete, isWhole };
  };
  let page: Page<Item> = first;
  for (let count = 1; ; count += 1) {
    const before = read.size;
    let isProcessed = false;
    for (const row of page.rows) {
      if (read.has(row.id)) continue;
      read.set(row.id, row);
      isProcessed ||= stopsAt(row);
      if (!isProcessed) fresh.push(row);
    }
    const isWhole = page.older === undefined;
    if (isProcessed || isWhole || page.rows.length === 0) return resultOf(true, isWhole);
    if (read.size === before) throw new ApiError("bad_body", list.operation, "a page repeats the one before");
    if (count >= pages || read.size >= maxRows) return resultOf(false, false);
    try {
      const next = await list.page(page.older);
      if (next === undefined) return undefined;
      page = next;
    } catch (error) {
      // Out of budget: the pages that were read are used.
      if (!isShortage(error)) throw error;
      return resultOf(false, false);
    }
  }
}
