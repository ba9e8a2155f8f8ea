import { describe, expect, test } from "@jest/globals";
import {
  BOTTOM,
  doubted,
  type Ledger,
  ledgerFrom,
  ledgerFromNow,
  ledgerOf,
  newRows,
  type Page,
  type Row,
  replacedRow,
  rewound,
  startOf,
  taken,
  unreadOf,
  type View,
} from "../../src/ledger/ledger.ts";

const view: View = { tip: 30, depth: 28, start: 0, window: 10, isReplaced: () => false };
const rowAt = (height: number, index = 0): Row => ({ id: `${height}:${index}`, height, index, hash: `b${height}` });
const pageOf = (rows: readonly Row[], changes: Partial<Page<Row>> = {}): Page<Row> => ({
  rows,
  isTop: true,
  isLast: true,
  ...changes,
});
const heightsOf = (rows: readonly Row[]) => rows.map(({ height }) => height);

describe("what no fork can replace any more", () => {
  test.each([
    [[28, 21, 20, 5], { height: 20, index: 3 }],
    [[28, 21, 20], { height: 20, index: 3 }],
    [[28, 21], BOTTOM],
  ])("is forgotten from the height of the window on, and the floor takes its place: %j", (heights, floor) => {
    const { ledger } = taken(pageOf(heights.map((height) => rowAt(height, 3))), ledgerFrom(BOTTOM), view);

    expect(heightsOf(ledger.recent)).toEqual([21, 28]);
    expect(ledger.floor).toEqual(floor);
  });

  test("leaves its newest row, and the floor does not fall", () => {
    const before = { ...ledgerFrom({ height: 7, index: 0 }), recent: [rowAt(6), rowAt(7)] };
    const { ledger } = taken(pageOf([rowAt(12), rowAt(11)]), before, view);

    expect(heightsOf(ledger.recent)).toEqual([12]);
    expect(ledger.floor).toEqual({ height: 12, index: 0 });
    const late = { ...ledgerFrom({ height: 15, index: 0 }), recent: [rowAt(6)] };
    expect(taken(pageOf([]), late, view).ledger.floor).toEqual({ height: 15, index: 0 });
  });

  test("ends reverted rows a window below the cursor, not below the tip", () => {
    const before = { ...ledgerFrom(BOTTOM), recent: [rowAt(25)], reverted: [rowAt(15), rowAt(16)] };

    expect(heightsOf(taken(pageOf([]), before, view).ledger.reverted)).toEqual([16]);
  });
});

describe("the place of the cursor in its list", () => {
  const place = { below: 40, total: 42 };

  test.each([
    ["at the top of a page below others", { offset: 10, total: 100 }, [28, 27], { below: 90, total: 100 }],
    ["below rows that are not settled", { offset: 10, total: 100 }, [30, 29, 28], { below: 88, total: 100 }],
    ["unknown where the page lacks it", { offset: 10, total: 100 }, [29], { below: 0, total: 100 }],
    ["moved by what was counted without offsets", { total: 100 }, [29, 28, 27], { below: 42, total: 100 }],
    ["moved by what was counted without a total", { offset: 10 }, [29, 28, 27], { ...place, below: 42 }],
  ])("is %s", (_, changes, heights, expected) => {
    const before = { ...ledgerFrom({ height: 26, index: 0 }), place };
    const page = pageOf(
      heights.map((height) => rowAt(height)),
      changes,
    );

    expect(taken(page, before, view).ledger.place).toEqual(expected);
  });

  test("shows how many rows are unread: at least one of a list without totals, or with fewer than before", () => {
    const ledger = { ...ledgerFrom(BOTTOM), isFar: true };

    expect(unreadOf({ ...ledger, place: { below: 40, total: 45 } })).toBe(5);
    expect(unreadOf({ ...ledger, place: { below: 40, total: 39 } })).toBe(1);
    expect(unreadOf(ledger)).toBe(1);
    expect(unreadOf({ ...ledger, place: { below: 40, total: 45 }, isFar: false })).toBe(0);
  });
});

test("a doubtful row that is not old is reverted when it has its confirmations and the newest page lacks it", () => {
  const doubtful = [rowAt(28, 1), { ...rowAt(27, 1), isOld: true }, rowAt(29)];
  const before = { ...ledgerFrom(BOTTOM), recent: [rowAt(20)], doubtful };
  const revertedBy = (isTop: boolean) =>
    heightsOf(taken(pageOf([rowAt(27)], { isTop }), before, { ...view, isReplaced: () => true }).reverted);

  expect([revertedBy(true), revertedBy(false)]).toEqual([[28], []]);
});

test("a reverted row that is listed again is restored, unless it was old, and does not count again", () => {
  const before = { ...ledgerFrom(BOTTOM), reverted: [rowAt(27), { ...rowAt(28), isOld: true }] };
  const { counted, restored, ledger } = taken(pageOf([rowAt(28), rowAt(27), rowAt(26)]), before, view);

  expect([heightsOf(counted), heightsOf(restored), ledger.reverted]).toEqual([[26], [27], []]);
  expect(ledger.recent.map(({ isOld }) => isOld)).toEqual([undefined, undefined, true]);
});

test("the list of another operation has other validators, pages and numbers of rows", () => {
  const before = { ...ledgerFrom(BOTTOM), operation: "a", etag: '"page"', next: "1", place: { below: 1, total: 2 } };

  expect(ledgerOf(before, "a")).toBe(before);
  expect(ledgerOf(before, "b")).toEqual({ ...ledgerFrom(BOTTOM), operation: "b" });
});

test("rows that would count are above the cursor, have their confirmations, are not old, and have no known id", () => {
  const [known, old] = [rowAt(25), { ...rowAt(26), isOld: true }];
  const rows = [rowAt(29), rowAt(28), rowAt(27), old, known, rowAt(20), rowAt(19)];
  const ledger = { ...ledgerFrom({ height: 20, index: 0 }), reverted: [known] };

  expect(heightsOf(newRows(pageOf(rows), ledger, view))).toEqual([27, 28]);
  expect(doubted({ ...ledger, recent: [rowAt(20)] }, view)).toEqual({ ...ledger, recent: [rowAt(20)] });
});

test("nothing counts that is settled at the first poll, or listed without a chain", () => {
  const starts = [[rowAt(28), rowAt(27)], []].map((rows) => startOf({ start: undefined }, rows));
  expect(ledgerFromNow([rowAt(29), rowAt(28)], { start: 28 }).recent).toEqual([{ ...rowAt(28), isOld: true }]);
  expect([...starts, startOf({ start: 3 }, [rowAt(28)])]).toEqual([28, BOTTOM.height, 3]);
});

test("a start that is further above the tip than a fork can bring it was wrong", () => {
  const of = { ...view, tip: 100, depth: 98, start: 98, isReplaced: () => undefined };
  const floors = [100, 110, 111].map((height) => rewound(ledgerFrom({ height, index: 0 }), of).floor);
  expect(floors.map(({ height }) => height)).toEqual([100, 110, 98]);
});

test("a start that was wrong falls to the newest known row", () => {
  const of = { ...view, tip: 100, isReplaced: () => false };
  const before = { ...ledgerFrom({ height: 200, index: 0 }), recent: [rowAt(90, 2), rowAt(95, 3)] };

  expect(rewound(before, of).floor).toEqual({ height: 95, index: 3 });
  expect(rewound(ledgerFrom({ height: 200, index: 0 }), { ...of, start: undefined }).floor.height).toBe(-1);
});

test.each([
  [[20, 21, 22, 23], [24], [20, 21, 22, 23]],
  [[20], [21, 22, 23], [20]],
  [[], [20, 23], []],
])("rows below a fork are left where their block is known: %j of %j", (known, unknown, left) => {
  const recent = [...known, ...unknown, 25, 26].map((height) => rowAt(height));
  const isReplaced = ({ height }: { readonly height: number }) =>
    height > 24 ? true : known.includes(height) ? false : undefined;

  expect(heightsOf(rewound({ ...ledgerFrom(BOTTOM), recent }, { ...view, isReplaced }).recent)).toEqual(left);
});

test("a row above the tip is doubtful, and one of the tip is not", () => {
  const recent = [29, 30, 31].map((height) => rowAt(height));
  const after = rewound({ ...ledgerFrom(BOTTOM), recent, place: { below: 40, total: 42 } }, view);

  expect([heightsOf(after.recent), heightsOf(after.doubtful), after.place?.below]).toEqual([[29, 30], [31], 39]);
});

test("a settled row whose block is replaced shows that the server is behind", () => {
  const of = { ...view, isReplaced: () => true };
  const rows = [29, 28, 27, 20].map((height) => rowAt(height));

  expect(replacedRow(pageOf(rows), ledgerFrom({ height: 20, index: 0 }), of)).toEqual(rowAt(28));
  expect(replacedRow(pageOf([rowAt(29), rowAt(20)]), ledgerFrom({ height: 20, index: 0 }), of)).toBeUndefined();
});

const [fresh, late] = [ledgerFrom(BOTTOM), ledgerFrom({ height: 25, index: 0 })];
test.each<[string, Partial<Page<Row>>, Ledger, Row | undefined, string | undefined]>([
  ["kept if its newest row is the newest counted one", { rows: [rowAt(28), rowAt(27)] }, fresh, undefined, '"page"'],
  ["kept if its newest row is older than every fork", { rows: [rowAt(20)] }, late, undefined, '"page"'],
  ["dropped if a fork can replace it", { rows: [rowAt(21)] }, late, undefined, undefined],
  ["dropped if one waits for its confirmations", { rows: [rowAt(29), rowAt(27)] }, fresh, undefined, undefined],
  ["dropped if one waits for its details", { rows: [rowAt(5)] }, fresh, rowAt(5), undefined],
  ["dropped if it is not the newest page", { rows: [rowAt(5)], isTop: false }, fresh, undefined, undefined],
  ["dropped with a doubtful row", { rows: [rowAt(5)] }, { ...fresh, doubtful: [rowAt(29)] }, undefined, undefined],
])("the validator of a page is %s", (_, changes, before, held, etag) => {
  expect(taken(pageOf([], { ...changes, etag: '"page"' }), before, view, held).ledger.etag).toBe(etag);
});
