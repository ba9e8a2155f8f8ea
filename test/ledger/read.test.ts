// Reading a list from a known row up, with one request in each poll.
import { expect, test } from "@jest/globals";
import { ApiError } from "../../src/api/errors.ts";
import {
  BOTTOM,
  byPosition,
  endOf,
  type Ledger,
  ledgerFrom,
  type Page,
  type Position,
  type Row,
} from "../../src/ledger/ledger.ts";
import { type List, type ReadInput, readList } from "../../src/ledger/read.ts";

const view = { tip: 202, depth: 200, start: 0, window: 24, isReplaced: () => false };
const rowAt = (height: number): Row => ({ id: `${height}`, height, index: 0, hash: `b${height}` });

const [cursor, offset] = ["cursor", "offset"] as const;
type By = typeof cursor | typeof offset;
type Listed = List<Row> & { readonly sent: number[] };

/** A list with one row in each block from a height to the depth, and the rows above each requested page. */
function listFrom(lowest: number, by: By = cursor, pageRows = 50, check = (_: number): void => undefined): Listed {
  const sent: number[] = [];
  const rows = Array.from({ length: view.depth - lowest + 1 }, (_, index) => rowAt(view.depth - index));
  const pageAt = (at: number): Page<Row> => {
    check(sent.push(at));
    return {
      rows: rows.slice(at, at + pageRows),
      next: rows[at + pageRows],
      newer: at > 0 && at < rows.length ? String(Math.max(0, at - pageRows)) : undefined,
      isTop: at === 0,
      isLast: at + pageRows >= rows.length,
    };
  };
  const placeOf = (position: Position) => {
    const at = rows.findIndex((row) => byPosition(row, position) <= 0);
    return at < 0 ? rows.length : at;
  };
  const byOffset = async (offset: number) => {
    const { rows: found, isTop, isLast } = pageAt(offset);
    return { rows: found, isTop, isLast, offset, total: found.length === 0 ? 0 : rows.length };
  };
  const operation = { name: "list", path: "/" };
  if (by === "offset") return { operation, newest: () => byOffset(0), atOffset: byOffset, sent };
  return {
    operation,
    sent,
    newest: async () => pageAt(0),
    atCursor: async (at) => pageAt(typeof at === "string" ? Number(at) : placeOf(at)),
  };
}

/** Polls a list until it is read, at most `most` times, with one request each. */
async function readAll(list: List<Row>, start: Ledger | undefined, most: number, more: Partial<ReadInput<Row>> = {}) {
  let ledger = start;
  const counted: Row[] = [];
  for (let polls = 0, isRead = false; !isRead && polls < most; polls += 1) {
    const result = await readList({ list, ledger, view, requests: 1, ...more });
    ledger = result.ledger;
    counted.push(...result.counted);
    isRead = result.isUpToDate;
    expect([isRead && ledger.isFar, result.isSkipped]).toEqual([false, false]);
  }
  return { ledger, counted };
}

const known: Ledger = { ...ledgerFrom(BOTTOM), recent: [rowAt(10)], operation: "list" };
const rowsFrom = (first: number) => Array.from({ length: view.depth - first + 1 }, (_, index) => rowAt(first + index));
const newestDownTo = () => false;
const placer = { prepare: async () => true, place: async (rows: readonly Row[]) => ({ rows, isWhole: true }) };

test.each([
  ["a row of the list", 5, 5],
  ["one that a server has invented below all others", 20, 8],
])("a backlog is counted from %s on, once and oldest first, in few requests", async (_, lowest, most) => {
  const { counted, ledger } = await readAll(listFrom(lowest), known, 20);

  expect([counted, ledger?.isFar]).toEqual([rowsFrom(Math.max(11, lowest)), false]);
  expect((await readAll(listFrom(lowest), known, 1, { requests: most })).counted).toEqual(counted);
  const newestFirst = readAll(listFrom(lowest, cursor, 20), known, 20, { newestDownTo });
  const fromCounted = readAll(listFrom(lowest), { ...known, isFar: true, next: "190" }, 20);
  for (const polls of [newestFirst, fromCounted]) expect((await polls).counted).toEqual(counted);
});

test.each([
  ["a known number of rows", { below: 6, total: 6 }, 6],
  ["that of a list that has grown", { below: 6, total: 100 }, 5],
  ["a number that is less than 0", { below: -90, total: 196 }, 6],
  ["an unknown one", undefined, 7],
  ["a wrong one", { below: 60, total: 6 }, 7],
  ["one that is greater than the total", { below: 300, total: 6 }, 12],
])("a list with offsets is read up from %s below, in few requests", async (_, place, most) => {
  const list = listFrom(5, "offset");
  const start = { ...known, place, isFar: true };

  const { counted, ledger } = await readAll(list, start, most);
  expect([counted, ledger?.place?.below]).toEqual([rowsFrom(11), 196]);
  expect((await readAll(list, start, 1, { requests: most + 1 })).counted).toEqual(rowsFrom(11));
});

test.each([2, 4, 20, 30])("a list with offsets is read up with pages of %s rows, some in each poll", async (rows) => {
  const read = async (requests: number) => (await readAll(listFrom(5, offset, rows), known, 400, { requests })).counted;
  for (const requests of [1, 2, 3]) expect(await read(requests)).toEqual(rowsFrom(11));
});

test.each([
  [cursor, 7],
  [offset, 6],
])("rows from before the first poll count only on request, by %s in %s requests", async (by, most) => {
  const of = { ...view, start: 198 };
  const read = async (isBackfilled: boolean) =>
    (await readAll(listFrom(5, by), undefined, most, { isBackfilled, view: of })).counted;

  expect([await read(false), await read(true)]).toEqual([rowsFrom(199), rowsFrom(5)]);
});

test.each([
  ["share a position", {}],
  ["be one transaction", { index: 1, id: "row" }],
])("rows at or below the cursor can %s, others cannot", async (_, other) => {
  const poll = (height: number) => {
    const row = { ...rowAt(height), id: "row" };
    const rows = [rowAt(150), { ...row, id: "other", ...other }, row];
    const list = { operation: { name: "list", path: "/" }, newest: async () => ({ rows, isTop: true, isLast: true }) };
    return readList({ list, ledger: known, view, requests: 1 });
  };

  expect((await poll(9)).counted).toEqual([rowAt(150)]);
  await expect(poll(11)).rejects.toMatchObject({ reason: "bad_body" });
});

test("a page on the way up does not show that a doubtful row above it is lost", async () => {
  const ledger = { ...known, doubtful: [rowAt(150)], isFar: true };
  const of = { ...view, isReplaced: () => undefined };
  const result = await readList({ list: listFrom(5), ledger, view: of, requests: 2, placer });

  expect([result.counted.length, result.reverted, result.ledger.isFar]).toEqual([50, [], true]);
});

const firstPoll = (start?: number, isWhole = true): Partial<ReadInput<Row>> => {
  const place = async (rows: readonly Row[]) => ({ rows: rows.slice(isWhole ? 0 : 1), isWhole });
  return { ledger: undefined, view: { ...view, start }, placer: { ...placer, place } };
};
const after = (height: number) => ({ ledger: { ...known, recent: [rowAt(height)] } });
const forked = { ...view, isReplaced: ({ height }: Pick<Row, "height">) => height === 170 };
test.each<[string, Partial<ReadInput<Row>>, Partial<Page<Row>>, object]>([
  ["without places waits for the chain", firstPoll(), {}, { isStarted: false, isSkipped: false, counted: [] }],
  ["without places begins at the depth", firstPoll(198), {}, { isUpToDate: true, counted: rowsFrom(199) }],
  ["waits for its newest places", firstPoll(198, false), {}, { isUpToDate: false, counted: [rowAt(199)] }],
  ["above a known row skips others", after(149), {}, { isUpToDate: true, isSkipped: true, counted: rowsFrom(151) }],
  ["with a known row does not", after(151), { next: endOf(200) }, { isSkipped: false, counted: rowsFrom(152) }],
  ["with a replaced block is not used", { ...after(160), view: forked }, {}, { reason: "behind" }],
])("the only page of a list %s", async (_, input, changes, expected) => {
  const { operation, newest, sent } = listFrom(5);
  const list = { operation, newest: async () => ({ ...((await newest()) as Page<Row>), ...changes }) };
  const poll = readList({ list, ledger: known, view, requests: 2, ...input });

  expect(await poll.catch((error: unknown) => error)).toMatchObject(expected);
  expect(sent).toEqual([0]);
});

test("rows above one that waits for its details wait, too, and are not requested again before it", async () => {
  const list = listFrom(5);
  const complete = async (rows: readonly Row[]) => rows.filter(({ height }) => height <= 30);
  const first = await readList({ list, ledger: known, view, requests: 9, complete });
  expect([first.counted.at(-1), first.isUpToDate, list.sent]).toEqual([rowAt(30), false, [0, 190, 140]]);

  expect((await readAll(list, first.ledger, 4)).counted).toEqual(rowsFrom(31));
  expect(list.sent.slice(3)).toEqual([140, 90, 40, 0]);
});

const budget = new ApiError("budget", "list", "no request is left");
const network = new ApiError("network", "list", "no response");
const near = { recent: [rowAt(199)] };
const far = { isFar: true, place: { below: 60, total: 196 } };
test.each<[string, ApiError, number, By, Partial<Ledger>, Partial<ReadInput<Row>>, unknown]>([
  ["budget that ends on the way up is no failure", budget, 1, offset, far, {}, 0],
  ["budget that ends before it is one", budget, 0, offset, far, {}, budget],
  ["budget that ends after a page without new rows is none", budget, 1, cursor, { isFar: true }, {}, 0],
  ["budget that ends after the newest page is none", budget, 1, offset, {}, {}, 0],
  ["budget that ends after the request of a placer is none", budget, 0, cursor, {}, { placer }, 0],
  ["budget for one of the newest pages counts it", budget, 1, cursor, near, { newestDownTo }, 1],
  ["failure of the next one is a failure", network, 1, cursor, near, { newestDownTo }, network],
  ["failure keeps what is counted before it", network, 2, cursor, { isFar: true }, {}, 1],
  ["page that counts nothing does not", network, 1, cursor, { isFar: true }, {}, network],
])("a %s", async (_, failure, requests, by, changes, input, expected) => {
  const list = listFrom(5, by, 1, (sent) => {
    if (sent > requests) throw failure;
  });
  const poll = readList({ list, ledger: { ...known, ...changes }, view, requests: 9, ...input });

  expect(await poll.then(({ counted }) => counted.length).catch((error: unknown) => error)).toBe(expected);
});

test.each<[string, number, Partial<Ledger>, boolean, readonly number[]]>([
  ["and one page of the backlog, if nothing was unread", 3, {}, false, [0, 20, 40, 190]],
  ["and the backlog, after at most four of them", 3, { isFar: true }, false, [0, 20, 40, 60, 190, 170, 150]],
  ["down to a row, if that is a counted one", 9, { recent: [rowAt(100)] }, true, [0, 20, 40, 60, 80, 100]],
])("a poll reads the newest pages %s", async (_, requests, changes, isRead, sent) => {
  const list = listFrom(5, cursor, 20);
  const input = { ledger: { ...known, ...changes }, newestDownTo: ({ height }: Row) => height === 100 };
  const { isUpToDate } = await readList({ list, view, requests, ...input });

  expect([isUpToDate, list.sent]).toEqual([isRead, sent]);
});

test.each([
  [cursor, 50, 6],
  [offset, 50, 6],
  [cursor, 2, 49],
])("a page without confirmations ends reading by %s with pages of %s rows", async (by, rows, requests) => {
  const list = listFrom(5, by, rows);
  const input = { ledger: { ...known, recent: [rowAt(11)] }, view: { ...view, depth: 100 }, requests: 99 };
  const { counted, isUpToDate } = await readList({ ...input, list });

  expect([counted, isUpToDate, list.sent.length]).toEqual([rowsFrom(12).slice(0, 89), true, requests]);
});
