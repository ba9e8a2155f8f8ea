// A budget that `check` accepts, and that leaves one request a minute to the lists.
import { expect, test } from "@jest/globals";
import { stillSimulator } from "./simulator/support.ts";
import { Exporter } from "./support/exporter.ts";

const MINUTES = 30;
const OF_CHAIN = { fees: {}, mempool: {}, mempool_transactions: {}, transactions: {}, blocks: {} };
const OF_TARGETS = { addresses: {}, contracts: {}, contract_calls: {}, waiting: { addresses: "all" } };

test("with ten requests a minute, busy lists are read and counted", async () => {
  await using simulator = await stillSimulator({ history: 120 });
  const addresses = simulator.chain.accounts.users.slice(0, 3).map((address) => ({ address }));
  const contracts = Object.values(simulator.chain.accounts.contracts).map((contract_id) => ({ contract_id }));
  await using exporter = await Exporter.start({
    api: simulator,
    network: { addresses, contracts, budget: { per_minute: 10, per_month: "unlimited" } },
    collectors: { ...OF_CHAIN, ...OF_TARGETS },
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
  // Those of the chain have the next chance a minute later; those of a target lose their turn.
  const { failures } = exporter;
  expect(failures.filter((failure) => !/^(blocks|transactions) budget/.test(failure))).toEqual([]);
  expect(failures.length).toBeLessThan(MINUTES / 4);
});
