// Rows of lists of mined transactions, whose time and place in the chain are listed.
import type { ListedTransaction } from "../collectors/feed/floor.ts";
import type { Placed } from "./past.ts";
import type { StoredRow } from "./spool.ts";

/**
 * Places the transactions of a page, newest first. One without a valid time has that of the one after it.
 * @param timeOf Unix time in seconds
 */
export function timedRows<Item extends ListedTransaction>(
  items: readonly Item[],
  timeOf: (item: Item) => number | undefined,
  toRow: (item: Item) => Pick<StoredRow, "id" | "body">,
): Placed {
  let time = items.map(timeOf).find((one) => one !== undefined);
  if (time === undefined) return { rows: [], oldest: undefined };
  const rows: StoredRow[] = [];
  for (const item of items) {
    time = timeOf(item) ?? time;
    rows.push({ time, height: item.height, place: item.index, ...toRow(item) });
  }
  return { rows, oldest: time };
}
