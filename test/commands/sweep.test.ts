import { describe, expect, test } from "@jest/globals";
import { alarmsAt, limitFor, peakOf, type Swept } from "../../src/commands/sweep.ts";

/** Columns of one digit a minute; a dot is a minute without a value. */
function swept(texts: readonly string[], settings: Partial<Swept> = {}): Swept {
  const columns = texts.map((text) => Float64Array.from(text, (digit) => (digit === "." ? Number.NaN : Number(digit))));
  return {
    minutes: texts[0]?.length ?? 0,
    columns,
    firesAtLimit: false,
    durations: { forMinutes: 0, keepMinutes: 0 },
    ...settings,
  };
}
const spans = (limit: number, given: Swept) => alarmsAt(limit, given).map(({ from, until }) => `${from}-${until}`);

describe("alarms at a limit", () => {
  test.each([
    ["above it", ["..5.35.."], {}, ["2-3", "5-6"]],
    ["at it, when that fires", ["..5.35.."], { firesAtLimit: true }, ["2-3", "4-6"]],
    ["after `for`, and kept", ["..555..5."], { durations: { forMinutes: 1, keepMinutes: 1 } }, ["3-6"]],
    ["of any series, once", ["555...", ".55.5."], {}, ["0-3", "4-5"]],
    ["never without a value", ["......"], {}, []],
  ])("fire %s", (_, texts, settings, expected) => {
    expect(spans(3, swept(texts, settings))).toEqual(expected);
  });

  test("each series waits on its own", () => {
    expect(spans(3, swept(["5.5.", ".5.5"], { durations: { forMinutes: 1, keepMinutes: 0 } }))).toEqual([]);
  });
});

test("the peak is that of the span", () => {
  expect(peakOf(swept(["9.4.", "..68"]).columns, { from: 1, until: 3 })).toBe(6);
});

describe("the limit for a chosen number", () => {
  const three = swept(["2.5..4.8."]);

  test.each([
    [0, 8, 0],
    [1, 5, 1],
    [2, 4, 2],
    [3, 2, 3],
    [4, 0.01, 4],
  ])("at most %d", (most, limit, alarms) => {
    expect(limitFor(most, three)).toEqual({ limit, alarms });
  });

  test("is above the value when an equal one fires", () => {
    expect(limitFor(1, swept(["2.5..4.8."], { firesAtLimit: true }))).toEqual({ limit: 5.1, alarms: 1 });
  });

  test("is not one so low that many alarms become one", () => {
    expect(limitFor(1, swept(["151515151"]))).toEqual({ limit: 5, alarms: 0 });
  });

  test("keeps two digits at any size", () => {
    const sized = (value: number) => ({ ...swept(["."]), columns: [Float64Array.of(value)] });

    expect([0.0316, 0.316, 31.6, 31_600].map((value) => limitFor(0, sized(value))?.limit)).toEqual([
      0.032, 0.32, 32, 32_000,
    ]);
  });

  test("is unknown without values, and when values are infinite", () => {
    expect(limitFor(1, swept(["..."]))).toBeUndefined();
    expect(limitFor(0, { ...swept(["..."]), columns: [Float64Array.of(5, Infinity, 5)] })).toBeUndefined();
  });
});
