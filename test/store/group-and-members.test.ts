// A group that is exported as sums, against the same addresses exported one by one.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { Simulator } from "../../simulator/server.ts";
import { stillSimulator } from "../simulator/support.ts";
import { createApp, readPage } from "../support/app.ts";

let simulator: Simulator;
beforeAll(async () => {
  simulator = await stillSimulator({ history: 120 });
});
afterAll(() => simulator.close());

const configuration = (groups: string) => `networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 50000, per_month: unlimited }
    confirmations: 1
    assets: [{ id: "${simulator.chain.accounts.assets.token}", decimals: 6 }]
    summed_groups: ${groups}
    addresses: [${simulator.chain.accounts.users.map((address) => `{ address: ${address}, group: deposits }`)}]
collectors:
  addresses: { backfill: all }
  balances: { groups: [deposits] }
  fees: { enabled: false }
  mempool: { enabled: false }
`;

async function samplesOf(groups: string) {
  await using app = await createApp(configuration(groups));
  await app.pollOnce();
  await app.pollOnce();
  return (await readPage(app)).all.filter(({ name }) => /_(address|group)_/.test(name));
}

test("sums of a group equal the sums of the series of its addresses, and no address has a series", async () => {
  const single = await samplesOf("[]");
  const summed = await samplesOf("[deposits]");

  expect(summed.length).toBeLessThan(100);
  expect(summed.every(({ name }) => name.startsWith("stacks_group_"))).toBe(true);
  let compared = 0;
  for (const { name, labels, value } of summed) {
    if (name.endsWith("_members")) {
      expect(value).toBe(simulator.chain.accounts.users.length);
      continue;
    }
    const own = [...labels].filter(([label]) => label !== "group");
    const same = single.filter(
      (one) =>
        one.name === name.replace("_group_", "_address_") && own.every(([label, of]) => one.labels.get(label) === of),
    );
    const values = same.map((one) => one.value);
    const expected = name.includes("timestamp") ? Math.max(...values) : values.reduce((sum, one) => sum + one, 0);
    expect(value).toBeCloseTo(expected, -3);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(5);
});
