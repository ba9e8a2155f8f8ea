import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { createTask } from "node-cron";
import { parseCronSchedule } from "../../src/config/interval.ts";
import { dataOf } from "../support/data.ts";

const { gaps, refused } = dataOf<{ gaps: [string, number][]; refused: string[] }>("cron.yaml", import.meta.url);

describe("schedules", () => {
  test.each(gaps)("%s: at most %d s apart", (text, gap) => {
    expect(parseCronSchedule(text)).toEqual(expect.objectContaining({ intervalMs: gap * 1000 }));
  });

  test.each(refused)("%j is refused", (text) => {
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
