import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatDuration, parseDuration } from "../../src/config/interval.ts";

describe("durations", () => {
  test("are parsed as they are formatted", () => {
    fc.assert(fc.property(fc.nat({ max: 10 ** 12 }), (ms) => expect(parseDuration(formatDuration(ms))).toBe(ms)));
  });

  test.each([
    ["500ms", 500],
    ["45s", 45_000],
    ["2m", 120_000],
    ["1h30m", 5_400_000],
    ["90m", 5_400_000],
    ["1h1m1s1ms", 3_661_001],
    ["0s", 0],
  ])("%s", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(["", "45", "s", "45 s", " 45s", "1.5s", "-1s", "+1s", "1m1h", "1s1s", "1d", "1S", "1e3s", "45s\n", "٤s"])(
    "%j is not a duration",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
