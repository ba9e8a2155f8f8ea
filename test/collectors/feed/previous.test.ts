import { expect, test } from "@jest/globals";
import { repaired, validatorOf } from "../../../src/collectors/feed/previous.ts";
import { EMPTY_FEED } from "../../../src/collectors/feed/state.ts";
import { chainOf } from "../../support/known-chain.ts";

const ETAG = '"1"';
const counted = { id: "a", height: 10, hash: "0xa" };
const before = { feed: { ...EMPTY_FEED, counted: [counted] }, floor: { height: 8, index: 3 }, etag: ETAG };
const end = { id: "end", hash: "0xend", height: 40, index: 0 };
const withOpenEnd = { ...EMPTY_FEED, open: { last: end, rows: 2, total: 3, cursor: undefined } };

test("the validator is used while every known block is canonical", () => {
  const chain = chainOf(20, [[10, { hash: "0xa" }]]);

  expect(validatorOf(before, undefined, chain)).toBe(ETAG);
  expect(validatorOf(before, counted, chain)).toBe(ETAG);
});

test.each([
  ["the block of a counted row was replaced", before, undefined],
  [
    "the block of a waiting row was replaced",
    { ...before, feed: { ...EMPTY_FEED, waiting: [{ item: { ...counted, index: 0 } }] } },
    undefined,
  ],
  ["the block of the newest listed row was replaced", { ...before, feed: EMPTY_FEED }, counted],
  ["reading stopped at an open end", { ...before, feed: withOpenEnd }, undefined],
])("the whole list is requested when %s", (_, previous, last) => {
  expect(validatorOf(previous, last, chainOf(20, [[10, { hash: "0xb" }]]))).toBeUndefined();
});

test("a floor on the chain stays, and so does the observation", () => {
  expect(repaired(before, counted, { chain: chainOf(20), target: { confirmations: 6 } })).toBe(before);
  expect(repaired(before, counted, { chain: undefined, target: { confirmations: 6 } })).toBe(before);
});

test.each([
  ["the newest listed transaction", counted, 11],
  ["the confirmed blocks, without a listed transaction", undefined, 16],
  ["the tip, if the newest listed transaction is above it", { height: 900, hash: "0xz" }, 21],
])("a floor above the chain falls to above %s, with a note", (_, last, height) => {
  const notes: string[] = [];
  const wrong = { ...before, floor: { height: 500, index: 2 } };

  const { floor } = repaired(wrong, last, {
    chain: chainOf(20),
    target: { confirmations: 6 },
    note: (text) => notes.push(text),
  });

  expect(floor).toEqual({ height, index: 0 });
  expect(notes).toEqual([`the start height 500 was above the tip 20: counting resumes at height ${height}`]);
});

test("an open end above the tip is dropped with the validator, because its rows have to be listed again", () => {
  const { feed, etag } = repaired({ ...before, feed: withOpenEnd }, undefined, {
    chain: chainOf(20),
    target: { confirmations: 6 },
  });

  expect(feed.open).toBeUndefined();
  expect(etag).toBeUndefined();
});
