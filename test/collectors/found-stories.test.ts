// Stories that fast-check once found to be counted wrongly, in their shortest form.
import { expect, test } from "@jest/globals";
import { countedOf, expectedOf, live, netOf, type Story } from "../support/story.ts";

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
  [
    "a chain that a server in resync shortens: what was there before is not counted when it moves",
    {
      first: [0, 0, 1, 0, 0, 0, 0],
      steps: [
        { kind: "serve", server: { kind: "high", by: 1 }, polls: 3 },
        { kind: "mine", sizes: [0] },
        { kind: "reorg", depth: 6, keep: [] },
        { kind: "serve", server: { kind: "resync", blocks: 1 }, polls: 1 },
        { kind: "fail", after: 3 },
      ],
      pages: 2,
      backfill: "none",
      tip: "extended",
    },
  ],
  [
    "a list from before a fork: rows above the known tip are read with a row whose block is replaced",
    {
      first: [0, 0, 0, 0, 1, 0],
      steps: [
        { kind: "serve", server: { kind: "flip", changes: 8 }, polls: 1 },
        { kind: "mine", sizes: [0, 1] },
        { kind: "reorg", depth: 1, keep: [false] },
        { kind: "mine", sizes: [0] },
        { kind: "mine", sizes: [40, 2, 1, 1, 0, 2, 3, 2] },
      ],
      pages: 2,
      backfill: "none",
      tip: "probe",
    },
  ],
  [
    "transfers that no server has while it is behind the chain",
    {
      first: [1, 1, 0, 0, 0, 3],
      steps: [
        { kind: "fail", after: 0 },
        { kind: "shift", sizes: [0, 0] },
        { kind: "serve", server: { kind: "flip", changes: 3 }, polls: 4 },
        { kind: "serve", server: { kind: "flip", changes: 9 }, polls: 3 },
        { kind: "fail", after: 0 },
        { kind: "fail", after: 0 },
        { kind: "mine", sizes: [0, 20, 0, 0, 0] },
        { kind: "reorg", depth: 1, keep: [] },
      ],
      pages: 2,
      backfill: "none",
      tip: "extended",
    },
  ],
];

test.each(FOUND)("%s", async (_, story) => {
  const told = await live(story);

  expect(countedOf(told)).toEqual(expectedOf(told));
  expect(netOf(told)).toBe(told.world.between(told.from, told.world.tip).length);
});
