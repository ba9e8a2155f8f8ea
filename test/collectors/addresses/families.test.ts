// The number of series of an address.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Simulator } from "../../../simulator/server.ts";
import { stillSimulator } from "../../simulator/support.ts";
import { createApp, readPage } from "../../support/app.ts";

// As promised in docs/configuration.md and in decision 013.
const MAX_QUIET = 15;
const MAX_BUSY = 150;

/** Names of the exposed series by address, of every transaction of these addresses. */
async function seriesByAddress(
  simulator: Simulator,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const app = await createApp(`networks:
  - name: m
    url: ${simulator.url}
    budget: { per_minute: 50000, per_month: unlimited }
    confirmations: 1
    addresses: [${addresses.map((address) => `{ address: ${address} }`).join(", ")}]
collectors:
  addresses: { backfill: all }
  balances: { enabled: false }
  fees: { enabled: false }
  mempool: { enabled: false }
`);
  try {
    await app.pollOnce();
    await app.pollOnce();
    const { families } = await readPage(app);
    const samples = [...families.values()].flatMap((family) => family.samples);
    return new Map(
      addresses.map((address) => [
        address,
        samples.filter(({ labels }) => labels.get("address") === address).map(({ name }) => name),
      ]),
    );
  } finally {
    await app.stop();
  }
}

describe("series of an address", () => {
  let simulator: Simulator;
  let quiet: readonly string[] = [];
  beforeAll(async () => {
    simulator = await stillSimulator({ history: 300 });
    const { ledger, accounts } = simulator.chain;
    const all = Array.from({ length: 4000 }, (_, index) => accounts.occasional(index));
    const once = all.filter((address) => ledger.principals.of(address).total === 1);
    // A few for each type and status of their transaction.
    const kinds = Map.groupBy(once, (address) => {
      const [place] = ledger.principals.of(address).entries;
      return `${place?.tx.payload.type} ${place?.tx.status} ${place?.tx.sender === address} ${place?.tx.events.length}`;
    });
    quiet = [...kinds.values()].flatMap((addresses) => addresses.slice(0, 3));
  });
  afterAll(() => simulator.close());

  test(`at most ${MAX_QUIET} with one transaction, of any type and status`, async () => {
    expect(quiet.length).toBeGreaterThan(10);
    const series = await seriesByAddress(simulator, quiet);

    for (const names of series.values()) {
      expect(names).toContain("stacks_address_transactions_total");
      expect(names.length).toBeLessThanOrEqual(MAX_QUIET);
    }
  }, 60_000);

  test(`at most ${MAX_BUSY} with steady activity of every kind`, async () => {
    const { accounts, ledger } = simulator.chain;
    const { users, sponsor, deployer, contracts } = accounts;
    const busy = [...users, sponsor, deployer, contracts.vault];
    expect(Math.max(...busy.map((address) => ledger.principals.of(address).total))).toBeGreaterThan(100);
    const series = await seriesByAddress(simulator, busy);

    for (const names of series.values()) expect(names.length).toBeLessThanOrEqual(MAX_BUSY);
  }, 60_000);
});
