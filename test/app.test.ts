import { expect, test } from "@jest/globals";
import { c32address } from "c32check";
import { startSimulator } from "../simulator/server.ts";
import type { Task } from "../src/collectors/collector.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors, readPage } from "./support/app.ts";
import { differences } from "./support/expected-totals.ts";
import { FakeClock } from "./support/fake-clock.ts";

test("pollOnce polls the targets of a watch list in turn, so that none misses its deadline", async () => {
  await using simulator = await startSimulator({ seed: 1 });
  const addresses = Array.from({ length: 12 }, (_, index) => c32address(22, String(index).padStart(40, "0")));
  await using app = await createApp(`
networks:
  - name: simulated
    url: ${simulator.url}
    budget: { per_minute: 100, per_month: unlimited }
    addresses: [${addresses.map((address) => `{ address: ${address} }`).join(", ")}]
`);
  const poll = app.poll.bind(app);
  let underWay = 0;
  let most = 0;
  app.poll = async (task) => {
    if (task.collector.name !== "addresses") return poll(task);
    underWay += 1;
    most = Math.max(most, underWay);
    await poll(task);
    underWay -= 1;
  };

  expect(await app.pollOnce()).toEqual([]);
  expect(simulator.requests.filter(({ path }) => path.includes("/addresses/"))).toHaveLength(12);
  expect(most).toBe(1);
});

test("near max_series new assets become other: no transfer is lost, and the overflow is counted", async () => {
  await using simulator = await stillSimulator({ history: 300 });
  const { accounts } = simulator.chain;
  // The series of the first ones take most of the limit.
  const users = [...Array.from({ length: 40 }, (_, index) => accounts.occasional(index)), ...accounts.users];
  await using app = await createApp(`max_series: 1000
networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 5000, per_month: unlimited }
    confirmations: 1
    addresses: [${users.map((address) => `{ address: ${address} }`).join(", ")}]
collectors: ${onlyCollectors({ addresses: { backfill: "all" }, blocks: {} })}
`);
  for (const task of app.tasks) await app.poll(task);
  const page = await readPage(app);

  expect(page.value("stacks_exporter_series_limit")).toBe(1000);
  expect(page.value("stacks_exporter_series")).toBe(page.all.length);
  expect(differences(page, simulator.chain, users, simulator.chain.height)).toEqual([]);
  expect(page.sum("stacks_address_ft_transfers_total", { asset: "other" })).toBeGreaterThan(0n);
});

test("a server that lacks an optional operation: ready and up, shown on the page, and an update is detected", async () => {
  await using simulator = await stillSimulator({ history: 30 });
  simulator.faults.add({ kind: "404", path: "/extended/v3/*" });
  const clock = new FakeClock();
  const lines: string[] = [];
  await using app = await createApp(
    `networks: [{ name: m, url: "${simulator.url}", budget: { per_minute: 1000, per_month: unlimited } }]`,
    (line) => lines.push(line),
    { clock },
  );
  const task = app.tasks.find(({ collector }) => collector.name === "transactions") as Task;
  const requests = () => simulator.requests.filter(({ path }) => path.startsWith("/extended/v3/transactions")).length;

  expect(await app.pollOnce()).toEqual([]);
  for (let minutes = 0; minutes < 30; minutes += 1) {
    await clock.advance(60_000);
    await app.poll(task);
  }

  expect(app.missing()).toEqual([]);
  expect(requests()).toBe(2);
  const before = await readPage(app);
  const collector = "transactions";
  expect(before.value("stacks_up")).toBe(1);
  expect(before.value("stacks_exporter_collector_state", { collector, state: "unsupported" })).toBe(1);
  expect(before.value("stacks_exporter_collector_success", { collector })).toBeUndefined();
  expect(before.value("stacks_exporter_collector_runs_total", { collector })).toBe(31);
  const logged = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.includes("lacks the operation"));
  const once = logged.filter(({ level }) => level === 30).map(({ collector }) => collector);
  expect(once).toEqual(["transactions", "mempool_transactions"]);

  simulator.faults.clear();
  await clock.advance(31 * 60_000);
  await app.poll(task);

  const page = await readPage(app);
  expect(page.value("stacks_exporter_collector_success", { collector })).toBe(1);
  expect(page.value("stacks_chain_pending_depth_transactions")).toBeGreaterThan(0);
});

test("an idle round of addresses and their balances costs two requests per address", async () => {
  await using simulator = await stillSimulator({ history: 60 });
  const { chain } = simulator;
  chain.mempool.clear(chain.now);
  const { users, assets } = chain.accounts;
  await using app = await createApp(`networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 5000, per_month: unlimited }
    assets: [{ id: "${assets.token}", decimals: 6 }]
    addresses: [${users.map((address) => `{ address: ${address} }`).join(", ")}]
collectors: { balances: { addresses: all }, fees: { enabled: false }, mempool: { enabled: false } }
`);
  // The first round reads everything, the second one the tokens again.
  for (let round = 0; round < 2; round += 1) expect(await app.pollOnce()).toEqual([]);
  const before = simulator.requests.length;
  expect(await app.pollOnce()).toEqual([]);

  const idle = simulator.requests.slice(before).filter(({ path }) => users.some((user) => path.includes(user)));
  const balances = idle.filter(({ path }) => path.includes("/balances/"));
  expect([idle.length, balances.length]).toEqual([2 * users.length, users.length]);
  const page = await readPage(app);
  expect(page.samples("stacks_address_ft_balance_units")).toHaveLength(2 * users.length);
  const decimals = page.samples("stacks_asset_decimals").map(({ labels, value }) => [labels.get("asset"), value]);
  expect(decimals).toEqual([
    [assets.token, 6],
    ["SM3VDXK3WZZSA84XXFKAFAF15NNZX32CTSG82JFQ4.sbtc-token::sbtc-token", 8],
  ]);
});
