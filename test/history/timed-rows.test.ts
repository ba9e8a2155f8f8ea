import { expect, test } from "@jest/globals";
import { z } from "zod";
import { operation } from "../../src/api/operation.ts";
import { timedRows } from "../../src/history/timed-rows.ts";

const LIST = operation({ name: "list", path: "/list", body: z.object({}) });
const HEIGHTS = [9, 8, 7, 6];

const placed = (times: readonly (number | undefined)[]) =>
  timedRows(
    LIST,
    HEIGHTS.slice(0, times.length).map((height, row) => ({ height, index: row, time: times[row] })),
    ({ time }) => time,
    ({ height }) => ({ body: `body ${height}` }),
  );

test("a row has its time, height and index", () => {
  expect(placed([40, 30, 20, 10])).toEqual({
    rows: [40, 30, 20, 10].map((time, row) => {
      const height = HEIGHTS[row];
      return { time, height, place: row, body: `body ${height}` };
    }),
    oldest: 10,
  });
});

test.each([
  [
    [undefined, 30, 20, 10],
    [30, 30, 20, 10],
  ],
  [
    [undefined, undefined, 20, undefined],
    [20, 20, 20, 20],
  ],
  [
    [40, undefined, 20, undefined],
    [40, 40, 20, 20],
  ],
])("rows without a time have that of a neighbour: %j", (times, expected) => {
  const { rows, oldest } = placed(times);
  expect(rows.map(({ time }) => time)).toEqual(expected);
  expect(oldest).toBe(expected.at(-1));
});

test("an empty page does not contain its position", () => {
  expect(placed([])).toEqual({ rows: [], oldest: undefined });
});

test("a page without any valid time is refused: its rows would be missing", () => {
  expect(() => placed([undefined, undefined])).toThrow("list: no row of the page has a valid time");
});
