import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { percentile } from "../../simulator/chain/percentile.ts";
import { lastWithin, movingMedian, movingRate, SAMPLE_AGE } from "../../tools/evaluation/window.ts";

const NONE = Number.NaN;
const column = (...values: number[]) => Float64Array.from(values);
const gappy = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.constant(NONE)), { minLength: 1, maxLength: 60 });

/** Known values of the last `window` minutes. */
const windowAt = (values: readonly number[], minute: number, window: number) =>
  values.slice(Math.max(0, minute - window + 1), minute + 1).filter((value) => !Number.isNaN(value));

test("the moving median is the median of the known values in the window", () => {
  fc.assert(
    fc.property(gappy, fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 4 }), (values, window, min) => {
      const expected = values.map((_, minute) => {
        const present = windowAt(values, minute, window).toSorted((a, b) => a - b);
        return present.length < min ? NONE : percentile(present, 0.5);
      });

      expect([...movingMedian(column(...values), window, min)]).toEqual(expected);
    }),
  );
});

test("the last sample is used within the window", () => {
  expect([...lastWithin(column(NONE, 5, NONE, NONE, 7), 2)]).toEqual([NONE, 5, 5, NONE, 7]);
});

describe("the rate", () => {
  test("of steady growth equals the growth, from the first full window on", () => {
    const steady = Float64Array.from({ length: 20 }, (_, minute) => 100 + 6 * minute);

    expect([...movingRate(steady, 10).slice(9)].map((value) => value.toFixed(9))).toEqual(
      new Array(11).fill((0.1).toFixed(9)),
    );
  });

  test("handles a decrease as a counter reset", () => {
    // 10, then 4 and 4 more: 18 in three minutes.
    expect(movingRate(column(100, 110, 4, 8), 4)[3]).toBeCloseTo(18 / 180, 9);
  });

  test("does not reach back beyond zero", () => {
    // Ten seconds before the first sample the counter would have been at zero.
    expect(movingRate(column(1, 7, 13, 19), 4)[3]).toBeCloseTo((18 * (180 + 10 + SAMPLE_AGE)) / 180 / 240, 9);
  });

  test("has a value at the end of each step", () => {
    const steady = Float64Array.from({ length: 20 }, (_, minute) => 100 + 6 * minute);
    const rate = movingRate(steady, 10);

    expect([...movingRate(steady, 10, 5)]).toEqual([...rate].map((value, minute) => (minute % 5 === 4 ? value : NONE)));
  });

  test("needs two samples", () => {
    expect([...movingRate(column(1, NONE, NONE, 5, 6), 3)].map(Number.isNaN)).toEqual([true, true, true, true, false]);
  });
});
