import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createTask } from "node-cron";
import { parseCronSchedule } from "../../src/config/interval.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("schedules", () => {
  test.each([
    ["*/30 * * * * *", 30_000],
    ["*/45 * * * * *", 45_000],
    ["0-10/11 * * * * *", 60_000],
    ["0 */7 * * * *", 420_000],
    ["0 0 0 */5 * *", 5 * DAY_MS],
    ["0 0 0 1-31/2 * *", 2 * DAY_MS],
    ["* * * * * *", 1000],
    ["0,10 * * * * *", 50_000],
    ["10-50/20 * * * * *", 20_000],
    ["0 */5 * * * *", 300_000],
    ["0 */5 8-17 * * *", 14 * HOUR_MS + 300_000],
    ["0 0 */6 * * *", 6 * HOUR_MS],
    ["0  0 0 * * *", DAY_MS],
    ["0 0 12 * * mon-fri", 3 * DAY_MS],
    ["0 0 12 * * 5-7", 5 * DAY_MS],
    ["0 0 0 * * 0,7", 7 * DAY_MS],
    ["0 0 0 1 * *", 31 * DAY_MS],
    ["0 0 0 1-7/3 * *", 25 * DAY_MS],
    ["0 0 0 1 */3 *", 92 * DAY_MS],
    ["0 0 0 * JAN,Jul SUN", 161 * DAY_MS],
    ["0 0 0 29 2 *", 1461 * DAY_MS],
  ])("%s: at most %d ms apart", (text, gap) => {
    expect(parseCronSchedule(text)).toMatchObject({ intervalMs: gap });
  });

  test.each([
    ...["every 30", "every day", "every", "", "@hourly", "* * * * *"],
    ...["60 * * * * *", "-1 * * * * *", "1, * * * * *", "*/0 * * * * *"],
    ...["0 0 0 0 * *", "0 0 0 * 13 *", "0 0 0 * * 8", "0 0 0 * * funday", "0 0 0 30 feb *"],
    ...["0 0 0 L * *", "0 0 0 * * 1#2"],
  ])("%j is refused", (text) => {
    expect(parseCronSchedule(text)).toBeUndefined();
  });
});

const step = (...values: number[]) => fc.constantFrom(...values).map((size) => `*/${size}`);
const list = (first: number, last: number) =>
  fc
    .uniqueArray(fc.integer({ min: first, max: last }), { minLength: 1, maxLength: 3 })
    .map((values) => values.join(","));
const range = (first: number, last: number) =>
  fc
    .tuple(fc.integer({ min: first, max: last }), fc.nat({ max: last - first }))
    .map(([from, length]) => `${from}-${Math.min(last, from + length)}`);
const expression = fc
  .tuple(
    fc.oneof(fc.constant("0"), step(7, 15, 20, 45), list(0, 59)),
    fc.oneof(fc.constant("*"), step(9, 10, 15, 50), list(0, 59)),
    fc.oneof(fc.constant("*"), step(5, 6, 8, 12), range(0, 23)),
    fc.oneof({ weight: 4, arbitrary: fc.constant("*") }, { weight: 1, arbitrary: range(1, 28) }),
    fc.constant("*"),
    fc.oneof({ weight: 4, arbitrary: fc.constant("*") }, { weight: 1, arbitrary: list(0, 7) }),
  )
  .map((fields) => fields.join(" "));

test("expressions run as node-cron runs them, at most their longest gap apart", () => {
  fc.assert(
    fc.property(expression, (text) => {
      const { intervalMs: gap } = parseCronSchedule(text) as { intervalMs: number };
      const task = createTask(text, () => undefined, { timezone: "UTC" });
      void task.start();
      const runs = task.getNextRuns(20).map((date) => date.getTime());
      void task.destroy();
      for (const [index, run] of runs.entries()) expect(run - (runs[index - 1] ?? run)).toBeLessThanOrEqual(gap);
    }),
    { numRuns: 100 },
  );
});
