// Stories that fast-check once found to be counted wrongly: named in found-stories.json, most of them in their shortest form.
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { countedOf, eventsOf, expectedOf, live, netOf, printsOf, type Story } from "../support/story.ts";

const found = JSON.parse(readFileSync(new URL("found-stories.json", import.meta.url), "utf8")) as {
  readonly name: string;
  readonly story: Story;
}[];

test.each(found)("$name", async ({ story }) => {
  const told = await live(story);

  const isDeep = story.steps.some((step) => step.kind === "reorg" && step.depth > 3);
  if (!isDeep) expect(countedOf(told)).toEqual(expectedOf(told));
  expect(netOf(told)).toBe(told.world.between(told.from, told.world.tip).length);
  expect(eventsOf(told).net).toBe(printsOf(told));
});
