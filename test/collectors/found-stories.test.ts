// Regression tests: stories in which fast-check has found wrong counts.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import {
  countedOf,
  countedOfChain,
  eventsOf,
  expectedOf,
  expectedOfChain,
  netOf,
  netOfChain,
  printsOf,
  runStory,
  type Story,
} from "../support/story.ts";

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
  expect(netOf(result)).toBe(result.world.between(result.from, result.world.tip).length);
  expect(netOfChain(result)).toBe(result.world.between(result.chainFrom, result.world.tip).length);
  expect(eventsOf(result).net).toBe(printsOf(result));
});
