// Counters of addresses and contracts while servers lag, return wrong values or lose operations, and while blocks
// change.
import { describe, expect, test } from "@jest/globals";
import { changesOf, expectExact, expectedOf, ModelExporter, shownOf, sizeOf } from "../support/model-exporter.ts";
import type { WorldTx } from "../support/model-world.ts";

const empty = (count: number) => new Array<number>(count).fill(0);
const busy = (count: number) => new Array<number>(count).fill(4);

/** An exporter that has counted transactions and events. */
async function running(): Promise<ModelExporter> {
  const exporter = await ModelExporter.start();
  exporter.world.mine(busy(20));
  await exporter.poll();
  for (let polls = 0; polls < 6; polls += 1) {
    exporter.world.mine(busy(2));
    await exporter.poll();
  }
  await exporter.finish();
  expectExact(exporter, ["addresses", "contracts"]);
  expect(changesOf(exporter, "addresses").net).toBeGreaterThan(40n);
  expect(changesOf(exporter, "contracts").net).toBeGreaterThan(10n);
  return exporter;
}

const failuresOf = ({ exporter }: ModelExporter) => exporter.failures;

test("a payout of 385 transactions in 7 blocks is counted with 12 requests a minute", async () => {
  // Two requests of a minute are those of the collector `blocks`.
  await using exporter = await ModelExporter.start({
    confirmations: 6,
    collectors: { blocks: { timeout: "1m" }, addresses: { timeout: "1m" } },
    network: { budget: { per_minute: 12, per_month: "unlimited" } },
    longestWaitMs: 10_000,
  });
  const { world, api } = exporter;
  const spent = () => api.requests.filter((request) => /^(address_|transactions_with_transfers)/.test(request)).length;
  world.mine(busy(20));
  await exporter.poll(undefined, 60);
  world.mine(empty(6));
  await exporter.poll(undefined, 60);
  const before = spent();
  const counted = () => changesOf(exporter, "addresses").net;
  const all = counted() + 385n;
  const above = world.tip;
  world.mine(new Array(7).fill(55));
  for (let polls = 0; polls < 9 && counted() < all; polls += 1) {
    await exporter.poll(undefined, 60);
    world.mine(empty(6));
  }

  expect(counted()).toBe(all);
  expect(shownOf(exporter, "addresses")).toEqual(expectedOf(exporter, "addresses"));
  expect(failuresOf(exporter)).toEqual([]);
  // The list, and one request for each block with transfers that it does not have.
  const withTransfers = world.blocks.slice(above).filter(({ txs }) => txs.some(({ ft }) => ft > 0n));
  expect(spent() - before).toBeLessThanOrEqual(2 * (Math.ceil(385 / 50) + withTransfers.length));
});

const LAST_TIME = "stacks_address_last_transaction_timestamp_seconds";

test("after a fork removes the only transaction, the time of its block is absent", async () => {
  await using exporter = await ModelExporter.start();
  const { world } = exporter;
  world.mine([0, 1, 0]);
  await exporter.poll();
  expect(exporter.page.samples(LAST_TIME)).toHaveLength(1);
  const { blocks } = world;
  world.reorg(2, [false]);
  // The new blocks have no transaction of the address.
  world.history.push(world.blocks.map((block) => ({ ...block, txs: blocks.includes(block) ? block.txs : [] })));
  await exporter.poll();

  expect(exporter.page.samples(LAST_TIME)).toEqual([]);
});

/** Mines transactions of a replaced block again. */
function mineAgain({ world }: ModelExporter, txs: readonly WorldTx[]): void {
  world.mine([0]);
  const { blocks } = world;
  const last = blocks.at(-1);
  if (last === undefined) throw new Error("there is no block");
  world.history.push([...blocks.slice(0, -1), { ...last, txs }]);
}

/** Removes counted transactions with a fork. */
async function withLost(exporter: ModelExporter): Promise<readonly WorldTx[]> {
  exporter.world.mine(busy(2));
  await exporter.finish();
  const { world } = exporter;
  const depth = exporter.confirmations + 10;
  const lost = world.between(world.tip - depth + 1, world.tip);
  expect(lost).toHaveLength(8);
  world.reorg(depth, [false]);
  return lost;
}

describe("counted events whose block was replaced", () => {
  const requestsOf = ({ api }: ModelExporter) => api.requests.filter((url) => url.startsWith("transaction ")).length;
  const printed = (txs: readonly WorldTx[]) => txs.reduce((sum, { prints }) => sum + BigInt(prints), 0n);

  test("are reverted only if the operation for transactions has no block for theirs", async () => {
    await using exporter = await running();
    const lost = await withLost(exporter);
    const before = changesOf(exporter, "contracts");
    exporter.world.status.set("transaction", 500);
    for (let polls = 0; polls < 6; polls += 1) {
      exporter.world.mine([0, 0]);
      await exporter.poll();
    }
    expect(failuresOf(exporter)).toContain("contracts http_server");
    expect(changesOf(exporter, "contracts")).toEqual(before);

    exporter.world.status.delete("transaction");
    await exporter.finish();
    expect(printed(lost)).toBeGreaterThan(0n);
    expect(changesOf(exporter, "contracts")).toMatchObject({
      reverted: printed(lost),
      net: sizeOf(exporter, "contracts"),
    });
    expect(requestsOf(exporter)).toBeGreaterThan(0);

    mineAgain(exporter, lost);
    await exporter.finish();
    expect(changesOf(exporter, "contracts")).toMatchObject({
      reverted: printed(lost),
      restored: printed(lost),
      net: sizeOf(exporter, "contracts"),
    });
  });

  test.each(["gone", "not_found"] as const)(
    "are found by the older operation if that one is removed (%s)",
    async (reason) => {
      await using exporter = await running();
      const { world } = exporter;
      const { respond } = world;
      const removed = reason === "gone" ? { status: 410 } : { status: 404, isRouteMissing: true };
      world.respond = (url, operation) => (operation === "transaction" ? removed : respond(url, operation));
      const lost = await withLost(exporter);
      await exporter.finish();

      expect(printed(lost)).toBeGreaterThan(0n);
      expect(changesOf(exporter, "contracts")).toMatchObject({
        reverted: printed(lost),
        net: sizeOf(exporter, "contracts"),
      });
    },
  );
});
