// Whatever the servers do on the way, every counter equals what the blocks say.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { countedOf, eventsOf, expectedOf, live, netOf, printsOf, stories, type Told } from "../support/story.ts";

function expectBlocks({ world, known, firstTip }: Told): void {
  const chain = known.blocks?.chain;
  const { blocks, reorgedBlocks, skipped, missing } = chain?.totals ?? {};
  expect(chain?.recent.at(-1)?.hash).toBe(world.blocks.at(-1)?.hash);
  expect({ net: (blocks ?? 0) - (reorgedBlocks ?? 0) + (skipped ?? 0), missing }).toEqual({
    net: world.tip - firstTip,
    missing: 0,
  });
}

/** The properties, each with so many stories. */
export function testStories(numRuns: number): void {
  const parameters = { seed: 20_261_122, numRuns };

  test("with forks above the depth, nothing is ever reverted and everything is counted once", async () => {
    await fc.assert(
      fc.asyncProperty(stories(2, false), async (story) => {
        const told = await live(story);
        expectBlocks(told);
        const { totals } = told.known.addresses ?? {};
        expect({ reverted: totals?.reverted, restored: totals?.restored, gap: totals?.gap }).toEqual({
          reverted: 0,
          restored: 0,
          gap: 0,
        });
        expect(countedOf(told)).toEqual(expectedOf(told));
        expect(eventsOf(told)).toEqual({ counted: printsOf(told), net: printsOf(told), reverted: 0 });
      }),
      parameters,
    );
  });

  test("with operations that are retired on the way, the counters go on", async () => {
    await fc.assert(
      fc.asyncProperty(stories(2, true), async (story) => {
        const told = await live(story);
        expectBlocks(told);
        expect(countedOf(told)).toEqual(expectedOf(told));
      }),
      parameters,
    );
  });

  test("with forks below the depth, what is counted less what was reverted is what is there", async () => {
    await fc.assert(
      fc.asyncProperty(stories(9, false), async (story) => {
        // Probing knows one block at first, and sees no fork below it.
        const told = await live({ ...story, tip: "extended" });
        expectBlocks(told);
        const canonical = told.world.between(told.from, told.world.tip);
        const moved = canonical.filter(({ id }) => told.below.has(id)).length;
        expect(netOf(told)).toBeLessThanOrEqual(canonical.length);
        expect(netOf(told)).toBeGreaterThanOrEqual(canonical.length - moved);
        expect(eventsOf(told).net).toBe(printsOf(told));
      }),
      parameters,
    );
  });
}
