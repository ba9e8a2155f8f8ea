import { describe, expect, test } from "@jest/globals";
import { c32address } from "c32check";
import { collectors } from "../../src/collectors/index.ts";
import { formatPlan, planOf } from "../../src/commands/plan.ts";
import { configLoader } from "../../src/config/load.ts";
import { stillSimulator } from "../simulator/support.ts";
import { createApp, readPage } from "../support/app.ts";

async function planned(addresses: number, contracts: number, rest: string) {
  const principal = (index: number) => c32address(22, index.toString(16).padStart(40, "0"));
  const lists: Readonly<Record<string, string>> = {
    "/etc/a.txt": Array.from({ length: addresses }, (_, index) => principal(index)).join("\n"),
    "/etc/c.txt": Array.from({ length: contracts }, (_, index) => `${principal(index)}.x`).join("\n"),
  };
  const text = `networks: [{ name: m, url: "http://m", address_files: [a.txt], contract_files: [c.txt], ${rest} }]`;
  const loaded = await configLoader({
    text,
    file: "/etc/m.yaml",
    env: {},
    readFile: (path) => lists[path] ?? "",
    collectors,
  })();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const [plan] = planOf(loaded.config).networks;
  if (plan === undefined) throw new Error("unreachable");
  return { plan, row: (name: string) => plan.collectors.find(({ collector }) => collector.name === name) };
}

test("a watch list that fits keeps its interval", async () => {
  const { plan, row } = await planned(100, 10, "budget: { per_minute: 100, per_month: unlimited }");

  expect(row("addresses")).toMatchObject({ intervalMs: 300_000, requestsPerMinute: 20, targets: 100 });
  expect(row("contracts")?.intervalMs).toBe(300_000);
  expect(plan.warnings).toEqual([]);
});

test("lists that do not fit are slowed down alike, within the remaining budget, with room for early polls", async () => {
  const { plan, row } = await planned(3000, 1000, "budget: { per_minute: 100, per_month: unlimited }");
  const fixed = plan.collectors.filter(({ targets }) => targets === 1).reduce((sum, one) => sum + one.peakPerMinute, 0);
  const [addresses, contracts] = [row("addresses"), row("contracts")];

  expect(addresses?.intervalMs).toBeCloseTo(contracts?.intervalMs ?? 0);
  const requests = (addresses?.requestsPerMinute ?? 0) + (contracts?.requestsPerMinute ?? 0);
  expect(requests).toBeCloseTo((100 - fixed) * 0.8);
  expect(plan.warnings).toHaveLength(2);
});

test("with the month of a free key, each of 5,000 addresses is polled every other day", async () => {
  const few =
    "collectors: { fees: { every: 5m }, mempool: { every: 5m }, blocks: { every: 5m }, transactions: { every: 5m } }";
  const { row } = await planned(5000, 0, `budget: { per_minute: 50, per_month: 150000 }, ${few}`);

  expect((row("addresses")?.intervalMs ?? 0) / 86_400_000).toBeGreaterThan(0.8);
  expect((row("addresses")?.intervalMs ?? 0) / 86_400_000).toBeLessThan(2.1);
});

test("the plan uses the budget of the preferred upstream, and says what would not fit into the others", async () => {
  const text = `networks:
  - name: m
    failover: { probe_every: 30s }
    upstreams:
      - { name: own, url: "http://own", budget: { per_minute: 100, per_month: unlimited } }
      - { name: small, url: "http://small", budget: { per_minute: 2, per_month: unlimited } }
      - { name: big, url: "http://big", budget: { per_minute: 200, per_month: unlimited } }
`;
  const loaded = await configLoader({ text, file: "m.yaml", env: {}, readFile: () => "", collectors })();
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  const plan = planOf(loaded.config);

  expect(plan.networks).toMatchObject([
    {
      upstream: { name: "own" },
      warnings: [],
      probesPerMinute: 2,
      others: [
        { upstream: { name: "small" }, warnings: [expect.stringMatching(/and the budget is 2$/)] },
        { upstream: { name: "big" }, warnings: [] },
      ],
    },
  ]);
  expect(formatPlan(plan)).toMatch(
    /upstream small: 2 requests a minute for probes while it is not active\n {4}if it takes over: the busiest minute/,
  );
});

type App = Awaited<ReturnType<typeof createApp>>;

const seriesOf = async (app: App, prefix: string) => {
  const { families } = await readPage(app);
  const samples = [...families.values()].filter(({ name }) => name.startsWith(prefix)).flatMap((one) => one.samples);
  return samples.length;
};

describe("the estimated series of busy principals are near the real ones:", () => {
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
      const loaded = await configLoader({ text, file: undefined, env: {}, readFile: () => "", collectors })();
      if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
      const [plan] = planOf(loaded.config).networks;
      const planned = (name: string) => plan?.collectors.find(({ collector }) => collector.name === name)?.series ?? 0;
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
