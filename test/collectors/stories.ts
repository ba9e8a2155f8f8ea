// The counters equal the totals of the blocks, regardless of the responses of the servers.
import { expect, test } from "@jest/globals";
import type fc from "fast-check";
import {
  COUNTING,
  type Counting,
  changesOf,
  expectExact,
  expectedOf,
  type ModelExporter,
  shownOf,
  sizeOf,
  transactionsOf,
} from "../support/model-exporter.ts";
import { assertStories, runStory, type Story, stories } from "../support/story.ts";

function expectBlocks({ world, page, replaced, firstTip = 0 }: ModelExporter): void {
  expect(page.value("stacks_chain_block_timestamp_seconds")).toBe(world.blocks.at(-1)?.time);
  const total = (name: string) => page.value(`stacks_chain_${name}_total`) ?? Number.NaN;
  // A block that returns after its replacement counts as replaced, and is not counted again.
  const returned = world.blocks.filter(({ hash }) => replaced.has(hash)).length;
  const net = total("blocks") - total("reorged_blocks") + total("skipped_blocks") + returned;
  expect(net).toBe(world.tip - firstTip);
}

/** Failed calls by function. */
function byFunction(errors: Readonly<Record<string, bigint>>) {
  const failed: Record<string, bigint> = {};
  for (const [key, count] of Object.entries(errors)) {
    const [name = ""] = key.split(" ");
    failed[name] = (failed[name] ?? 0n) + count;
  }
  return failed;
}

/** Defines the property tests, each with `numRuns` stories. */
export function testStories(numRuns: number): void {
  const holds = (name: string, of: fc.Arbitrary<Story>, check: (story: Story) => Promise<void>) =>
    test(name, () => assertStories(of, check, { seed: 20_261_122, numRuns }));

  holds(
    "forks of blocks without confirmations: nothing is reverted, everything is counted once",
    stories(2, false),
    async (story) => {
      const result = await runStory(story);
      expectBlocks(result);
      expectExact(result);
    },
  );

  holds("operations are removed: the counters continue", stories(2, true), async (story) => {
    const result = await runStory(story);
    expectBlocks(result);
    for (const name of ["addresses", "transactions"] as const)
      expect(shownOf(result, name)).toEqual(expectedOf(result, name));
    // The replacement does not return results: their errors are unknown.
    const byFunctions = (of: typeof shownOf) => {
      const { errors, ...calls } = of(result, "contract_calls");
      return { ...calls, errors: byFunction(errors as Readonly<Record<string, bigint>>) };
    };
    expect(byFunctions(shownOf)).toEqual(byFunctions(expectedOf));
  });

  holds(
    "forks of confirmed blocks: counted rows without reverted rows are those of the chain",
    stories(9, false),
    async (story) => {
      // Probing starts with one block and cannot detect forks below it.
      const result = await runStory({ ...story, tip: "list" });
      expectBlocks(result);
      for (const name of COUNTING) expectNet(result, name);
    },
  );
}

/** All that has to be counted is counted, except what a fork has moved up from heights that do not count. */
function expectNet(result: ModelExporter, name: Counting): void {
  const { below } = result.startOf(name);
  const all = transactionsOf(result, name);
  const { net } = changesOf(result, name);
  expect(net).toBeLessThanOrEqual(sizeOf(result, name));
  const moved = all.filter(({ id }) => below.has(id));
  expect(net).toBeGreaterThanOrEqual(sizeOf(result, name) - sizeOf(result, name, moved));
}
