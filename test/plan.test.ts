import { expect, test } from "@jest/globals";
import { collectors } from "../src/collectors/index.ts";
import { loadConfig } from "../src/config/load.ts";
import { encodeAddress } from "../src/config/principal.ts";
import { formatPlan, planNetwork, planOf as planOfConfig } from "../src/plan.ts";

async function planOf(addresses: number, contracts: number, rest: string) {
  const principal = (index: number) => encodeAddress(22, index.toString(16).padStart(40, "0"));
  const lists: Readonly<Record<string, string>> = {
    "/etc/a.txt": Array.from({ length: addresses }, (_, index) => principal(index)).join("\n"),
    "/etc/c.txt": Array.from({ length: contracts }, (_, index) => `${principal(index)}.x`).join("\n"),
  };
  const text = `networks: [{ name: m, url: "http://m", address_files: [a.txt], contract_files: [c.txt], ${rest} }]`;
  const loaded = await loadConfig({
    text,
    file: "/etc/m.yaml",
    env: {},
    readFile: (path) => lists[path] ?? "",
    collectors,
  });
  const network = loaded.ok ? loaded.config.networks[0] : undefined;
  if (network === undefined) throw new Error(JSON.stringify(loaded));
  const plan = planNetwork(network);
  return { plan, row: (name: string) => plan.collectors.find(({ collector }) => collector === name) };
}

test("what fits is not stretched", async () => {
  const { plan, row } = await planOf(100, 10, "budget: { per_minute: 100, per_month: unlimited }");

  expect(row("addresses")).toMatchObject({ roundSeconds: 300, requestsPerMinute: 20, targets: 100 });
  expect(row("contracts")?.roundSeconds).toBe(300);
  expect(plan.misfits).toEqual([]);
});

test("lists that do not fit are stretched alike, within what the others leave and with room for hints", async () => {
  const { plan, row } = await planOf(3000, 1000, "budget: { per_minute: 100, per_month: unlimited }");
  const fixed = plan.collectors.filter(({ targets }) => targets === 1).reduce((sum, one) => sum + one.peakPerMinute, 0);
  const [addresses, contracts] = [row("addresses"), row("contracts")];

  expect(addresses?.roundSeconds).toBeCloseTo(contracts?.roundSeconds ?? 0);
  const planned = (addresses?.requestsPerMinute ?? 0) + (contracts?.requestsPerMinute ?? 0);
  expect(planned).toBeCloseTo((100 - fixed) * 0.8);
  expect(plan.misfits).toHaveLength(2);
});

test("5,000 addresses and the month of a free key are about a request a day each", async () => {
  const few = "collectors: { fees: { every: 5m }, mempool: { every: 5m }, blocks: { every: 5m } }";
  const { row } = await planOf(5000, 0, `budget: { per_minute: 50, per_month: 150000 }, ${few}`);

  expect((row("addresses")?.roundSeconds ?? 0) / 86_400).toBeGreaterThan(0.8);
  expect((row("addresses")?.roundSeconds ?? 0) / 86_400).toBeLessThan(2);
});

test("the preferred upstream's budget is planned with; the others are told with their probes, and what would not fit", async () => {
  const text = `networks:
  - name: m
    failover: { probe_every: 30s }
    upstreams:
      - { name: own, url: "http://own", budget: { per_minute: 100, per_month: unlimited } }
      - { name: small, url: "http://small", budget: { per_minute: 2, per_month: unlimited } }
      - { name: big, url: "http://big", budget: { per_minute: 200, per_month: unlimited } }
`;
  const loaded = await loadConfig({ text, file: "m.yaml", env: {}, readFile: () => "", collectors });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.mistakes));
  const plan = planOfConfig(loaded.config);

  expect(plan.networks).toMatchObject([{ budgetPerMinute: 100, misfits: [] }]);
  expect(plan.standbys).toEqual([
    { network: "m", upstream: "small", requestsPerMinute: 2, misfits: [expect.stringMatching(/and the budget is 2$/)] },
    { network: "m", upstream: "big", requestsPerMinute: 2, misfits: [] },
  ]);
  expect(formatPlan(plan)).toMatch(
    /upstream small: 2 requests a minute for probes while it is not active\n {4}if it takes over: the busiest minute/,
  );
});
