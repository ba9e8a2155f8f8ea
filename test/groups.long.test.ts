// A group of 5,000 deposit addresses, exported as sums: how many series it has.
import { expect, test } from "@jest/globals";
import { OCCASIONAL_ACCOUNTS } from "../simulator/chain/accounts.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, readPage } from "./support/app.ts";

test("a group of 5,000 members has at most 200 series with every detail", async () => {
  const simulator = await stillSimulator({ history: 300 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
  const { users, sponsor, deployer, assets, occasional, unused } = simulator.chain.accounts;
  const others = (index: number) => (index < OCCASIONAL_ACCOUNTS ? occasional(index) : unused(index));
  const members = new Set([...users, sponsor, deployer]);
  for (let index = 0; members.size < 5000; index += 1) members.add(others(index));
  const app = await createApp(`networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 100000, per_month: unlimited }
    confirmations: 1
    assets: [{ id: "${assets.token}", decimals: 6 }]
    groups: [{ name: deposits, export: group }]
    addresses: [${[...members].map((address) => `{ address: ${address}, group: deposits }`)}]
state: memory
collectors:
  addresses: { backfill: all }
  balances: { groups: [deposits] }
`);
  ends.defer(() => app.stop());

  // Transactions count in the second poll, because the first one has not seen their blocks.
  for (let round = 0; round < 2; round += 1) {
    expect((await app.pollOnce()).map(({ what, why }) => `${what}: ${why}`)).toEqual([]);
  }

  const { families } = await readPage(app);
  const samples = [...families.values()].flatMap((family) => family.samples);
  const own = samples.filter(({ name }) => /_(address|group)_/.test(name));
  expect(own.every(({ name }) => name.startsWith("stacks_group_"))).toBe(true);
  expect(own.find(({ name }) => name === "stacks_group_transactions_total")?.value).toBeGreaterThan(0);
  expect(own.length).toBeLessThanOrEqual(200);
});
