// Regression tests: stories in which fast-check has found wrong counts.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { changesOf, expectedOf, shownOf, sizeOf } from "../support/model-exporter.ts";
import { type RunOptions, runStory, type Story } from "../support/story.ts";

const found = JSON.parse(readFileSync(new URL("found-stories.json", import.meta.url), "utf8")) as {
  readonly name: string;
  readonly story: Story;
  readonly options?: RunOptions;
}[];

const NAMES = ["addresses", "transactions", "contracts"] as const;

test.each(found)("$name", async ({ story, options }) => {
  const result = await runStory(story, options);

  const names = options?.names ?? NAMES;
  const isDeep = story.steps.some((step) => step.kind === "reorg" && step.depth > 3);
  const exact = names.filter((name) => name !== "contracts" && !isDeep);
  for (const name of exact) expect(shownOf(result, name)).toEqual(expectedOf(result, name));
  for (const name of names) expect(changesOf(result, name).net).toBe(sizeOf(result, name));
});
