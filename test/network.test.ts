// A network in the whole exporter, against the simulator: what is polled early, and failed saves of the budget.
import { rmSync } from "node:fs";
import { expect, jest, test } from "@jest/globals";
import { collectors } from "../src/collectors/index.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { differences } from "./support/expected-totals.ts";
import { Exporter } from "./support/exporter.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { TestStateFile } from "./support/state-file.ts";

// Polls on schedule for some virtual seconds; the principals that were polled meanwhile.
async function run(exporter: Exporter, api: { readonly requests: readonly unknown[] }, seconds: number) {
  const lines = exporter.log.length;
  await exporter.clock.run(seconds, () => api.requests.length);
  const polled = exporter.log.slice(lines).filter(({ msg, target }) => msg === "polled" && target !== undefined);
  return new Set(polled.map(({ target }) => String(target)));
}

test("the parties of transactions are polled when these have their confirmations, long before their slot", async () => {
  await using simulator = await stillSimulator({ history: 30 });
  const { chain } = simulator;
  const { users, contracts } = chain.accounts;
  await using exporter = await Exporter.start({
    api: simulator,
    network: {
      addresses: users.map((address) => ({ address })),
      contracts: Object.values(contracts).map((contract_id) => ({ contract_id })),
    },
    collectors: {
      ...{ blocks: { every: "10s" }, transactions: { every: "10s" } },
      ...{ addresses: { every: "24h" }, contracts: { every: "24h" } },
    },
  });
  // The watched parties of the transactions above a height that have their confirmations.
  const parties = (after: number) => {
    const confirmed = chain.ledger.blocks.filter(({ height }) => height > after && height <= chain.height - 5);
    const all = confirmed.flatMap(({ txs }) =>
      txs.flatMap(({ sender, sponsor, payload }) => [
        ...[sender, sponsor],
        payload.type === "token_transfer" ? payload.recipient : undefined,
        payload.type === "contract_call" ? payload.contract : undefined,
      ]),
    );
    return [...users, ...Object.values(contracts)].filter((principal) => all.includes(principal));
  };
  await exporter.app.pollOnce();
  await exporter.app.start();
  await run(exporter, simulator, 30);
  const depth = chain.height - 5;
  simulator.advance(40);
  const polled = await run(exporter, simulator, 90);
  const moved = parties(depth);
  expect(moved.length).toBeGreaterThan(0);
  expect([...polled]).toEqual(expect.arrayContaining(moved));
  expect(polled.size).toBeLessThan(users.length);
  const counted = await exporter.page();
  expect(
    differences(
      counted,
      chain,
      moved.filter((one) => users.includes(one)),
      chain.height - 5,
      depth,
    ),
  ).toEqual([]);
});

test("targets that are due early and fail are polled as often as configured", async () => {
  await using simulator = await stillSimulator({ history: 60 });
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses: simulator.chain.accounts.users.map((address) => ({ address })) },
    collectors: { blocks: {}, addresses: { every: "20s" } },
  });
  await exporter.app.start();
  await run(exporter, simulator, 25);
  simulator.advance(20);
  await run(exporter, simulator, 25);
  simulator.faults.add({ kind: "status", status: 401, path: "/extended/v2/addresses/*" });
  const before = exporter.failures.length;
  await run(exporter, simulator, 60);

  // One more than three intervals have: the first failure may come a pause after a success.
  const { length: targets } = simulator.chain.accounts.users;
  expect(exporter.failures.length - before).toBeLessThanOrEqual(4 * targets);
  expect(exporter.failures.length - before).toBeGreaterThanOrEqual(2 * targets);
});

test("40 wallets with a free key: all are read within two minutes of a start, a restart and an outage", async () => {
  await using simulator = await stillSimulator({ history: 60 });
  const addresses = Array.from({ length: 40 }, (_, index) => ({
    address: simulator.chain.accounts.occasional(index),
    min_balance: { stx: "1 STX" },
    waiting: true,
  }));
  const every = collectors.filter(({ name, isOptIn }) => !/^contract/.test(name) && isOptIn !== true);
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses, budget: { per_minute: 900, per_month: 150_000 } },
    collectors: Object.fromEntries(every.map(({ name }) => [name, {}])),
  });
  const inState = async (...states: readonly string[]) => {
    const page = await exporter.page();
    return Number(
      page
        .samples("stacks_exporter_collector_targets")
        .filter(({ labels }) => states.includes(labels.get("state") ?? ""))
        .reduce((sum, { value }) => sum + value, 0),
    );
  };
  await exporter.app.start();
  const promised = (await exporter.page()).value("stacks_exporter_first_polls_end_timestamp_seconds") ?? 0;
  expect(promised - exporter.clock.now() / 1000).toBe(120);
  await run(exporter, simulator, 120);
  expect(await inState("waiting", "degraded")).toBe(0);
  expect(await inState("active")).toBe(5 + 3 * 40);

  await exporter.restart();
  await exporter.app.start();
  await run(exporter, simulator, 120);
  expect(await inState("waiting", "degraded")).toBe(0);

  simulator.faults.set({ kind: "503" });
  await run(exporter, simulator, 660);
  expect(await inState("degraded")).toBeGreaterThan(5);
  const before = exporter.log.length;
  simulator.faults.clear();
  await run(exporter, simulator, 120);
  expect(await inState("degraded")).toBe(0);
  const lines = exporter.log.slice(before).filter(({ level }) => Number(level) >= 30);
  expect(lines.map(({ msg }) => msg)).toEqual(["the API responds again"]);
  expect(lines[0]).toMatchObject({ reason: "http_server", downSeconds: expect.any(Number) });
});

test("values of a server that is known to lag are no successes, also after a restart; they return with it", async () => {
  await using simulator = await stillSimulator({ history: 60 });
  const [address] = simulator.chain.accounts.users;
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses: [{ address, balances: true }] },
    collectors: { blocks: {}, fees: {}, mempool: {}, balances: {} },
  });
  const failures = async () => {
    const seen = exporter.failures.length;
    for (const name of ["blocks", "fees", "mempool", "balances"]) await exporter.poll(name);
    return exporter.failures.slice(seen);
  };
  expect(await failures()).toEqual([]);

  simulator.replicas.use([{ kind: "lag", blocks: 40 }]);
  const all = ["blocks", "fees", "mempool", "balances"].map((name) => `${name} behind`);
  expect(await failures()).toEqual(all);
  await exporter.restart();
  expect(await failures()).toEqual(all);

  simulator.replicas.clear();
  expect(await failures()).toEqual([]);
});

test("a used budget that cannot be saved is logged once, until it can be saved again", async () => {
  await using simulator = await stillSimulator({ history: 10 });
  await using ends = new AsyncDisposableStack();
  const file = new TestStateFile();
  ends.defer(() => rmSync(file.folder, { recursive: true }));
  const lines: string[] = [];
  const clock = new FakeClock();
  const stateFile = file.open();
  const save = jest.spyOn(stateFile, "saveBudget");
  const full = () => {
    throw new Error("the disk is full");
  };
  const text = `networks: [{ name: m, url: "${simulator.url}", budget: { per_minute: 100, per_month: unlimited } }]
collectors: ${onlyCollectors({ fees: {} })}`;
  await using app = await createApp(text, (line) => lines.push(line), { store: stateFile, clock });
  const failures = () => lines.filter((line) => line.includes("the used budget could not be saved")).length;
  const pollAndSave = async () => {
    const saves = save.mock.calls.length;
    await app.pollOnce();
    expect(save.mock.calls.length).toBeGreaterThan(saves);
  };

  save.mockImplementation(full);
  await pollAndSave();
  await pollAndSave();
  expect(failures()).toBe(1);

  save.mockImplementation(() => undefined);
  await pollAndSave();
  save.mockImplementation(full);
  await pollAndSave();
  expect(failures()).toBe(2);
});

test("when fees rise, the estimate is made again after each read of what was mined", async () => {
  await using simulator = await stillSimulator({ history: 60, slowHours: 80, renewal: 36 });
  await using exporter = await Exporter.start({
    api: simulator,
    collectors: { blocks: {}, transactions: { every: "2m" }, mempool_transactions: { every: "30m" } },
    families: ["stacks_chain_mined_fee", "stacks_fee_estimate"],
  });
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute += 1) {
      simulator.advance(60);
      await run(exporter, simulator, 60);
    }
    return exporter.log.filter(({ msg, collector }) => msg === "polled" && collector === "mempool_transactions").length;
  };
  const call = { tx_type: "contract_call" };
  await exporter.app.start();
  // The second poll knows the mined transactions.
  expect(await pass(1)).toBe(2);
  expect((await exporter.page()).value("stacks_fee_estimate_microstx", { ...call, target: "10m" })).toBeGreaterThan(0);
  expect(await pass(19)).toBe(2);
  simulator.chain.begin("spike", { seconds: 1800, strength: 1.5 });
  const polls = await pass(9);

  const page = await exporter.page();
  const usual = page.value("stacks_chain_mined_fee_baseline_microstx", { ...call, percentile: "p25" }) ?? 0;
  const paid = page.value("stacks_chain_mined_fee_lowest_microstx", call) ?? 0;
  expect(paid).toBeGreaterThan(10 * usual);
  expect(page.value("stacks_fee_estimate_microstx", { ...call, target: "10m" })).toBeGreaterThan(paid / 2);
  expect(polls).toBeGreaterThanOrEqual(5);
});

test.each([
  [true, { kind: "garbage", form: "html" }, "b"],
  [true, { kind: "410" }, "b"],
  [false, { kind: "redirect", to: "other-host" }, "b"],
  [false, { kind: "404" }, "b"],
  // One list is no reason.
  [false, { kind: "garbage", form: "html", path: "/extended/v2/blocks" }, "default"],
] as const)(
  "a server that is no API any more is left for another one; from the start: %s, %j",
  async (isFirst, fault, upstream) => {
    await using simulator = await stillSimulator({ history: 60 });
    await using other = await stillSimulator({ history: 60 });
    await using exporter = await Exporter.start({
      api: simulator,
      network: { fallbacks: [{ name: "b", url: other.url, budget: { per_minute: 1000, per_month: "unlimited" } }] },
      collectors: { blocks: {}, fees: {}, mempool: {} },
    });
    const pass = (seconds: number) =>
      exporter.clock.run(seconds, () => simulator.requests.length + other.requests.length);
    if (isFirst) simulator.faults.set(fault);
    await exporter.app.start();
    await pass(90);
    simulator.faults.set(fault);
    await pass(240);
    const page = await exporter.page();
    expect([page.value("stacks_exporter_upstream_active", { upstream }), page.value("stacks_up")]).toEqual([1, 1]);
  },
);
