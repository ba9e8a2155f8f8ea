// Stories that fast-check once found to be counted wrongly, in their shortest form.
import { expect, test } from "@jest/globals";
import { countedOf, expectedOf, live, type Story } from "../support/story.ts";

const FOUND: readonly (readonly [string, Story])[] = [
  [
    "a reading that resumes below rows that it read before, after beginning again at the top",
    {
      first: [0, 0, 0, 0, 0, 0],
      steps: [
        { kind: "mine", sizes: [48, 50] },
        { kind: "serve", server: { kind: "flip", changes: 3 }, polls: 1 },
        { kind: "mine", sizes: [0, 0, 0, 46, 2, 1] },
      ],
      pages: 2,
      backfill: "none",
      tip: "extended",
    },
  ],
  [
    "the same when the operation is retired in between",
    {
      first: [0, 0, 0, 0, 0, 0],
      steps: [
        { kind: "mine", sizes: [20, 49, 3, 113, 75, 125] },
        { kind: "mine", sizes: [65] },
        { kind: "mine", sizes: [1] },
        { kind: "gone" },
        { kind: "restart" },
      ],
      pages: 3,
      backfill: "none",
      tip: "extended",
    },
  ],
];

test.each(FOUND)("%s", async (_, story) => {
  const told = await live(story);

  expect(countedOf(told)).toEqual(expectedOf(told));
});
