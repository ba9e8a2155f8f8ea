// Rows of lists of blocks and mined transactions, whose time and place in the chain are listed.
import { ApiError } from "../api/errors.ts";
import type { Operation } from "../api/operation.ts";
import type { Placed } from "./past.ts";
import type { StoredRow } from "./spool.ts";

/**
 * Places the rows of a page, newest first. One without a valid time has that of the one above it; the first ones have
 * the first valid time.
 * @param timeOf Unix time in seconds
 * @throws ApiError `bad_body` if no row has a valid time
 */
export function timedRows<Item extends { readonly height: number; readonly index: number }>(
  operation: Operation,
  items: readonly Item[],
  timeOf: (item: Item) => number | undefined,
  toRow: (item: Item) => Pick<StoredRow, "id" | "body">,
): Placed {
  if (items.length === 0) return { rows: [], oldest: undefined };
  let time = items.map(timeOf).find((one) => one !== undefined);
  if (time === undefined) throw new ApiError("bad_body", operation.name, "no row of the page has a valid time");
  const rows: StoredRow[] = [];
  for (const item of items) {
    time = timeOf(item) ?? time;
    rows.push({ time, height: item.height, place: item.index, ...toRow(item) });
  }
  return { rows, oldest: time };
}
