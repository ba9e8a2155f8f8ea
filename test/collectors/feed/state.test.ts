import { expect, test } from "@jest/globals";
import { type FeedState, withoutUnknownEnd } from "../../../src/collectors/feed/state.ts";

const row = (id: string, height: number) => ({ id, hash: `0x${id}`, height, index: 0 });

/** A feed that was read from height 590 down to its open end at 560. Height 20 was read before. */
const feed: FeedState<ReturnType<typeof row>> = {
  counted: [],
  waiting: [
    { item: row("newest", 590), isAbove: true },
    { item: row("end", 560), isAbove: true },
    { item: row("known", 20) },
  ],
  reverted: [],
  open: { last: { id: "end", hash: "0xend", height: 560, index: 0 }, rows: 2, total: 3, cursor: undefined },
};

test("an open end above the tip is dropped with the rows above it: they may be from a replaced fork", () => {
  const { open, waiting } = withoutUnknownEnd(feed, 200);

  expect(open).toBeUndefined();
  expect(waiting.map(({ item }) => item.id)).toEqual(["known"]);
});

test.each([[560], [undefined]])("an open end up to the tip %s stays", (tipHeight) => {
  expect(withoutUnknownEnd(feed, tipHeight)).toBe(feed);
});
