import { expect, test } from "@jest/globals";
import { add, addAmount, type Histogram, observe } from "../../src/collectors/counters.ts";

test("sums begin at nothing, also for values from the wire that are called as something every object has", () => {
  const counts: Record<string, number> = {};
  const amounts: Record<string, bigint> = {};
  const spreads: Record<string, Histogram<bigint>> = {};
  for (const _ of [1, 2]) {
    add(counts, "constructor");
    addAmount(amounts, "constructor", 5n);
    observe(spreads, "constructor", [10], 7n);
  }

  expect(counts).toEqual({ constructor: 2 });
  expect(amounts).toEqual({ constructor: 10n });
  expect(spreads).toEqual({ constructor: { counts: [2, 0], sum: 14n } });
});
