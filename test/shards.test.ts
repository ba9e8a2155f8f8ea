// Several exporters share the watch lists of a configuration.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Simulator } from "../simulator/server.ts";
import type { App } from "../src/app.ts";
import { reshard } from "../src/storage/reshard.ts";
import { StateFile } from "../src/storage/state-file.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { differences, expectedTotals, sumOf, totalsOf } from "./support/expected-totals.ts";
import { FakeClock } from "./support/fake-clock.ts";

const CONFIRMATIONS = 6;
const log = { warn: () => undefined };

let folder: string;
let simulator: Simulator;
let apps: App[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "stacks-exporter-shards-"));
  simulator = await stillSimulator({ history: 60 });
});
afterEach(async () => {
  await stopAll();
  await simulator.close();
  rmSync(folder, { recursive: true });
});

const principals = () => [...simulator.chain.accounts.users, ...Object.values(simulator.chain.accounts.contracts)];
const text = (index: number, count: number) => `networks:
  - name: m
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: 10000, per_month: 20000000 }
    addresses: [${principals().map((address) => `{ address: ${address} }`)}]
shard: { index: ${index}, count: ${count} }
collectors: ${onlyCollectors({ fees: {}, blocks: { catch_up: 1000 }, transactions: {}, addresses: { backfill: "all" } })}
`;

const clock = { now: () => 0 };
function stateOf(index: number, count: number, path: string): StateFile {
  const file = new StateFile(path, { log, clock });
  try {
    file.claim({ index, count }, 0);
  } catch (error) {
    file.close();
    throw error;
  }
  return file;
}
async function startAll(count: number, in_: string): Promise<void> {
  apps = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      createApp(text(index, count), undefined, {
        stateFile: stateOf(index, count, join(in_, `shard-${index}.db`)),
        clock: new FakeClock(),
      }),
    ),
  );
}
async function stopAll(): Promise<void> {
  await Promise.all(apps.splice(0).map((app) => app.stop()));
}
const pagesOf = () => Promise.all(apps.map(async (app) => (await app.page.body("classic", false)).toString()));
const totals = async () => new Map((await pagesOf()).flatMap((page) => [...totalsOf(page)]));
const poll = () => Promise.all(apps.map((app) => app.pollOnce()));
const wrong = async () =>
  differences(await totals(), simulator.chain, principals(), simulator.chain.height - CONFIRMATIONS + 1);

test("together they count everything once, and only the first exposes the chain", async () => {
  await startAll(4, folder);
  await poll();
  await poll();

  expect(await wrong()).toEqual([]);
  const pages = await pagesOf();
  expect(pages.map((page) => /^stacks_(chain|mempool)_/m.test(page))).toEqual([true, false, false, false]);
  expect(pages.map((page) => /stacks_exporter_shard_ordinal\{ordinal="(\d)"\}/.exec(page)?.[1])).toEqual([
    "0",
    "1",
    "2",
    "3",
  ]);
  expect(pages.every((page) => page.includes("stacks_exporter_shards 4\n"))).toBe(true);
});

test("with another number of shards, all totals continue in their new shards", async () => {
  await startAll(4, folder);
  await poll();
  await poll();
  await stopAll();
  simulator.advance(1200);
  const next = mkdtempSync(join(folder, "next-"));
  const old = [2, 0, 3, 1].map((index) => join(folder, `shard-${index}.db`));
  const written = reshard(old, 6, next, { log, clock });
  expect(written).toHaveLength(6);
  await startAll(6, next);
  const continued = await totals();
  const [busiest = ""] = principals();
  expect(sumOf(continued, "stacks_address_transactions_total", busiest)).toBeGreaterThan(0);
  expect(sumOf(continued, "stacks_address_transactions_total", busiest)).toBeLessThan(
    expectedTotals(simulator.chain, busiest, simulator.chain.height).transactions,
  );
  await poll();
  await poll();

  expect(await wrong()).toEqual([]);
});

test("a state file of another shard is refused, with what to do", () => {
  const path = join(folder, "shard.db");
  stateOf(1, 4, path).close();
  expect(() => stateOf(1, 6, path)).toThrow(
    /it is the state of shard 1 of 4, and this is shard 1 of 6; distribute the state with the command reshard/,
  );
  stateOf(1, 4, path).close();
});

test("the state of an exporter without shards is that of the only shard", async () => {
  const path = join(folder, "state.db");
  const app = await createApp(text(0, 1).replace(/^shard:.*$/m, ""), undefined, {
    stateFile: new StateFile(path, { log, clock }),
    clock: new FakeClock(),
  });
  await app.pollOnce();
  await app.stop();
  const next = mkdtempSync(join(folder, "next-"));
  reshard([path], 2, next, { log, clock });
  await startAll(2, next);
  await poll();
  await poll();

  expect(await wrong()).toEqual([]);
});

test("files that are not those of all shards are refused, and nothing is overwritten", () => {
  for (const index of [0, 1]) stateOf(index, 2, join(folder, `old-${index}.db`)).close();
  const old = [0, 1].map((index) => join(folder, `old-${index}.db`));
  const to = (paths: readonly string[]) => () => reshard(paths, 3, folder, { log, clock });

  expect(to(old.slice(0, 1))).toThrow(/is the state of one of 2 shards, and the number of files is 1/);
  expect(to([old[0] as string, old[0] as string])).toThrow(/is the state of the same shard as/);
  expect(to(old)()).toHaveLength(3);
  expect(to(old)).toThrow(/shard-0\.db: exists, and is not overwritten/);
});

test("what is left of the month is divided, and a pause continues", () => {
  const record = { minute: [], month: { tokens: 60, at: 5 } };
  for (const index of [0, 1]) {
    const file = stateOf(index, 2, join(folder, `old-${index}.db`));
    file.saveBudget("m/default", { ...record, pausedUntil: index === 0 ? undefined : 900 }, 0);
    file.close();
  }
  const [first = ""] = reshard(
    ["old-1.db", "old-0.db"].map((name) => join(folder, name)),
    3,
    folder,
    { log, clock },
  );
  const file = new StateFile(first, { log, clock });

  expect(file.loadBudget("m/default")).toEqual({ minute: [], month: { tokens: 40, at: 5 }, pausedUntil: 900 });
  file.close();
});
