// A network in the whole exporter, against the simulator: polls of one target cause early polls of others.
import { expect, test } from "@jest/globals";
import type { App } from "../src/app.ts";
import type { Task } from "../src/collectors/task.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, readPage } from "./support/app.ts";

const hints = async (app: App, collector: string, cause: string) =>
  (await readPage(app)).value(`stacks_exporter_hints_total collector=${collector} cause=${cause}`);

test("the parties of new transactions and the principals in events get a hint", async () => {
  const simulator = await stillSimulator({ history: 30 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
  const { users, contracts } = simulator.chain.accounts;
  const entries = users.map((address) => `{ address: ${address} }`).join(", ");
  const called = Object.values(contracts).map((contract) => `{ contract_id: ${contract} }`);
  const app = await createApp(`networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 1000, per_month: unlimited }
    addresses: [${entries}]
    contracts: [${called.join(", ")}]
collectors: { addresses: { zeros: false }, mempool: { enabled: false }, fees: { enabled: false } }
`);
  ends.defer(() => app.stop());
  await app.pollOnce();
  expect(await hints(app, "contracts", "seen")).toBe(0);

  simulator.advance(1800);
  const ofUser = app.tasks.find(({ collector }) => collector.name === "addresses") as Task;
  await app.poll(app.tasks.find(({ collector }) => collector.name === "blocks") as Task);
  await app.poll(ofUser);
  const [users1, contracts1] = [await hints(app, "addresses", "seen"), await hints(app, "contracts", "seen")];
  expect(users1).toBeGreaterThan(0);
  expect(users1).toBeLessThan(users.length);
  expect(contracts1).toBeGreaterThan(0);

  for (const task of app.tasks.filter(({ collector }) => collector.name === "contracts")) await app.poll(task);
  expect(await hints(app, "addresses", "seen")).toBeGreaterThan(users1 ?? 0);
  expect(await hints(app, "addresses", "behind")).toBe(0);
});

test("an address with more transactions than one poll reads is behind", async () => {
  const simulator = await stillSimulator({ history: 300 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
  const app = await createApp(`networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 1000, per_month: unlimited }
    addresses: [{ address: ${simulator.chain.accounts.contracts.token} }]
collectors: { addresses: { backfill: all, pages: 2 }, mempool: { enabled: false }, fees: { enabled: false } }
`);
  ends.defer(() => app.stop());
  await app.pollOnce();

  expect(await hints(app, "addresses", "behind")).toBe(1);
});
