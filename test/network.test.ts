// A network in the whole exporter, against the simulator: what is polled early, and failed saves of the budget.
import { rmSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Simulator } from "../simulator/server.ts";
import { stillSimulator } from "./simulator/support.ts";
import { createApp, onlyCollectors } from "./support/app.ts";
import { differences, totalsOf } from "./support/expected-totals.ts";
import { Exporter } from "./support/exporter.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { TestStateFile } from "./support/state-file.ts";

const hints = async (exporter: Exporter, collector: string, cause: string) =>
  (await exporter.page()).value("stacks_exporter_hints_total", { collector, cause });

describe("the parties of transactions", () => {
  let simulator: Simulator;
  let exporter: Exporter;
  beforeEach(async () => {
    simulator = await stillSimulator({ history: 30 });
    const { users, contracts } = simulator.chain.accounts;
    exporter = await Exporter.start({
      api: simulator,
      network: {
        addresses: users.map((address) => ({ address })),
        contracts: Object.values(contracts).map((contract_id) => ({ contract_id })),
      },
      collectors: { blocks: {}, transactions: {}, addresses: {}, contracts: {} },
    });
    await exporter.app.pollOnce();
  });
  afterEach(async () => {
    await exporter[Symbol.asyncDispose]();
    await simulator.close();
  });

  const poll = async (...names: readonly string[]) => {
    for (const name of names) await exporter.poll(name);
  };
  const moved = async () => [await hints(exporter, "addresses", "moved"), await hints(exporter, "contracts", "moved")];
  // The watched parties of the transactions above a height that have their confirmations.
  const parties = (after: number) => {
    const { ledger, height, accounts } = simulator.chain;
    const confirmed = ledger.blocks.filter((block) => block.height > after && block.height <= height - 5);
    const all = new Set(
      confirmed.flatMap(({ txs }) =>
        txs.flatMap(({ sender, sponsor, payload }) => [
          ...[sender, sponsor],
          payload.type === "token_transfer" ? payload.recipient : undefined,
          payload.type === "contract_call" ? payload.contract : undefined,
        ]),
      ),
    );
    const count = (principals: readonly string[]) => principals.filter((principal) => all.has(principal)).length;
    return [count(accounts.users), count(Object.values(accounts.contracts))];
  };

  test("get a hint when they are listed after their confirmation", async () => {
    const depth = simulator.chain.height - 5;
    expect(await moved()).toEqual([0, 0]);

    simulator.advance(600);
    await exporter.pass(600);
    await poll("blocks", "transactions");

    expect(await moved()).toEqual(parties(depth));
    expect(Math.min(...parties(depth))).toBeGreaterThan(0);
  });

  test("get a hint as soon as the chain confirms them, and can be counted then", async () => {
    const { chain } = simulator;
    const depth = chain.height - 5;
    simulator.advance(40);
    await poll("transactions");
    expect(await moved()).toEqual([0, 0]);

    for (const listed = chain.height; chain.height < listed + 5; ) simulator.advance(1);
    await poll("blocks");
    expect(await moved()).toEqual(parties(depth));
    expect(parties(depth)[0]).toBeGreaterThan(0);

    await poll("addresses");
    const counted = totalsOf((await exporter.app.page.body("classic", false)).toString());
    expect(differences(counted, chain, chain.accounts.users, chain.height - 5, depth)).toEqual([]);
  });

  test("get a hint again after a restart, because they may not have been polled before it", async () => {
    simulator.advance(600);
    await exporter.pass(600);
    await poll("blocks", "transactions");
    await exporter.restart();
    expect(await moved()).toEqual([0, 0]);

    await poll("blocks");

    expect(Math.min(...(await moved()).map(Number))).toBeGreaterThan(0);
  });
});

test("an address with more transactions than one poll reads is behind", async () => {
  const simulator = await stillSimulator({ history: 300 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses: [{ address: simulator.chain.accounts.contracts.token }] },
    collectors: { blocks: {}, addresses: { backfill: "all", pages: 2 } },
  });
  await exporter.app.pollOnce();

  expect(await hints(exporter, "addresses", "behind")).toBe(1);
});

test("values of a server that is known to lag are no successes, also after a restart; they return with it", async () => {
  const simulator = await stillSimulator({ history: 60 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
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

  simulator.replicas.use({ kind: "lag", blocks: 40 });
  const all = ["blocks", "fees", "mempool", "balances"].map((name) => `${name} behind`);
  expect(await failures()).toEqual(all);
  await exporter.restart();
  expect(await failures()).toEqual(all);

  simulator.replicas.use({ kind: "newest" });
  expect(await failures()).toEqual([]);
});

test("a used budget that cannot be saved is logged once, until it can be saved again", async () => {
  await using ends = new AsyncDisposableStack();
  const simulator = await stillSimulator({ history: 10 });
  ends.defer(() => simulator.close());
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
  const app = await createApp(text, (line) => lines.push(line), { store: stateFile, clock });
  ends.defer(() => app.stop());
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
