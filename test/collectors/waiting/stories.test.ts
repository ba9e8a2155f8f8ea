import { expect, test } from "@jest/globals";
import { story } from "./stories.ts";

test.each([1, 2])("story %d: gauges and counters are those of the chain", async (seed) => {
  const happened = await story(seed, 3);

  expect(Math.min(...Object.values(happened))).toBeGreaterThan(0);
});
