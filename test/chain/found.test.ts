// What servers have done to the chain: each made an earlier version stop counting, or count wrong.
import { expect, test } from "@jest/globals";
import { startApiServer } from "../support/api-server.ts";
import { Exporter } from "../support/exporter.ts";
import { ModelWorld, PRINCIPAL, type WorldBlock } from "../support/model-world.ts";

const YEAR_9999 = Date.UTC(9999, 0) / 1000;
const sizes = (count: number) => new Array<number>(count).fill(1);

/** An exporter of a world of 60 blocks with a transaction each, after its first polls. */
async function started(settings: object = {}) {
  const world = new ModelWorld();
  world.mine(sizes(60));
  const api = await startApiServer(world.respond);
  const exporter = await Exporter.start({
    api,
    now: () => world.now,
    network: { confirmations: 3, addresses: [{ address: PRINCIPAL, name: "p" }] },
    collectors: { blocks: settings, addresses: {} },
  });
  const poll = async () => {
    world.now += 30_000;
    await exporter.poll("blocks");
    await exporter.poll("addresses");
    return exporter.page();
  };
  await poll();
  return {
    world,
    exporter,
    poll,
    async [Symbol.asyncDispose]() {
      await exporter[Symbol.asyncDispose]();
      await api[Symbol.asyncDispose]();
    },
  };
}

/** Blocks that no miner has made, above the tip of a world. */
function invented({ blocks }: ModelWorld, count: number, timeOf: (place: number) => number): readonly WorldBlock[] {
  const made: WorldBlock[] = [];
  for (let place = 1; place <= count; place += 1) {
    const height = blocks.length + place;
    const digits = height.toString(16).padStart(63, "0");
    const parent = (made.at(-1) ?? blocks.at(-1))?.hash ?? "";
    made.push({ height, hash: `0xd${digits}`, indexHash: `0xe${digits}`, parent, time: timeOf(place), txs: [] });
  }
  return [...blocks, ...made];
}

test("more than 330 blocks are caught up, although the server refuses offsets above 300", async () => {
  await using running = await started({ catch_up: 1000 });
  running.world.mine(sizes(700));
  const page = await running.poll();

  expect(running.exporter.failures).toEqual([]);
  expect(page.value("stacks_chain_block_height")).toBe(760);
  expect(page.sum("stacks_chain_blocks_total")).toBe(700n);
  expect(page.sum("stacks_chain_skipped_blocks_total")).toBe(0n);
});

test("after a day without polls, the newest blocks are read, and everything is counted once", async () => {
  await using running = await started();
  const { world } = running;
  world.mine(sizes(8640));
  const page = await running.poll();
  expect(page.value("stacks_chain_block_height")).toBe(8700);
  expect(page.sum("stacks_chain_blocks_total") + page.sum("stacks_chain_skipped_blocks_total")).toBe(8640n);
  const before = page.sum("stacks_address_transactions_total");

  await running.exporter.restart();
  for (let polls = 0; polls < 100; polls += 1) await running.poll();
  const counted = (await running.exporter.page()).sum("stacks_address_transactions_total");
  expect(counted).toBeGreaterThan(before);
  expect(counted).toBe(BigInt(world.between(59, 8698).length));
});

test.each([
  ["dated 9999", 110, () => YEAR_9999],
  ["too many for the time", 110, (place: number) => 1_795_000_600 + place],
])("linked blocks %s are refused, and counting continues at once", async (_, count, timeOf) => {
  await using running = await started();
  const { world, exporter } = running;
  const honest = world.blocks;
  world.history.push(invented(world, count, timeOf));
  await running.poll();
  expect(exporter.failures).toContain("blocks bad_body");

  world.history.push(honest);
  world.mine(sizes(2));
  const page = await running.poll();
  expect(page.value("stacks_chain_block_height")).toBe(62);
  expect(page.sum("stacks_address_transactions_total")).toBe(BigInt(world.between(59, 60).length));
});

test("a lie within the limits is gone some minutes after honest servers answer", async () => {
  await using running = await started();
  const { world, exporter } = running;
  const honest = world.blocks;
  const now = world.now / 1000;
  world.history.push(invented(world, 30, (place) => now + place));
  expect((await running.poll()).value("stacks_chain_block_height")).toBe(90);

  world.history.push(honest);
  for (let polls = 0; polls < 8; polls += 1) {
    world.mine(sizes(1));
    await running.poll();
  }
  const page = await running.poll();
  expect(page.value("stacks_chain_block_height")).toBe(68);
  expect(page.sum("stacks_chain_reorged_blocks_total")).toBe(30n);
  expect(page.sum("stacks_address_transactions_total")).toBe(BigInt(world.between(59, 66).length));
  expect(exporter.failures).toContain("blocks behind");
});
