// Defects that runs against a real API server, and servers that lie, have shown.
import { describe, expect, test } from "@jest/globals";
import {
  COUNTING,
  changesOf,
  expectExact,
  expectNet,
  gapOf,
  ModelExporter,
  sizeOf,
} from "../support/model-exporter.ts";

describe.each(COUNTING)("%s", (name) => {
  const start = async () => {
    const exporter = await ModelExporter.start({ collectors: { blocks: {}, [name]: { pages: 2 } } });
    exporter.world.mine([1, 3, 1, 0, 0, 0]);
    await exporter.poll();
    return exporter;
  };

  test("counts what is mined while older rows are read, although its list does not change after that", async () => {
    await using exporter = await start();
    const { world } = exporter;
    world.mine([90, 90, 90, 0, 0, 0]);
    for (let polls = 0; polls < 12; polls += 1) {
      let isDone = polls > 3;
      world.afterResponse = () => {
        if (!isDone) world.mine([7]);
        isDone = true;
      };
      await exporter.poll();
    }
    // Validators are those of the rows: these blocks change no list.
    world.mine([0, 0, 0]);
    for (let polls = 0; polls < 9; polls += 1) await exporter.poll();
    expectNet(exporter, name);
  });

  test("counts on after a row that a server has invented once, also after a restart", async () => {
    await using exporter = await start();
    const { world } = exporter;
    world.mine([4, 4, 0, 0, 0]);
    world.serve({ kind: "lie", invented: 1, omitted: 0, below: 2, factor: 1n });
    await exporter.poll();
    world.serve({ kind: "fresh" });
    for (const size of [5, 6]) {
      world.mine([size, 0, 0, 0]);
      await exporter.poll();
      await exporter.restart();
      await exporter.poll();
    }
    const wrong = changesOf(exporter, name).net - sizeOf(exporter, name);
    expect([wrong >= 0n && wrong <= 1n, gapOf(exporter)]).toEqual([true, 0n]);
  });
});

test("the newest values of an address whose list shows a fork before the blocks do", async () => {
  await using exporter = await ModelExporter.start({ collectors: { blocks: {}, addresses: {} } });
  const { world } = exporter;
  world.mine([1, 3, 1, 2, 2, 2]);
  await exporter.poll();
  world.reorg(2, [true]);
  await exporter.poll(["addresses"]);
  await exporter.poll();
  await exporter.poll();
  const shown = exporter.page.samples("stacks_address_last_transaction_timestamp_seconds");
  const newest = world.blocks.findLast(({ txs }) => txs.length > 0);
  expect(Math.max(...shown.map(({ value }) => value))).toBe(newest?.time);
});

test.each([5, 30])("transfers although a front end refuses everything for %i s after the list", async (seconds) => {
  await using exporter = await ModelExporter.start({ collectors: { blocks: {}, addresses: {} } });
  const { world } = exporter;
  world.mine([1, 0, 0, 0]);
  await exporter.poll();
  world.mine([3, 3, 3, 3, 0, 0, 0]);
  await exporter.poll(["blocks"]);
  world.afterResponse = () => world.status.set("*", 410);
  await exporter.poll(["addresses"]);
  world.afterResponse = () => undefined;
  world.status.clear();
  await exporter.poll(["addresses"], seconds);
  for (let polls = 0; polls < 4; polls += 1) await exporter.poll();
  expectExact(exporter, ["addresses"]);
});

test.each([410, 404])("transactions of a server without any operation for transfers: %s", async (status) => {
  await using exporter = await ModelExporter.start({ collectors: { blocks: {}, addresses: {} } });
  const { world } = exporter;
  const { respond } = world;
  world.respond = (url, operation) =>
    /transfers|events/.test(operation) ? { status, isRouteMissing: status === 404 } : respond(url, operation);
  world.mine([1, 0, 0, 0]);
  for (let polls = 0; polls < 12; polls += 1) {
    await exporter.poll(undefined, 1500);
    // The first one waits until this is confirmed, but no later one when the operations are requested again.
    if (polls > 3) expect(exporter.page.sum("stacks_address_transactions_total")).toBe(3n * BigInt(polls));
    world.mine([3, 0, 0, 0]);
  }
});

test("transactions with their confirmations are not pending after a restart without a chain", async () => {
  await using exporter = await ModelExporter.start({ collectors: { blocks: {}, addresses: {} } });
  const { world } = exporter;
  const pending = () => exporter.page.value("stacks_address_pending_depth_transactions");
  world.mine([2, 2, 2, 0, 0, 1]);
  await exporter.poll();
  expect(pending()).toBe(1);
  world.status.set("blocks", 500).set("status", 500);
  await exporter.restart();
  world.mine([1]);
  await exporter.poll();
  expect(pending()).toBe(1);
});

test.each([
  ["before", ["transactions", "blocks", "transactions"]],
  ["after", ["blocks", "transactions"]],
] as const)("the fees of the mined transactions of a fork that is listed %s the blocks show it", async (_, order) => {
  await using exporter = await ModelExporter.start({ collectors: { blocks: {}, transactions: {} } });
  const { world } = exporter;
  // At most two transactions of a sender count.
  world.hasManySenders = true;
  world.mine([40, 40, 40, 40, 2, 2]);
  await exporter.poll();
  for (const keep of [[true, false], []]) {
    world.reorg(3, keep);
    await exporter.poll(order);
  }
  const all = world.between(0, world.tip).length;
  expect(exporter.page.value("stacks_chain_mined_fee_sample_transactions", { tx_type: "all" })).toBe(all);
});
