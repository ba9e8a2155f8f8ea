import { expect, test } from "@jest/globals";
import { planOf } from "../../src/commands/estimate.ts";
import { stillSimulator } from "../simulator/support.ts";
import { createApp, readPage } from "../support/app.ts";
import { configOf, networkOf, type Watched } from "./fixture.ts";

async function planned(watched: Watched, settings: object = {}, ofCollectors: object = {}) {
  const network = await networkOf(watched, settings, ofCollectors);
  const [plan] = planOf({ ...(await configOf("")), networks: [network] }).networks;
  if (plan === undefined) throw new Error("unreachable");
  return { plan, row: (name: string) => plan.collectors.find(({ collector }) => collector.name === name) };
}

const HUNDRED = { budget: { per_minute: 100, per_month: "unlimited" } };
const FREE = { budget: { per_minute: 900, per_month: 150_000 } };

test("a watch list that fits keeps its interval", async () => {
  const { plan, row } = await planned({ addresses: 100, contracts: 10 }, HUNDRED);

  expect(row("addresses")).toMatchObject({ intervalMs: 300_000, requestsPerMinute: 20, targets: 100 });
  expect(row("contracts")?.intervalMs).toBe(300_000);
  expect(plan).toMatchObject({ cure: undefined, notes: [] });
});

test("a group without an address is noted", async () => {
  const network = { ...HUNDRED, summed_groups: ["hot", "cold"] };
  const { plan } = await planned({ addresses: 2, contracts: 0 }, network, { waiting: { groups: ["hot"] } });

  expect(plan.notes).toEqual(["no address is in the group hot", "no address is in the group cold"]);
});

test("lists that do not fit are slowed down alike, within the remaining budget, with room for early polls", async () => {
  const { plan, row } = await planned({ addresses: 3000, contracts: 1000 }, HUNDRED);
  const fixed = plan.collectors.filter(({ targets }) => targets === 1).reduce((sum, one) => sum + one.peakPerMinute, 0);
  const lists = [row("addresses"), row("contracts"), row("contract_calls")];

  for (const list of lists) expect(list?.intervalMs).toBeCloseTo(lists[0]?.intervalMs ?? 0);
  const requests = lists.reduce((sum, list) => sum + (list?.requestsPerMinute ?? 0), 0);
  expect(requests).toBeCloseTo((90 - fixed) * 0.8);
  expect(plan.notes).toHaveLength(3);
});

test("balances are slowed down with the other lists, and cost more than one request, of the chosen addresses", async () => {
  const chosen = { balances: { every: "10m", addresses: "all" } };
  const { row } = await planned({ addresses: 1200 }, { budget: { per_minute: 1000 } }, chosen);
  const short = await planned({ addresses: 1200 }, HUNDRED, chosen);
  const slowdown = (name: string) => (short.row(name)?.intervalMs ?? 0) / (short.row(name)?.configuredIntervalMs ?? 1);

  // Every twelfth poll requests the tokens, too.
  expect(row("balances")).toMatchObject({ targets: 1200, intervalMs: 600_000, requestsPerMinute: 130 });
  expect(slowdown("balances")).toBeGreaterThan(2);
  expect(slowdown("balances")).toBeCloseTo(slowdown("addresses"));
  expect((await planned({ addresses: 1200 }, HUNDRED)).row("balances")).toBeUndefined();
});

test.each([
  ["no key", {}, 4],
  ["a free key", FREE, 1.3],
])("with %s, the collectors of the whole chain take few requests a minute", async (_, budget, most) => {
  const { plan } = await planned({}, budget);

  expect(plan.requestsPerMinute).toBeLessThanOrEqual(most + 1e-9);
});

test("series beyond max_series are an error that a higher max_series resolves", async () => {
  const planWith = async (rest: string) =>
    planOf(
      await configOf(`${rest}networks: [{ name: m, url: "http://m", address_files: [addresses.txt] }]`, {
        addresses: 1000,
      }),
    );

  const errors = (await planWith("max_series: 10000\n")).errors;
  expect(errors).toEqual([expect.stringMatching(/^about \d+ series are more than max_series \(10000\)/)]);
  const [, suggestion = ""] = /to fit: max_series >= (\d+)$/.exec(errors[0] ?? "") ?? [];
  expect((await planWith(`max_series: ${suggestion}\n`)).errors).toEqual([]);
});

/** The number of series with a prefix, after two polls with a configuration. */
async function realSeries(text: string) {
  await using app = await createApp(text);
  for (let polls = 0; polls < 2; polls += 1) await app.pollOnce();
  const { all } = await readPage(app);
  return (prefix: string) => all.filter(({ name }) => name.startsWith(prefix)).length;
}

test("the estimated series of busy principals are near the real ones, within a factor of two", async () => {
  await using simulator = await stillSimulator({ history: 300 });
  const { users, contracts } = simulator.chain.accounts;
  const text = `networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 5000, per_month: unlimited }
    addresses: [${users.map((address) => `{ address: ${address} }`).join(", ")}]
    contracts: [${Object.values(contracts).map((contract) => `{ contract_id: ${contract} }`)}]
collectors: { addresses: { backfill: all }, mempool: { enabled: false }, fees: { enabled: false } }
`;
  const [plan] = planOf(await configOf(text)).networks;
  const planned = (names: readonly string[]) =>
    plan?.collectors.reduce((sum, { collector, series }) => sum + (names.includes(collector.name) ? series : 0), 0);
  const seriesOf = await realSeries(text);

  for (const [names, prefix] of [
    [["addresses"], "stacks_address_"],
    [["contracts", "contract_calls"], "stacks_contract_"],
  ] as const) {
    const real = seriesOf(prefix);
    expect(planned(names)).toBeGreaterThan(real / 2);
    expect(planned(names)).toBeLessThan(real * 2);
  }
});

test("the estimated series of a group are at least the real ones of busy members, and at most twice as many", async () => {
  await using simulator = await stillSimulator({ history: 300 });
  const { users, sponsor, deployer, assets } = simulator.chain.accounts;
  const text = `networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 5000, per_month: unlimited }
    confirmations: 1
    assets: [{ id: "${assets.token}", decimals: 6 }]
    summed_groups: [deposits]
    addresses: [${[...users, sponsor, deployer].map((address) => `{ address: ${address}, group: deposits }`)}]
collectors: { addresses: { backfill: all }, balances: { groups: [deposits] } }
`;
  const plan = planOf(await configOf(text));
  const planned = plan.networks[0]?.collectors
    .filter(({ collector: { name } }) => name === "addresses" || name === "balances")
    .reduce((sum, { series }) => sum + series, 0);

  const real = (await realSeries(text))("stacks_group_");
  expect(real).toBeGreaterThan(10);
  expect(planned).toBeGreaterThanOrEqual(real);
  expect(planned).toBeLessThanOrEqual(2 * real);
});

test("rules of events count with as many label values as they allow", async () => {
  const match = [{ path: "topic", exists: true }];
  const swaps = { metric: "x_total", type: "counter", help: "X.", match };
  const price = { metric: "x_price", type: "gauge", help: "X.", match, value: { path: "value" } };
  const events = [{ ...swaps, labels: { a: { path: "value", max: 9 }, b: { value: "b" } } }, price];
  const series = async (more: object) => {
    const contracts = [{ contract_id: "SP000000000000000000002Q6VF78.amm", ...more }];
    return planOf(await configOf(JSON.stringify({ networks: [{ name: "m", url: "http://m", contracts }] })))
      .chainSeries;
  };

  // Nine values and other; one of the gauge; and for each rule four reasons of errors.
  expect((await series({ events })) - (await series({}))).toBe(10 + 1 + 2 * 4);
});
