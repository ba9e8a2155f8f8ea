// Pages of lists that are kept oldest first and returned newest first.
import type { Place, Position } from "../chain/block.ts";
import type { Listing } from "../chain/listing.ts";
import type { Tx } from "../chain/transaction.ts";
import { waitingSummaryJson } from "../json/transaction-v3.ts";
import type { Json } from "../json/values.ts";
import { invalid, type JsonResponse } from "./http-error.ts";
import { checkPrefix, checkRange, integer } from "./query.ts";

/** Number of the last microblock, which cursors contain. */
export const MICROBLOCK = 2_147_483_647;

/** A page, newest first; empty past the end. */
export function newestFirst<Entry>(entries: readonly Entry[], offset: number, limit: number): Entry[] {
  const end = Math.max(0, entries.length - offset);
  return entries.slice(Math.max(0, end - limit), end).reverse();
}

/**
 * A page with `first` newer entries. A cursor names the first entry of a page; `prev_cursor` is the older page,
 * `next_cursor` the newer one, if that is full. Past the end the total is 0.
 */
export function cursorPage<Entry>(
  { entries, total }: Listing<Entry>,
  cursorOf: (entry: Entry) => string,
  { first, limit }: { readonly first: number; readonly limit: number },
) {
  const rows = newestFirst(entries, first, limit);
  const cursorAt = (position: number) => {
    const entry = entries[entries.length - 1 - position];
    return entry === undefined || rows.length === 0 ? null : cursorOf(entry);
  };
  const cursors = {
    next_cursor: cursorAt(first - limit),
    prev_cursor: cursorAt(first + limit),
    cursor: cursorAt(first),
  };
  return { rows, json: { total: first < entries.length ? total : 0, ...cursors } };
}

/** Parses the limit of the v3 API: 1 to `max`, 20 by default. Throws a 400. */
export function limitOf(query: URLSearchParams, max: number): number {
  return integer(query.get("limit"), "querystring/limit", { min: 1, max }) ?? 20;
}

/** Parses a cursor of the v3 API. Throws a 400 if it does not match the pattern. */
export function cursorMatching(query: URLSearchParams, pattern: string): string | undefined {
  const cursor = query.get("cursor");
  if (cursor === null || new RegExp(pattern).test(cursor)) return cursor ?? undefined;
  throw invalid(`querystring/cursor must match pattern "${pattern}"`);
}

/** Parses the cursor `height:microblock:index` of a transaction list. Throws a 400. */
export function placeCursor(query: URLSearchParams): string | undefined {
  return cursorMatching(query, "^[0-9]+:[0-9]+:[0-9]+$");
}

// The highest position of a page, at which there need not be a transaction. Throws the 500 of the database.
function positionOf(cursor: string | undefined): Position {
  if (cursor === undefined) return { height: Infinity, index: Infinity };
  const [height = 0, microblock = 0, index = 0] = cursor.split(":").map(Number);
  checkRange(height, "integer");
  checkRange(microblock, "integer");
  checkRange(index, "smallint");
  if (microblock >= MICROBLOCK) return { height, index };
  // `height:0:0` selects the whole block. Other microblock numbers sort below all transactions of the height.
  return microblock === 0 && index === 0 ? { height, index: Infinity } : { height: height - 1, index: Infinity };
}

/** Paging of a list of the v3 API. */
interface Paged<Entry> {
  /** Whether an entry is at the cursor or older. */
  readonly isWithin: (entry: Entry) => boolean;
  readonly cursorOf: (entry: Entry) => string;
  readonly limit: number;
}

/** Number of the oldest entries that match. By binary search: the list of the whole chain is long. */
export function countWithin<Entry>(entries: readonly Entry[], isWithin: (entry: Entry) => boolean): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const entry = entries[middle];
    if (entry !== undefined && isWithin(entry)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A page of the v3 API from a cursor down, newest first. Past the end the total is 0. */
export function pageFrom<Entry>(
  { entries, total }: Listing<Entry>,
  { isWithin, cursorOf, limit }: Paged<Entry>,
  json: (entry: Entry) => Json,
): JsonResponse {
  const end = countWithin(entries, isWithin);
  const rows = entries.slice(Math.max(0, end - limit), end).reverse();
  const cursorAt = (entry: Entry | undefined) => (entry === undefined ? null : cursorOf(entry));
  const cursor = {
    next: cursorAt(entries[end - limit - 1]),
    previous: rows.length === 0 ? null : cursorAt(entries.slice(end, end + limit).at(-1)),
    current: cursorAt(rows[0]),
  };
  const results = rows.map(json);
  return { status: 200, json: { total: rows.length === 0 ? 0 : total, limit, cursor, results } };
}

/** A page of mined transactions from a cursor down. Throws the 500 of the database for a cursor out of its range. */
export function placesFrom(
  listing: Listing<Place>,
  { cursor, limit }: { readonly cursor: string | undefined; readonly limit: number },
  json: (place: Place) => Json,
): JsonResponse {
  const { height, index } = positionOf(cursor);
  const isWithin = ({ block, index: at }: Place) => block.height < height || (block.height === height && at <= index);
  const cursorOf = ({ block, index: at }: Place) => `${block.height}:${MICROBLOCK}:${at}`;
  return pageFrom(listing, { isWithin, cursorOf, limit }, json);
}

/** Parses a page of waiting transactions. A cursor is `receipt_time:tx_id`. Throws a 400. */
export function receiptPage(query: URLSearchParams): { readonly limit: number; readonly cursor: string | undefined } {
  const cursor = cursorMatching(query, "^\\d+:(0x)?[a-fA-F0-9]{64}$")?.toLowerCase();
  return { limit: limitOf(query, 50), cursor };
}

/**
 * A page of waiting transactions from a cursor down, newest receipt first; the transaction of the cursor need not wait.
 * Throws the 500 of the database for a cursor out of its range.
 * @param entries oldest receipt first
 */
export function receiptsFrom(entries: readonly Tx[], { limit, cursor }: ReturnType<typeof receiptPage>): JsonResponse {
  const [time, newest = ""] = cursor?.split(":") ?? [];
  if (time !== undefined) {
    checkRange(Number(time), "integer");
    checkPrefix(newest);
  }
  const isWithin = ({ receivedAt, id }: Tx) =>
    time === undefined || receivedAt < Number(time) || (receivedAt === Number(time) && id <= newest);
  const cursorOf = ({ receivedAt, id }: Tx) => `${receivedAt}:${id}`;
  return pageFrom({ entries, total: entries.length }, { isWithin, cursorOf, limit }, waitingSummaryJson);
}
