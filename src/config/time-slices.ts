// Long work in slices, so that polls and scrapes continue meanwhile.
import { setImmediate as nextTurn } from "node:timers/promises";

const SLICE_MS = 10;

/** The items, with a pause every 10 ms for everything else that waits for the event loop. */
export async function* inSlices<Item>(items: Iterable<Item> | AsyncIterable<Item>): AsyncIterable<Item> {
  let since = performance.now();
  for await (const item of items) {
    if (performance.now() - since >= SLICE_MS) {
      await nextTurn();
      since = performance.now();
    }
    yield item;
  }
}
