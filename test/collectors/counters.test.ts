import { expect, test } from "@jest/globals";
import { add, addAmount, type Histogram, observe } from "../../src/collectors/counters.ts";

test("counters start at zero, also for keys that are inherited members of objects", () => {
  const counts: Record<string, number> = {};
  const amounts: Record<string, bigint> = {};
  const histograms: Record<string, Histogram<bigint>> = {};
  for (const _ of [1, 2]) {
    add(counts, "constructor");
    addAmount(amounts, "constructor", 5n);
    observe(histograms, "constructor", [10], 7n);
  }

  expect(counts).toEqual({ constructor: 2 });
  expect(amounts).toEqual({ constructor: 10n });
  expect(histograms).toEqual({ constructor: { counts: [2, 0], sum: 14n } });
});
