// Several exporters share the watch lists of a configuration.
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Simulator } from "../simulator/server.ts";
import type { App } from "../src/app.ts";
import { shardOf } from "../src/store/shard.ts";
import { Store } from "../src/store/store.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { differences, expectedTotals } from "./support/expected-totals.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { folderOfEachTest } from "./support/folder.ts";
import { Page } from "./support/page.ts";

const CONFIRMATIONS = 6;

const folder = folderOfEachTest();
let simulator: Simulator;
let apps: App[] = [];

beforeEach(async () => {
  simulator = await stillSimulator({ history: 60 });
});
afterEach(async () => {
  await stopAll();
  await simulator.close();
});

const principals = () =>
  [...simulator.chain.accounts.users, ...Object.values(simulator.chain.accounts.contracts)].slice(0, 24);
const text = (index: number, count: number, backfill: string) => `networks:
  - name: m
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: 10000, per_month: 20000000 }
    addresses: [${principals().map((address) => `{ address: ${address} }`)}]
shard: { index: ${index}, count: ${count} }
collectors: ${onlyCollectors({ fees: {}, blocks: { catch_up: 1000 }, transactions: {}, addresses: { backfill } })}
`;

const clock = new FakeClock();
const pathOf = (index: number) => join(folder, `shard-${index}.db`);
function openState(index: number, count: number): Store {
  const file = new Store(pathOf(index));
  file.keepOnly({ index, count });
  return file;
}
async function startAll(count: number, backfill: string): Promise<void> {
  apps = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      createApp(text(index, count, backfill), undefined, {
        store: openState(index, count),
        clock,
      }),
    ),
  );
}
function advance(seconds: number): void {
  simulator.advance(seconds);
  clock.set(clock.now() + seconds * 1000);
}
async function stopAll(): Promise<void> {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
}
const pagesOf = () => Promise.all(apps.map(async (app) => (await app.page.body("classic", false)).toString()));
const poll = () => Promise.all(apps.map((app) => app.pollOnce()));

test("together they count everything once, and only the first exposes the chain", async () => {
  await startAll(4, "all");
  await poll();
  await poll();

  const pages = await pagesOf();
  for (const [index, page] of pages.entries()) {
    const own = principals().filter((principal) => shardOf(principal, 4) === index);
    const depth = simulator.chain.height - CONFIRMATIONS + 1;
    expect(differences(new Page(page, "classic"), simulator.chain, own, depth)).toEqual([]);
  }
  expect(pages.map((page) => /^stacks_(chain|mempool)_/m.test(page))).toEqual([true, false, false, false]);
  expect(pages.map((page) => /stacks_exporter_shard_ordinal\{ordinal="(\d)"\}/.exec(page)?.[1])).toEqual([
    "0",
    "1",
    "2",
    "3",
  ]);
  expect(pages.every((page) => page.includes("stacks_exporter_shards 4\n"))).toBe(true);
});

describe("addresses that move to another shard and back", () => {
  const moves = (principal: string) => shardOf(principal, 2) !== shardOf(principal, 3);
  /** The last value of each instance and principal, and how much they have counted together. */
  let last: Map<string, number>;
  let counted: Map<string, number>;

  beforeEach(() => {
    last = new Map();
    counted = new Map();
  });

  // A series that is absent starts again at 0.
  async function scrape(): Promise<void> {
    for (const [instance, page] of (await pagesOf()).entries()) {
      const shown = new Page(page, "classic");
      for (const principal of principals()) {
        const key = `${instance} ${principal}`;
        const value = Number(shown.sum("stacks_address_transactions_total", { address: principal }));
        const more = value - (last.get(key) ?? 0);
        last.set(key, value);
        if (more > 0) counted.set(principal, (counted.get(principal) ?? 0) + more);
      }
    }
  }

  /** Starts these shards, and polls before and after new blocks. */
  async function runShards(count: number): Promise<void> {
    await startAll(count, "none");
    await scrape();
    await poll();
    advance(900);
    await poll();
    await scrape();
    await stopAll();
  }

  const confirmed = () => simulator.chain.height - CONFIRMATIONS + 1;
  const expectedFrom = (from: number) => (principal: string) =>
    expectedTotals(simulator.chain, principal, confirmed(), from).transactions;

  test("start like new targets, and count each transaction once", async () => {
    const expected = expectedFrom(confirmed());
    for (const count of [2, 3, 2]) await runShards(count);

    expect(principals().filter((one) => moves(one) && expected(one) > 0).length).toBeGreaterThan(2);
    expect(principals().filter((one) => (counted.get(one) ?? 0) !== expected(one))).toEqual([]);
  });

  test("have a gap for blocks while all shards were stopped, and others have none", async () => {
    const expected = expectedFrom(confirmed());
    await runShards(2);
    advance(900);
    await runShards(3);

    const missing = (one: string) => expected(one) - (counted.get(one) ?? 0);
    expect(principals().filter((one) => !moves(one) && missing(one) !== 0)).toEqual([]);
    expect(principals().filter((one) => moves(one) && missing(one) < 0)).toEqual([]);
    expect(principals().filter((one) => moves(one) && missing(one) > 0).length).toBeGreaterThan(0);
  });
});
