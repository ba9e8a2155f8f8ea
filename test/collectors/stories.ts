// The counters equal the totals of the blocks, regardless of the responses of the servers.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  callsFrom,
  countedCalls,
  countedOf,
  countedOfChain,
  countedRules,
  eventsOf,
  expectedCalls,
  expectedOf,
  expectedOfChain,
  expectedRules,
  netOf,
  netOfCalls,
  netOfChain,
  printsOf,
  runStory,
  type StoryResult,
  stories,
} from "../support/story.ts";

function expectBlocks({ world, observations, firstTip }: StoryResult): void {
  const chain = observations.blocks?.chain;
  const { blocks, reorgedBlocks, skipped, missing } = chain?.totals ?? {};
  expect(chain?.recent.at(-1)?.hash).toBe(world.blocks.at(-1)?.hash);
  // A block that returns after its replacement counts as replaced, and is not counted again.
  const replaced = new Set(chain?.replaced.map(({ hash }) => hash));
  const returned = chain?.recent.filter(({ hash }) => replaced.has(hash)).length ?? 0;
  expect({ net: (blocks ?? 0) - (reorgedBlocks ?? 0) + (skipped ?? 0) + returned, missing }).toEqual({
    net: world.tip - firstTip,
    missing: 0,
  });
}

/** Failed calls by function. */
function countedByFunction(errors: Readonly<Record<string, number>>) {
  const failed: Record<string, number> = {};
  for (const [key, count] of Object.entries(errors)) {
    const [name = ""] = key.split("\t");
    failed[name] = (failed[name] ?? 0) + count;
  }
  return failed;
}

/** Defines the property tests, each with `numRuns` stories. */
export function testStories(numRuns: number): void {
  const parameters = { seed: 20_261_122, numRuns };

  test("forks of blocks without confirmations: nothing is reverted, everything is counted once", async () => {
    await fc.assert(
      fc.asyncProperty(stories(2, false), async (story) => {
        const result = await runStory(story);
        expectBlocks(result);
        const { totals } = result.observations.addresses ?? {};
        expect({ reverted: totals?.reverted, restored: totals?.restored, gap: totals?.gap }).toEqual({
          reverted: 0,
          restored: 0,
          gap: 0,
        });
        expect(countedOf(result)).toEqual(expectedOf(result));
        const { totals: ofChain } = result.observations.transactions ?? {};
        expect({ reverted: ofChain?.reverted, restored: ofChain?.restored, gap: ofChain?.gap }).toEqual({
          reverted: 0,
          restored: 0,
          gap: 0,
        });
        expect(countedOfChain(result)).toEqual(expectedOfChain(result));
        expect(eventsOf(result)).toEqual({ counted: printsOf(result), net: printsOf(result), reverted: 0 });
        expect(countedRules(result)).toEqual(expectedRules(result));
        const { totals: ofCalls } = result.observations.contract_calls ?? {};
        expect({ reverted: ofCalls?.reverted, restored: ofCalls?.restored, gap: ofCalls?.gap }).toEqual({
          reverted: 0,
          restored: 0,
          gap: 0,
        });
        expect(countedCalls(result)).toEqual(expectedCalls(result));
      }),
      parameters,
    );
  });

  test("operations are removed: the counters continue", async () => {
    await fc.assert(
      fc.asyncProperty(stories(2, true), async (story) => {
        const result = await runStory(story);
        expectBlocks(result);
        expect(countedOf(result)).toEqual(expectedOf(result));
        expect(countedOfChain(result)).toEqual(expectedOfChain(result));
        const { errors, ...calls } = countedCalls(result);
        const { errors: failed, ...expected } = expectedCalls(result);
        expect(calls).toEqual(expected);
        // The replacement does not return results: their errors are unknown.
        expect(countedByFunction(errors)).toEqual(countedByFunction(failed));
      }),
      parameters,
    );
  });

  test("forks of confirmed blocks: counted rows without reverted rows are those of the chain", async () => {
    await fc.assert(
      fc.asyncProperty(stories(9, false), async (story) => {
        // Probing starts with one block and cannot detect forks below it.
        const result = await runStory({ ...story, tip: "extended" });
        expectBlocks(result);
        for (const [net, from, below] of [
          [netOf(result), result.from, result.below],
          [netOfChain(result), result.chainFrom, result.chainBelow],
        ] as const) {
          const canonical = result.world.between(from, result.world.tip);
          const moved = canonical.filter(({ id }) => below.has(id)).length;
          expect(net).toBeLessThanOrEqual(canonical.length);
          expect(net).toBeGreaterThanOrEqual(canonical.length - moved);
        }
        const calls = callsFrom(result.world, result.callFrom);
        const moved = calls.filter(({ id }) => result.callBelow.has(id)).length;
        expect(netOfCalls(result)).toBeLessThanOrEqual(calls.length);
        expect(netOfCalls(result)).toBeGreaterThanOrEqual(calls.length - moved);
        expect(eventsOf(result).net).toBe(printsOf(result));
      }),
      parameters,
    );
  });
}
