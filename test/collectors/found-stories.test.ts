// Regression tests: stories in which fast-check has found wrong counts.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import {
  changesOf,
  countedOf,
  countedOfChain,
  expectedOf,
  expectedOfChain,
  printsOf,
  transactionsOf,
} from "../support/model-exporter.ts";
import { runStory, type Story } from "../support/story.ts";

const found = JSON.parse(readFileSync(new URL("found-stories.json", import.meta.url), "utf8")) as {
  readonly name: string;
  readonly story: Story;
}[];

test.each(found)("$name", async ({ story }) => {
  const result = await runStory(story);

  const isDeep = story.steps.some((step) => step.kind === "reorg" && step.depth > 3);
  if (!isDeep) {
    expect(countedOf(result)).toEqual(expectedOf(result));
    expect(countedOfChain(result)).toEqual(expectedOfChain(result));
  }
  for (const name of ["addresses", "transactions"] as const) {
    expect(changesOf(result, name).net).toBe(BigInt(transactionsOf(result, name).length));
  }
  expect(changesOf(result, "contracts").net).toBe(printsOf(result));
});
