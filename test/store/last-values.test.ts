// The last values of watched targets in the whole exporter: they continue after a restart, with their age.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { stillSimulator } from "../simulator/support.ts";
import { Exporter } from "../support/exporter.ts";

const AVAILABLE = "stacks_address_available_balance_microstx";
const LAST_SUCCESS = "stacks_exporter_collector_last_success_timestamp_seconds";
const OUTFLOW = "stacks_address_outflow_microstx";
const WATCHED = ["addresses", "balances", "waiting"];

let ends: AsyncDisposableStack;
let simulator: Awaited<ReturnType<typeof stillSimulator>>;
let exporter: Exporter;
let network: object;
beforeEach(async () => {
  ends = new AsyncDisposableStack();
  simulator = ends.use(await stillSimulator({ history: 60 }));
  const [first, second] = simulator.chain.accounts.users;
  network = {
    // Each request is saved, and with it the last values.
    budget: { per_minute: 100, per_month: "unlimited" },
    addresses: [
      { address: first, name: "hot", min_balance: { stx: "1 STX" }, max_outflow: { stx: "1 STX" }, waiting: true },
      { address: second, name: "cold", balances: true },
    ],
    contracts: [{ contract_id: simulator.chain.accounts.contracts.token, name: "token" }],
  };
  exporter = ends.use(
    await Exporter.start({
      api: simulator,
      network,
      collectors: {
        ...{ blocks: {}, contracts: { every: "10m" }, contract_calls: { every: "10m" } },
        ...Object.fromEntries(WATCHED.map((name) => [name, { every: "10m" }])),
      },
    }),
  );
});
afterEach(() => ends.disposeAsync());

const now = () => exporter.clock.now() / 1000;
const ready = () => exporter.app.missing();

/** Polls everything, and the blocks once more: last values are saved with the next request. */
async function pollAll(): Promise<void> {
  for (const name of ["blocks", ...WATCHED, "contracts", "contract_calls", "blocks"]) await exporter.poll(name);
}

/** The gauges of watched targets that the page has. */
const gauges = async () => {
  const page = await exporter.page();
  return page.names.filter((name) => /^stacks_(address|contract)_/.test(name)).toSorted();
};

test("the first page after a restart has the last values of watched targets, with their age, until they are too old", async () => {
  await pollAll();
  const before = await exporter.page();
  const names = await gauges();
  const polledAt = now();
  await exporter.pass(20 * 60);
  await exporter.restart();

  const page = await exporter.page();
  expect(await gauges()).toEqual(names);
  for (const name of ["hot", "cold"]) expect(page.value(AVAILABLE, { name })).toBe(before.value(AVAILABLE, { name }));
  expect(page.value(OUTFLOW)).toBe(before.value(OUTFLOW));
  for (const collector of [...WATCHED, "contracts", "contract_calls"])
    expect(page.value(LAST_SUCCESS, { collector })).toBeCloseTo(polledAt, 3);
  // The chain is read at once, and ready has its meaning.
  expect(page.value("stacks_chain_block_height")).toBeUndefined();
  expect(ready()).toContain("m/balances: the first poll has not ended");
  const [target] = exporter.status({ collector: "balances", name: "hot", limit: 1 }).targets.items;
  expect(target).toMatchObject({ state: "waiting", last_success_at: new Date(polledAt * 1000).toISOString() });

  simulator.faults.set({ kind: "503" });
  await exporter.poll("balances");
  await exporter.pass(9 * 60);
  expect((await exporter.page()).value(AVAILABLE, { name: "hot" })).toBeDefined();
  await exporter.pass(60);
  expect((await exporter.page()).samples(AVAILABLE)).toEqual([]);

  simulator.faults.clear();
  await pollAll();
  expect(await gauges()).toEqual(names);
  expect(ready()).toEqual([]);
});

test("after a restart, values beyond their maximum age are absent", async () => {
  await pollAll();
  await exporter.pass(30 * 60);
  await exporter.restart();
  const page = await exporter.page();
  expect(page.samples(AVAILABLE)).toEqual([]);
  expect(page.value(LAST_SUCCESS, { collector: "balances" })).toBeUndefined();
  expect(page.value("stacks_address_min_balance_microstx", { name: "hot" })).toBe(1_000_000);
  expect(exporter.status().targets.items.filter(({ expired }) => expired)).toEqual([]);
});

test("a token that the configuration adds is read by the next poll", async () => {
  await pollAll();
  const { token } = simulator.chain.accounts.assets;
  const settings = { ...network, assets: [{ id: token, decimals: 6 }] };
  await exporter.restart({ network: settings });
  const units = async () => (await exporter.page()).samples("stacks_address_ft_balance_units", { asset: token });
  expect(await units()).toEqual([]);
  await exporter.poll("balances");
  expect(await units()).toHaveLength(2);
});
