// Pages of lists that are kept oldest first and returned newest first.
import type { Place, Position } from "../chain/block.ts";
import { invalid, notFound } from "./http-error.ts";
import { integer } from "./query.ts";

/** Number of the last microblock, which cursors contain. */
export const MICROBLOCK = 2_147_483_647;

/** A page, newest first; empty past the end. */
export function newestFirst<Entry>(entries: readonly Entry[], offset: number, limit: number): Entry[] {
  const end = Math.max(0, entries.length - offset);
  return entries.slice(Math.max(0, end - limit), end).reverse();
}

/** A page from a cursor or an offset. A cursor names the first entry of a page; `prev_cursor` is the older page. */
export function cursorPage<Entry>(
  entries: readonly Entry[],
  cursorOf: (entry: Entry) => string,
  { cursor, offset, limit }: { readonly cursor: string | undefined; readonly offset: number; readonly limit: number },
  unknownCursor: string,
) {
  let first = offset;
  if (cursor !== undefined) {
    const at = entries.findLastIndex((entry) => cursorOf(entry) === cursor);
    if (at < 0) throw notFound(unknownCursor);
    first = entries.length - 1 - at;
  }
  const cursorAt = (position: number) => {
    const entry = entries[entries.length - 1 - position];
    return entry === undefined ? null : cursorOf(entry);
  };
  const cursors = {
    next_cursor: first === 0 ? null : cursorAt(Math.max(0, first - limit)),
    prev_cursor: cursorAt(first + limit),
    cursor: cursorAt(first),
  };
  return { rows: newestFirst(entries, first, limit), cursors };
}

/** Parses the limit of the v3 API: 1 to `most`, 20 by default. Throws a 400. */
export function limitOf(query: URLSearchParams, most: number): number {
  return integer(query.get("limit"), "querystring/limit", { least: 1, most }) ?? 20;
}

/** Parses a cursor of the v3 API. Throws a 400 if it does not match the pattern. */
export function cursorMatching(query: URLSearchParams, pattern: string): string | undefined {
  const cursor = query.get("cursor");
  if (cursor === null || new RegExp(pattern).test(cursor)) return cursor ?? undefined;
  throw invalid(`querystring/cursor must match pattern "${pattern}"`);
}

/**
 * Parses the cursor `height:microblock:index` of a transaction list: the highest position of the page, at which there
 * need not be a transaction. Throws a 400.
 */
export function positionOf(query: URLSearchParams): Position {
  const cursor = cursorMatching(query, "^[0-9]+:[0-9]+:[0-9]+$");
  if (cursor === undefined) return { height: Infinity, index: Infinity };
  const [height = 0, microblock = 0, index = 0] = cursor.split(":").map(Number);
  if (microblock >= MICROBLOCK) return { height, index };
  // `height:0:0` selects the whole block. Other microblock numbers sort below all transactions of the height.
  return microblock === 0 && index === 0 ? { height, index: Infinity } : { height: height - 1, index: Infinity };
}

const cursorOf = (place: Place | undefined) =>
  place === undefined ? null : `${place.block.height}:${MICROBLOCK}:${place.index}`;

/** A page of the v3 API, from a position down. */
export function pageFrom(entries: readonly Place[], { height, index }: Position, limit: number) {
  const isWithin = ({ block, index: at }: Place) => block.height < height || (block.height === height && at <= index);
  const end = entries.findLastIndex(isWithin) + 1;
  const places = entries.slice(Math.max(0, end - limit), end).reverse();
  const newer = places.length === 0 ? [] : entries.slice(end, end + limit);
  const cursor = {
    next: cursorOf(entries[end - limit - 1]),
    previous: cursorOf(newer.at(-1)),
    current: cursorOf(places[0]),
  };
  return { places, cursor };
}
