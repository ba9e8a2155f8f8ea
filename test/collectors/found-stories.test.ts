// Regression tests: stories in which fast-check has found wrong counts.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { changesOf, expectedOf, shownOf, sizeOf } from "../support/model-exporter.ts";
import { runStory, type Story } from "../support/story.ts";

const found = JSON.parse(readFileSync(new URL("found-stories.json", import.meta.url), "utf8")) as {
  readonly name: string;
  readonly story: Story;
}[];

test.each(found)("$name", async ({ story }) => {
  const result = await runStory(story);

  const isDeep = story.steps.some((step) => step.kind === "reorg" && step.depth > 3);
  for (const name of ["addresses", "transactions"] as const)
    if (!isDeep) expect(shownOf(result, name)).toEqual(expectedOf(result, name));
  for (const name of ["addresses", "transactions", "contracts"] as const)
    expect(changesOf(result, name).net).toBe(sizeOf(result, name));
});
