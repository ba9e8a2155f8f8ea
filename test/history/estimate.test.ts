import { describe, expect, test } from "@jest/globals";
import { Budget, SPARE_PRIORITY } from "../../src/api/budget.ts";
import { PRESETS } from "../../src/api/budget-presets.ts";
import { bytesOf, minutesOf } from "../../src/history/estimate.ts";
import { FakeClock } from "../support/fake-clock.ts";

describe("the minutes of a number of requests", () => {
  test.each([
    ["free_key", 400],
    ["free_key", 1500],
    ["keyless", 300],
  ] as const)("are those that the budget takes: %s, %d requests", async (preset, requests) => {
    const clock = new FakeClock();
    const budget = new Budget(PRESETS[preset], clock, 8);
    const signal = new AbortController().signal;
    const start = clock.now();
    const readAll = async () => {
      for (let sent = 0; sent < requests; sent += 1) {
        await budget.run(
          { priority: SPARE_PRIORITY, deadline: Number.POSITIVE_INFINITY, signal },
          async () => undefined,
        );
      }
    };

    await clock.until(readAll(), 60_000);

    const minutes = (clock.now() - start) / 60_000;
    const estimated = minutesOf(requests, PRESETS[preset]);
    // The first minute admits its requests at once.
    expect(estimated).toBeGreaterThan(minutes - 0.001);
    expect(estimated).toBeLessThanOrEqual(minutes * 1.02 + 1);
  });
});

test("a series has a sample at each step and at both ends", () => {
  expect(bytesOf(3, { since: 0, until: 3600 }, 240) / bytesOf(1, { since: 0, until: 239 }, 240)).toBe(3 * 16);
});
