import { expect, test } from "@jest/globals";
import { story } from "./stories.ts";

test.each(Array.from({ length: 6 }, (_, index) => 1001 + index))("story %d", async (seed) => {
  expect((await story(seed)).removed).toBeGreaterThan(0);
});
