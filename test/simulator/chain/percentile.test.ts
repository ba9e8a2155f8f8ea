// Percentiles as the database computes them.
import { describe, expect, test } from "@jest/globals";
import { percentiles, roundHalfEven } from "../../../simulator/chain/percentile.ts";

describe("percentiles", () => {
  test("interpolate between neighbours", () => {
    expect(percentiles([4, 1, 3, 2])).toEqual({ p25: 1.75, p50: 2.5, p75: 3.25, p95: 3.8499999999999996 });
    expect(percentiles([7])).toEqual({ p25: 7, p50: 7, p75: 7, p95: 7 });
    expect(percentiles([])).toEqual({ p25: null, p50: null, p75: null, p95: null });
  });

  test.each([
    [0.5, 0],
    [1.5, 2],
    [2.5, 2],
    [2.4, 2],
    [2.6, 3],
  ])("%d rounds to %d", (value, rounded) => expect(roundHalfEven(value)).toBe(rounded));
});
