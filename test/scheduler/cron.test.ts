import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createTask } from "node-cron";
import { formatSchedule, intervalOf, parseSchedule } from "../../src/scheduler/interval.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe("schedules", () => {
  test.each([
    ["every 1s", 1000],
    ["every 24h", DAY_MS],
    ["every  1m30s", 90_000],
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
    const schedule = parseSchedule(text);

    expect(intervalOf(schedule)).toBe(gap);
    expect(parseSchedule(formatSchedule(schedule))).toEqual(schedule);
  });

  const field = (name: string, values: string) =>
    `a cron ${name} of "*", values from ${values}, ranges, lists and steps`;
  const every = "a duration with its unit from 1s to 24h, such as 45s or 1h30m";

  test.each([
    ["every 30", every],
    ["every 999ms", every],
    ["every 25h", every],
    ["every day", every],
    ["every", '"every" with a duration, or a cron expression of six fields'],
    ["", '"every" with a duration, or a cron expression of six fields'],
    ["@hourly", '"every" with a duration, or a cron expression of six fields'],
    ["* * * * *", '"every" with a duration, or a cron expression of six fields (the first field is the second)'],
    ["*/90 * * * * *", field("second", "0 to 59")],
    ["*/0 * * * * *", field("second", "0 to 59")],
    ["0 0 */25 * * *", field("hour", "0 to 23")],
    ["60 * * * * *", field("second", "0 to 59")],
    ["-1 * * * * *", field("second", "0 to 59")],
    ["1.5 * * * * *", field("second", "0 to 59")],
    ["50-10 * * * * *", field("second", "0 to 59")],
    ["1-2-3 * * * * *", field("second", "0 to 59")],
    ["1, * * * * *", field("second", "0 to 59")],
    ["5/15 * * * * *", field("second", "0 to 59")],
    ["*/ * * * * *", field("second", "0 to 59")],
    ["0 0 0 0 * *", field("day of month", "1 to 31")],
    ["0 0 0 L * *", field("day of month", "1 to 31")],
    ["0 0 0 15W * *", field("day of month", "1 to 31")],
    ["0 0 0 ? * *", field("day of month", "1 to 31")],
    ["0 0 0 * 13 *", field("month", "1 to 12 or names such as feb")],
    ["0 0 0 * * 5L", field("weekday", "0 to 7 or names such as mon")],
    ["0 0 0 * * 1#2", field("weekday", "0 to 7 or names such as mon")],
    ["0 0 0 * * 8", field("weekday", "0 to 7 or names such as mon")],
    ["0 0 0 * * funday", field("weekday", "0 to 7 or names such as mon")],
    ["0 0 0 30 feb *", "a cron expression that matches some day"],
  ])("%j is refused", (text, expected) => {
    expect(() => parseSchedule(text)).toThrow(expect.objectContaining({ name: "ScheduleError", message: expected }));
  });
});

describe("as node-cron runs them", () => {
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

  test("expressions run, at most their longest gap apart", () => {
    fc.assert(
      fc.property(expression, (text) => {
        const gap = intervalOf(parseSchedule(text));
        const task = createTask(text, () => undefined, { timezone: "UTC" });
        void task.start();
        const runs = task.getNextRuns(20).map((date) => date.getTime());
        void task.destroy();
        for (const [index, run] of runs.entries()) expect(run - (runs[index - 1] ?? run)).toBeLessThanOrEqual(gap);
      }),
      { numRuns: 100 },
    );
  });
});
