import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { formatDuration, parseDuration } from "../../src/config/interval.ts";
import { dataOf } from "../support/data.ts";

const { valid, invalid } = dataOf<{ valid: Record<string, number>; invalid: string[] }>(
  "durations.yaml",
  import.meta.url,
);

describe("durations", () => {
  test("are parsed as they are formatted", () => {
    fc.assert(fc.property(fc.nat({ max: 10 ** 12 }), (ms) => expect(parseDuration(formatDuration(ms))).toBe(ms)));
  });

  test.each(Object.entries(valid))("%s", (text, milliseconds) => {
    expect(parseDuration(text)).toBe(milliseconds);
  });

  test.each(invalid)("%j is not a duration", (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
