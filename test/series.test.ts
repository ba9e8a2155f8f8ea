// How many series there are: planned beforehand, and bounded in all.
import { describe, expect, test } from "@jest/globals";
import { collectors } from "../src/collectors/index.ts";
import { loadConfig } from "../src/config/load.ts";
import { planOf } from "../src/plan.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, readPage } from "./support/app.ts";

type App = Awaited<ReturnType<typeof createApp>>;

const seriesOf = async (app: App, prefix: string) => {
  const { families } = await readPage(app);
  const samples = [...families.values()].filter(({ name }) => name.startsWith(prefix)).flatMap((one) => one.samples);
  return samples.length;
};

describe("a plan is near what polls of busy principals give:", () => {
  test.each([
    [true, 1.1],
    [false, 2],
  ])(
    "zeros %p within a factor of %p",
    async (zeros, factor) => {
      const simulator = await stillSimulator({ history: 300 });
      await using ends = new AsyncDisposableStack();
      ends.defer(() => simulator.close());
      const { users, contracts } = simulator.chain.accounts;
      const text = `networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 5000, per_month: unlimited }
    addresses: [${users.map((address) => `{ address: ${address} }`).join(", ")}]
    contracts: [${Object.values(contracts).map((contract) => `{ contract_id: ${contract} }`)}]
collectors: { addresses: { backfill: all, zeros: ${zeros} }, mempool: { enabled: false }, fees: { enabled: false } }
`;
      const loaded = await loadConfig({ text, file: undefined, env: {}, readFile: () => "", collectors });
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.mistakes));
      const [plan] = planOf(loaded.config).networks;
      const planned = (name: string) => plan?.collectors.find(({ collector }) => collector === name)?.series ?? 0;
      const app = await createApp(text);
      ends.defer(() => app.stop());
      await app.pollOnce();
      await app.pollOnce();

      for (const [name, prefix] of [
        ["addresses", "stacks_address_"],
        ["contracts", "stacks_contract_"],
      ] as const) {
        const real = await seriesOf(app, prefix);
        expect(planned(name)).toBeGreaterThan(real / factor / (name === "contracts" ? 1.2 : 1));
        expect(planned(name)).toBeLessThan(real * factor * (name === "contracts" ? 1.2 : 1));
      }
    },
    60_000,
  );
});

test("near the limit new assets become other: nothing is lost, and the excess is counted", async () => {
  const simulator = await stillSimulator({ history: 300 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
  const { users } = simulator.chain.accounts;
  const run = async (limit: number) => {
    const app = await createApp(`max_series: ${limit}
networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 5000, per_month: unlimited }
    addresses: [${users.map((address) => `{ address: ${address} }`).join(", ")}]
collectors: { addresses: { backfill: all, zeros: false }, mempool: { enabled: false }, fees: { enabled: false } }
`);
    ends.defer(() => app.stop());
    for (const task of app.tasks) await app.poll(task);
    const { families, value } = await readPage(app);
    const samples = families.get("stacks_address_ft_transfers")?.samples ?? [];
    const folded = families.get("stacks_address_label_overflow")?.samples ?? [];
    return {
      assets: new Set(samples.map(({ labels }) => labels.get("asset"))),
      transfers: samples.reduce((sum, sample) => sum + Number(sample.value), 0),
      folded: folded
        .filter(({ labels }) => labels.get("asset_class") === "ft")
        .reduce((sum, { value }) => sum + value, 0),
      limit: value("stacks_exporter_series_limit"),
    };
  };
  const [free, full] = [await run(500_000), await run(1_000)];

  expect(free.assets.has("other")).toBe(false);
  expect(free.folded).toBe(0);
  expect(full.limit).toBe(1_000);
  expect(full.transfers).toBe(free.transfers);
  expect(full.folded).toBeGreaterThan(0);
  expect(full.assets.has("other")).toBe(true);
});
