// Servers that lag, resync or return wrong blocks do not change the counters of blocks.
import { expect, test } from "@jest/globals";
import { blocks } from "../../../src/collectors/blocks/blocks.ts";
import { cannedApi } from "../../support/canned-api.ts";
import { CollectorRun } from "../../support/collect.ts";
import { ModelWorld } from "../../support/model-world.ts";

const sizes = (count: number) => new Array<number>(count).fill(1);

/** A world of blocks, and polls of it half a minute apart. */
function following(mined: number, hasList = true) {
  const world = new ModelWorld();
  if (!hasList) world.status.set("blocks", 404);
  world.mine(sizes(mined));
  const run = new CollectorRun(
    blocks,
    cannedApi(world.respond, () => world.now),
    () => {
      world.now += 30_000;
      return { now: world.now };
    },
  );
  const counters = () => {
    const { samples } = run;
    const names = ["blocks", "reorgs", "reorged_blocks", "skipped_blocks"] as const;
    return Object.fromEntries(names.map((name) => [name, samples.get(`chain_${name}_total`)]));
  };
  return {
    world,
    run,
    counters,
    reasons: () => run.failures.map(({ reason }) => reason),
    height: () => run.samples.get("chain_block_height block"),
  };
}
const NONE = { blocks: 0, reorgs: 0, reorged_blocks: 0, skipped_blocks: 0 };

test.each([true, false])("a replica 34 blocks behind is no reorganisation (with a list: %p)", async (hasList) => {
  const { world, run, counters, reasons } = following(100, hasList);
  await run.polls(3);
  const before = counters();

  world.serve({ kind: "lag", changes: 34 });
  await run.polls(3);
  expect(reasons()).toEqual(["behind", "behind", "behind"]);
  expect(run.failures[0]?.message).toMatch(/the tip is 66, 34 blocks below the known tip 100/);
  expect(counters()).toEqual(before);

  world.serve({ kind: "fresh" });
  world.mine(sizes(3));
  await run.poll();
  expect(counters()).toEqual({ ...before, blocks: (before.blocks ?? 0) + 3 });
});

test("after a first poll of a replica that is behind, each block up to the tip counts once", async () => {
  const { world, run, counters } = following(134);
  world.serve({ kind: "lag", changes: 34 });
  await run.poll();
  world.serve({ kind: "flip", changes: 34 });
  await run.polls(9);

  expect(counters()).toEqual({ ...NONE, blocks: 34 });
});

test("no block of a server that resyncs from block 1 counts again", async () => {
  const { world, run, counters, reasons } = following(90);
  await run.poll();
  world.mine(sizes(6));
  await run.poll();
  world.serve({ kind: "resync", blocks: 12 });
  await run.polls(12);

  expect(new Set(reasons())).toEqual(new Set(["behind"]));
  expect(counters()).toEqual({ ...NONE, blocks: 6 });
});

test("a replica on an orphaned fork does not cause another reorganisation", async () => {
  const { world, run, counters } = following(40);
  await run.poll();
  // The replica has a chain of the same height, with other blocks.
  world.mine(sizes(1));
  await run.poll();
  world.reorg(2, []);
  await run.poll();
  world.serve({ kind: "flip", changes: 1 });
  await run.polls(6);

  expect(counters()).toEqual({ ...NONE, reorgs: 1, reorged_blocks: 2, blocks: 1 + 3 });
});

test.each([1, 30, 1_000, 2 ** 30])("rejects a tip that is %i blocks too high", async (by) => {
  const { world, run, counters, reasons, height } = following(60);
  await run.poll();
  world.serve({ kind: "high", by });
  await run.polls(3);

  expect(reasons()).toEqual(["bad_body", "bad_body", "bad_body"]);
  expect(run.failures[0]?.message).toMatch(
    /is not confirmed by another operation|more than blocks_per_minute allows|Too big/,
  );
  expect(counters()).toEqual(NONE);
  world.serve({ kind: "fresh" });
  world.mine(sizes(2));
  await run.poll();
  expect(height()).toBe(62);
});

test("rejects a tip that is too high in the first poll", async () => {
  const { world, run, reasons } = following(60);
  world.serve({ kind: "high", by: 1_000 });
  await run.poll();

  expect(reasons()).toEqual(["bad_body"]);
  expect(run.samples.page).toBe("");
});

/** Blocks above a tip that no miner made, the first one at a height. */
const invented = (world: ModelWorld, from: number, count: number) =>
  Array.from({ length: count }, (_, place) => {
    const number = (kind: string, n: number) => `0x${kind}${n.toString(16).padStart(63, "0")}`;
    const height = from + place;
    const hashes = { hash: number("d", height), indexHash: number("e", height), parent: number("d", height - 1) };
    return { ...hashes, height, time: world.now / 1000, txs: [] };
  });

test("rejects a tip that is too high even if every operation returns it", async () => {
  const { world, run, counters, reasons } = following(60);
  await run.poll();
  world.history.push([...world.blocks, ...invented(world, 61, 1_000)]);
  await run.polls(2);

  expect(reasons()).toEqual(["bad_body", "bad_body"]);
  expect(run.failures[0]?.message).toContain("more than blocks_per_minute allows");
  expect(counters()).toEqual(NONE);
});

test("replaces a known tip that is on no chain when the blocks of the server are lower and later", async () => {
  const { world, run, reasons, height } = following(60);
  const { blocks: honest } = world;
  // The first server has invented every block, and is believed because no other one is known.
  const wrong = invented(world, 1, 1_060);
  world.history.push(wrong);
  await run.poll();
  expect(height()).toBe(1_060);
  world.history.push(honest);
  world.mine(sizes(1));
  await run.poll();
  expect(reasons()).toEqual(["behind"]);

  world.mine(sizes(40));
  await run.poll();
  expect(height()).toBe(101);
});

test("checks the identity of the chain before it accepts blocks that are not connected to the known ones", async () => {
  const { world, run } = following(30);
  const checks: number[] = [];
  const checkIdentity = async () => {
    checks.push(world.tip);
  };
  await run.poll({ checkIdentity });
  expect(checks).toEqual([]);
  const other = new ModelWorld();
  other.mine(sizes(20));
  other.now = world.now;
  other.mine(sizes(200));
  const renamed = (hash: string) => hash.replace("0xb", "0xc");
  world.history.push(other.blocks.map((one) => ({ ...one, hash: renamed(one.hash), parent: renamed(one.parent) })));
  world.now += 7_200_000;

  await run.poll({ checkIdentity });
  expect(checks).toEqual([220]);
});
