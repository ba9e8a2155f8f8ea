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

/** Blocks above a tip that no miner made, the first one at a height. */
const invented = (world: ModelWorld, from: number, count: number) =>
  Array.from({ length: count }, (_, place) => {
    const number = (kind: string, n: number) => `0x${kind}${n.toString(16).padStart(63, "0")}`;
    const height = from + place;
    const hashes = { hash: number("d", height), indexHash: number("e", height), parent: number("d", height - 1) };
    return { ...hashes, height, time: world.now / 1000, txs: [] };
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
