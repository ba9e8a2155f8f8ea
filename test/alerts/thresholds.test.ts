// The default intervals neither silence nor trigger an alert.
import { describe, expect, test } from "@jest/globals";
import { LIMITS, seconds, WINDOWS } from "../../alerts/thresholds.ts";
import { collectorOf } from "../../src/collectors/index.ts";
import { parseSchedule } from "../../src/config/interval.ts";

describe.each(["keyless", "free_key"] as const)("with the default schedules of %s", (preset) => {
  const secondsOf = (name: string) => parseSchedule(collectorOf(name).schedule[preset]).intervalMs / 1000;

  test("StacksMempoolFrozen compares several polls, and is not switched off", () => {
    const window = WINDOWS.mempoolFrozen;

    expect(secondsOf("mempool")).toBeLessThanOrEqual(seconds(WINDOWS.mempoolPolls));
    expect(3 * secondsOf("mempool")).toBeLessThanOrEqual(seconds(window));
  });

  test("StacksChainTipStale allows for a failed poll", () => {
    expect(2 * secondsOf("blocks")).toBeLessThan(60 * LIMITS.StacksChainTipStale.minutes);
  });

  test("StacksApiUnauthorized sees enough polls in its window", () => {
    const { failures } = LIMITS.StacksApiUnauthorized;

    expect(seconds(WINDOWS.unauthorized) / secondsOf("blocks")).toBeGreaterThanOrEqual(failures);
  });
});
