// Paging of the v3 API. Cursors are `height:microblock:index`. A page starts at or below its cursor, which need not name
// a transaction.
import type { Place, Position } from "../chain/block.ts";
import { invalid } from "./http-error.ts";
import { integer } from "./query.ts";

const MICROBLOCK = 2_147_483_647;
const TRANSACTION = "^[0-9]+:[0-9]+:[0-9]+$";
const EVENT = "^[0-9]+$";
const NEWEST: Position = { height: Infinity, index: Infinity };

/** Parses limit: 1 to `most`, 20 by default. Throws a 400. */
export function limitOf(query: URLSearchParams, most: number): number {
  return integer(query.get("limit"), "querystring/limit", { least: 1, most }) ?? 20;
}

function matching(query: URLSearchParams, pattern: string): string | undefined {
  const cursor = query.get("cursor");
  if (cursor === null) return undefined;
  if (new RegExp(pattern).test(cursor)) return cursor;
  throw invalid(`querystring/cursor must match pattern "${pattern}"`);
}

/** Parses the cursor of a transaction list: the highest position of the page. Throws a 400. */
export function positionOf(query: URLSearchParams): Position {
  const cursor = matching(query, TRANSACTION);
  if (cursor === undefined) return NEWEST;
  const [height = 0, microblock = 0, index = 0] = cursor.split(":").map(Number);
  if (microblock >= MICROBLOCK) return { height, index };
  // `height:0:0` selects the whole block. Other microblock numbers sort below all transactions of the height.
  return microblock === 0 && index === 0 ? { height, index: Infinity } : { height: height - 1, index: Infinity };
}

/** Parses the cursor of an event list: the lowest event_index of the page. Throws a 400. */
export function eventIndexOf(query: URLSearchParams): number {
  return Number(matching(query, EVENT) ?? 0);
}

/** Whether a transaction is at or below a position. */
export function isWithin({ block, index }: Place, position: Position): boolean {
  return block.height < position.height || (block.height === position.height && index <= position.index);
}

const spell = (place: Place | undefined) =>
  place === undefined ? null : `${place.block.height}:${MICROBLOCK}:${place.index}`;

function take<Item>(items: Iterable<Item>, count: number): Item[] {
  const taken: Item[] = [];
  for (const item of items) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

/** Makes a page: `older` yields transactions from the first of the page down, `newer` those above a position. */
export function pageOfTransactions(
  older: Iterable<Place>,
  newer: (than: Position) => Iterable<Place>,
  limit: number,
): { readonly places: readonly Place[]; readonly cursor: unknown } {
  const found = take(older, limit + 1);
  const places = found.slice(0, limit);
  const [first] = places;
  const before = first === undefined ? [] : take(newer({ height: first.block.height, index: first.index }), limit);
  const cursor = { next: spell(found[limit]), previous: spell(before.at(-1)), current: spell(first) };
  return { places, cursor };
}
