import { expect, test } from "@jest/globals";
import { assertStories, stories } from "./story.ts";

test("a story that fails is shrunk in a bounded number of tries", async () => {
  let tries = 0;
  const check = async ({ steps }: { readonly steps: readonly unknown[] }) => {
    tries += 1;
    if (steps.length > 1) throw new Error("too long");
  };
  await expect(assertStories(stories(2, false), check, { seed: 1, numRuns: 50 })).rejects.toThrow("Property failed");
  expect(tries).toBeLessThan(130);
});
