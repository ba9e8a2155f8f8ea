// How long it takes until every wallet of a long watch list is read for the first time, and what is promised.
import { expect, test } from "@jest/globals";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors, readPage } from "./support/app.ts";
import { Exporter } from "./support/exporter.ts";
import { FakeClock } from "./support/fake-clock.ts";

const COLLECTORS = ["blocks", "addresses", "balances"];

test.each([
  { budget: { per_minute: 60, per_month: "unlimited" }, stepSeconds: 1 },
  { budget: { per_minute: 900, per_month: 60_000 }, stepSeconds: 20 },
])("with $budget, 200 wallets are read in the promised time", async ({ budget, stepSeconds }) => {
  await using simulator = await stillSimulator({ history: 30 });
  const { chain } = simulator;
  const addresses = Array.from({ length: 200 }, (_, index) => ({
    address: chain.accounts.unused(500_000 + index),
    balances: true,
  }));
  for (const { address } of addresses) chain.send(address, { fee: 10_000, amount: 1n });
  simulator.advance(20);
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses, budget },
    collectors: Object.fromEntries(COLLECTORS.map((name) => [name, {}])),
    families: ["stacks_exporter_"],
  });
  const startedAt = exporter.clock.now() / 1000;
  await exporter.app.start();
  const firstPage = await exporter.page();
  const promised = (firstPage.value("stacks_exporter_first_polls_end_timestamp_seconds") ?? 0) - startedAt;
  const took = () => exporter.clock.now() / 1000 - startedAt;
  let unread = 400n;
  while (unread > 0n && took() < 2 * promised) {
    await exporter.clock.run(stepSeconds, () => simulator.requests.length, stepSeconds);
    unread = (await exporter.page()).sum("stacks_exporter_collector_targets", { state: "waiting" });
  }

  expect(unread).toBe(0n);
  expect(took()).toBeLessThanOrEqual(promised);
  // Nor is it a promise that says nothing.
  expect(took()).toBeGreaterThan(promised / 4);
});

test("with a small budget the first polls take as long as planned, and those with limits are first", async () => {
  await using simulator = await stillSimulator({ history: 60 });
  const plain = Array.from({ length: 60 }, (_, index) => ({ address: simulator.chain.accounts.occasional(index) }));
  const limited = { address: simulator.chain.accounts.occasional(60), max_outflow: { stx: "1 STX" } };
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses: [...plain, limited], budget: { per_minute: 10, per_month: "unlimited" } },
    collectors: { blocks: { every: "1m" }, addresses: { every: "1h" } },
  });
  await exporter.app.start();
  const promised = (await exporter.page()).value("stacks_exporter_first_polls_end_timestamp_seconds") ?? 0;
  const seconds = promised - exporter.clock.now() / 1000;
  expect(seconds).toBeGreaterThan(300);
  await exporter.clock.run(seconds, () => simulator.requests.length);

  const polled = exporter.log.filter(({ msg, target }) => msg === "polled" && target !== undefined);
  expect(polled[0]).toMatchObject({ target: limited.address });
  expect(new Set(polled.map(({ target }) => target)).size).toBe(61);
});

const NETWORK_COLLECTORS = ["fees", "mempool", "mempool_transactions", "transactions"];

test.each([
  // `check` accepts this budget: the whole chain needs 10 requests in its busiest minute.
  { per_minute: 13, wallets: 1, seconds: 900, read: 1 },
  { per_minute: 25, wallets: 200, seconds: 3600, read: 40, waiting: true },
])("balances are read beside other collectors, with $per_minute requests a minute", async (one) => {
  const { per_minute, wallets, seconds, read, waiting = false } = one;
  await using simulator = await stillSimulator({ history: 30 });
  const { chain } = simulator;
  const addresses = Array.from({ length: wallets }, (_, index) => ({
    ...{ address: chain.accounts.unused(500_000 + index), balances: true, waiting },
  }));
  for (const { address } of addresses) chain.send(address, { fee: 10_000, amount: 1n });
  simulator.advance(20);
  const names = [...COLLECTORS, ...NETWORK_COLLECTORS, ...(waiting ? ["waiting"] : [])];
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses, budget: { per_minute, per_month: "unlimited" } },
    collectors: Object.fromEntries(names.map((name) => [name, {}])),
  });
  await exporter.app.start();
  await exporter.clock.run(seconds, () => simulator.requests.length, 5);

  const ofBalances = exporter.log.filter(({ collector }) => collector === "balances");
  expect(exporter.failures.filter((failure) => failure.startsWith("balances"))).toEqual([]);
  expect(
    new Set(ofBalances.flatMap(({ msg, target }) => (msg === "polled" ? [target] : []))).size,
  ).toBeGreaterThanOrEqual(read);
});

test.each([
  ["a label changes", (lines: readonly string[]) => lines.map((line) => line.replace(/,a$/, ",b")), 0],
  ["an address is added", (lines: readonly string[], added: string) => [...lines, `${added},new,a`], 180],
])(
  "after the first polls of 200 wallets, %s: they take no longer than those of what is new",
  async (_, change, most) => {
    await using simulator = await stillSimulator({ history: 30 });
    const [added, ...principals] = Array.from({ length: 201 }, (_, n) => simulator.chain.accounts.unused(500_000 + n));
    const lines = principals.map((address, index) => `${address},wallet ${index},a`);
    const clock = new FakeClock();
    let list = lines;
    const config = `networks:
  - { name: m, url: ${simulator.url}, budget: { per_minute: 25, per_month: unlimited }, address_files: [list.csv] }
collectors: ${onlyCollectors({ addresses: {}, balances: { addresses: "all" }, blocks: {} })}
`;
    const readFile = () => `address,name,team\n${list.join("\n")}\n`;
    await using app = await createApp(config, () => undefined, { readFile, clock });
    const end = async () => (await readPage(app)).value("stacks_exporter_first_polls_end_timestamp_seconds") ?? 0;
    await clock.advance(((await end()) - clock.now() / 1000 + 3600) * 1000);
    list = change(lines, added as string);
    await app.reloads.files?.run();
    expect((await end()) - clock.now() / 1000).toBeLessThanOrEqual(most);
  },
);

const MINUTES = 30;
const OF_TARGETS = { addresses: {}, contracts: {}, contract_calls: {}, waiting: { addresses: "all" } };

// `check` accepts this budget, which leaves one request a minute to the lists.
test("with ten requests a minute, busy lists are read and counted", async () => {
  await using simulator = await stillSimulator({ history: 120 });
  const addresses = simulator.chain.accounts.users.slice(0, 3).map((address) => ({ address }));
  const contracts = Object.values(simulator.chain.accounts.contracts).map((contract_id) => ({ contract_id }));
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses, contracts, budget: { per_minute: 10, per_month: "unlimited" } },
    collectors: { blocks: {}, ...Object.fromEntries(NETWORK_COLLECTORS.map((name) => [name, {}])), ...OF_TARGETS },
  });
  await exporter.app.start();
  const run = async (minutes: number) => {
    for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
      await exporter.clock.run(5, () => simulator.requests.length, 5);
      simulator.advance(5);
    }
  };
  await run(MINUTES / 2);
  const before = await exporter.page();
  await run(MINUTES / 2);
  const after = await exporter.page();

  for (const family of ["chain_mined_transactions", "address_transactions", "contract_calls"])
    expect(after.sum(`stacks_${family}_total`)).toBeGreaterThan(before.sum(`stacks_${family}_total`));
  for (const family of ["chain_mined_fee_microstx", "fee_estimate_microstx", "address_mempool_transactions"])
    expect(after.samples(`stacks_${family}`).length).toBeGreaterThan(0);
  // Those of the chain have the next chance a minute later; those of a target lose their turn, which few do.
  const { failures } = exporter;
  expect(new Set(failures.map((failure) => failure.split(" ")[1]))).toEqual(new Set(["budget"]));
  expect(failures.filter((failure) => !/^(blocks|transactions) /.test(failure)).length).toBeLessThan(MINUTES / 10);
  expect(failures.length).toBeLessThan(MINUTES / 4);
});
