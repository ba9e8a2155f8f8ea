// Reading a list from a known row up, with one request in each poll.
import { expect, test } from "@jest/globals";
import {
  BOTTOM,
  byPosition,
  type Ledger,
  ledgerFrom,
  type Page,
  type Position,
  type Row,
} from "../../src/ledger/ledger.ts";
import { type List, readList } from "../../src/ledger/read.ts";

const view = { tip: 202, depth: 200, start: 0, window: 24, isReplaced: () => false };
const rowAt = (height: number): Row => ({ id: `${height}`, height, index: 0, hash: `b${height}` });

/** A list with one row in each block from a height to the depth, read by cursors or by offsets. */
function listFrom(lowest: number, by: "cursor" | "offset" = "cursor", pageRows = 50): List<Row> {
  const rows = Array.from({ length: view.depth - lowest + 1 }, (_, index) => rowAt(view.depth - index));
  const pageAt = (at: number): Page<Row> => ({
    rows: rows.slice(at, at + pageRows),
    next: rows[at + pageRows],
    newer: at > 0 && at < rows.length ? String(Math.max(0, at - pageRows)) : undefined,
    isTop: at === 0,
    isLast: at + pageRows >= rows.length,
  });
  const placeOf = (position: Position) => {
    const at = rows.findIndex((row) => byPosition(row, position) <= 0);
    return at < 0 ? rows.length : at;
  };
  const byOffset = async (offset: number) => {
    const { rows: found, isTop, isLast } = pageAt(offset);
    return { rows: found, isTop, isLast, offset, total: found.length === 0 ? 0 : rows.length };
  };
  if (by === "offset") return { operation: "list", newest: () => byOffset(0), atOffset: byOffset };
  return {
    operation: "list",
    newest: async () => pageAt(0),
    atCursor: async (at) => pageAt(typeof at === "string" ? Number(at) : placeOf(at)),
  };
}

test.each([
  ["a row of the list", 5],
  ["one that a server has invented below all others", 20],
])("a backlog is counted from %s on, once and oldest first", async (_, lowest) => {
  const list = listFrom(lowest);
  const start: Ledger = { ...ledgerFrom(BOTTOM), recent: [rowAt(10)], operation: "list" };
  let ledger = start;
  const counted: Row[] = [];
  for (let polls = 0; polls < 20; polls += 1) {
    const result = await readList({ list, ledger, view, requests: 1 });
    ledger = result.ledger;
    counted.push(...result.counted);
    expect(result.isUpToDate && ledger.isFar).toBe(false);
  }

  const first = Math.max(11, lowest);
  const all = Array.from({ length: view.depth - first + 1 }, (_, index) => rowAt(first + index));
  expect(counted).toEqual(all);
  expect(ledger.isFar).toBe(false);
  expect((await readList({ list, ledger: start, view, requests: 20 })).counted).toEqual(all);
});

test.each([
  ["a known number of rows", 6, 7],
  ["an unknown one", undefined, 9],
  ["a wrong one", 60, 8],
])("a list with offsets is read up from %s below, in few requests", async (_, below, most) => {
  const list = listFrom(5, "offset");
  const place = below === undefined ? undefined : { below, total: 6 };
  let ledger: Ledger = { ...ledgerFrom(BOTTOM), recent: [rowAt(10)], operation: "list", place };
  const counted: Row[] = [];
  let polls = 0;
  for (; (polls === 0 || ledger.isFar) && polls < 30; polls += 1) {
    const result = await readList({ list, ledger, view, requests: 1 });
    ledger = result.ledger;
    counted.push(...result.counted);
  }

  const all = Array.from({ length: 190 }, (_, index) => rowAt(11 + index));
  expect(counted).toEqual(all);
  expect(polls).toBeLessThanOrEqual(most);
  const start = { ...ledgerFrom(BOTTOM), recent: [rowAt(10)], operation: "list", place };
  expect((await readList({ list, ledger: start, view, requests: most + 1 })).counted).toEqual(all);
});

test.each([20, 30])("a list with offsets is read up with pages of %s rows, one or three in each poll", async (rows) => {
  for (const requests of [1, 3]) {
    const list = listFrom(5, "offset", rows);
    let ledger: Ledger = { ...ledgerFrom(BOTTOM), recent: [rowAt(10)], operation: "list" };
    const counted: Row[] = [];
    for (let polls = 0; polls < 90; polls += 1) {
      const result = await readList({ list, ledger, view, requests });
      ledger = result.ledger;
      counted.push(...result.counted);
    }
    expect(counted).toEqual(Array.from({ length: 190 }, (_, index) => rowAt(11 + index)));
  }
});
