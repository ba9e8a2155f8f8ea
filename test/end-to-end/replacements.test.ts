// The API retires operations during a run, and restores them. Every counter equals the expected totals of the simulator
// before, during and after the use of the replacements.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { countPrints } from "../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../simulator/server.ts";
import type { App } from "../../src/app.ts";
import { START, stillSimulator } from "../simulator/support.ts";
import { createApp, readPage } from "../support/app.ts";
import { differences, totalsOf } from "../support/expected-totals.ts";
import { FakeClock } from "../support/fake-clock.ts";

const CONFIRMATIONS = 4;
const HOUR = 3_600_000;

let simulator: Simulator;
let clock: FakeClock;
let app: App;

beforeEach(async () => {
  simulator = await stillSimulator({ seed: 7, history: 40 });
  clock = new FakeClock(START * 1000);
  const { contracts } = simulator.chain.accounts;
  const text = `networks:
  - name: m
    url: ${simulator.url}
    confirmations: ${CONFIRMATIONS}
    budget: { per_minute: 100000, per_month: unlimited }
    addresses: [${watched().map((address) => `{ address: ${address} }`)}]
    contracts: [{ contract_id: ${contracts.logger} }]
collectors:
  addresses: {}
  blocks: {}
  fees: { enabled: false }
  mempool: { enabled: false }
`;
  app = await createApp(text, undefined, { clock });
});
afterEach(async () => {
  await app.stop();
  await simulator.close();
});

const watched = () => {
  const { users, sponsor, contracts } = simulator.chain.accounts;
  return [...users.slice(0, 4), sponsor, contracts.vault, contracts.token];
};
const tip = () => simulator.chain.ledger.tip?.height ?? 0;
const deepest = () => tip() - CONFIRMATIONS + 1;

async function round(seconds: number): Promise<void> {
  simulator.advance(seconds);
  await clock.advance(60_000);
  expect(await app.pollOnce()).toEqual([]);
}

async function expectTotals(from: number): Promise<void> {
  const page = (await app.page.body("classic", false)).toString();
  expect(differences(totalsOf(page), simulator.chain, watched(), deepest(), from)).toEqual([]);
}

const value = async (series: string) => (await readPage(app)).value(series) ?? 0;
const used = async (operation: string) => {
  const { families } = await readPage(app);
  const samples = families.get("stacks_exporter_upstream_requests")?.samples ?? [];
  return samples.filter(({ labels }) => labels.get("operation") === operation).reduce((sum, one) => sum + one.value, 0);
};

test("addresses, contracts and blocks switch to the replacements and back without changing a count", async () => {
  const { logger } = simulator.chain.accounts.contracts;
  await round(1);
  const begin = deepest();
  const firstTip = tip();
  const firstPrints = countPrints(simulator.chain, logger, begin);
  const expectEvents = async () => {
    const events = await value(
      `stacks_contract_events_total name=${logger.slice(0, 5)}..${logger.split(".")[0]?.slice(-5)}.event-logger contract_id=${logger} event_type=smart_contract_log topic=print`,
    );
    const { families } = await readPage(app);
    const gap = families.get("stacks_contract_events_gap")?.samples[0]?.value;
    expect(events).toBe(countPrints(simulator.chain, logger, deepest()) - firstPrints);
    expect(gap).toBe(0);
  };
  const expectBlocks = async () => {
    expect(await value("stacks_chain_block_height source=block")).toBe(tip());
    expect((await value("stacks_chain_blocks_total")) - (await value("stacks_chain_reorged_blocks_total"))).toBe(
      tip() - firstTip,
    );
  };

  for (const seconds of [60, 30, 120, 90]) await round(seconds);
  await expectTotals(begin);
  await expectBlocks();
  await expectEvents();

  simulator.faults.set({ kind: "retired" });
  for (const seconds of [60, 90]) await round(seconds);
  // A fork above the depth, while the replacements are used.
  simulator.chain.reorg(CONFIRMATIONS - 1);
  for (const seconds of [60, 30, 120]) await round(seconds);
  expect(await used("principal_transactions")).toBeGreaterThan(0);
  expect(await used("contract_logs")).toBeGreaterThan(0);
  await expectEvents();
  expect(await used("block")).toBeGreaterThan(0);
  await expectTotals(begin);
  await expectBlocks();

  // A retired operation is requested once an hour.
  simulator.faults.clear();
  await clock.advance(HOUR);
  const lists = await used("address_transactions");
  for (const seconds of [60, 30, 120, 60]) await round(seconds);
  expect(await used("address_transactions")).toBeGreaterThan(lists + watched().length);
  await expectTotals(begin);
  await expectBlocks();
  const { families } = await readPage(app);
  // It appears with its first value.
  expect(families.has("stacks_address_reverted_transactions")).toBe(false);
}, 120_000);
