// The API retires operations during a run, and restores them. Every counter equals the expected totals of the simulator
// before, during and after the use of the replacements.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Place } from "../../simulator/chain/block.ts";
import { canonicalTransactions, countPrints } from "../../simulator/chain/expected-totals.ts";
import type { Simulator } from "../../simulator/server.ts";
import type { App } from "../../src/app.ts";
import type { Task } from "../../src/collectors/task.ts";
import { START, stillSimulator } from "../simulator/support.ts";
import { createApp, readPage } from "../support/app.ts";
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
  addresses: { zeros: false }
  blocks: { tip: probe }
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

function isParty({ tx }: Place, principal: string): boolean {
  const { payload, events, sender, sponsor } = tx;
  const isNamed =
    (payload.type === "token_transfer" && payload.recipient === principal) ||
    ((payload.type === "contract_call" || payload.type === "smart_contract") && payload.contract === principal);
  const isInEvent = events.some(
    (event) => event.kind !== "print" && (event.sender === principal || event.recipient === principal),
  );
  return sender === principal || sponsor === principal || isNamed || isInEvent;
}

/** Heights of which transactions were counted: after the first and up to the second. */
type Span = readonly [number, number];

/** What the books say of a principal within spans of heights. */
function expectedTotals(principal: string, spans: readonly Span[]) {
  const book = { transactions: {} as Record<string, number>, sent: 0, received: 0, fees: 0, stx: 0, ft: 0, nft: 0 };
  for (const place of canonicalTransactions(simulator.chain)) {
    const { tx, block } = place;
    if (!spans.some(([from, to]) => block.height > from && block.height <= to) || !isParty(place, principal)) continue;
    const direction = tx.sender === principal ? "sent" : tx.sponsor === principal ? "sponsored" : "received";
    const key = `${tx.type} ${tx.status} ${direction}`;
    book.transactions[key] = (book.transactions[key] ?? 0) + 1;
    if ((tx.sponsor ?? tx.sender) === principal) {
      book.fees += tx.fee;
      book.sent += tx.fee;
    }
    for (const event of tx.events) {
      if (event.kind === "print" || (event.sender !== principal && event.recipient !== principal)) continue;
      book[event.kind] += 1;
      if (event.kind !== "stx") continue;
      if (event.sender === principal) book.sent += Number(event.amount);
      if (event.recipient === principal) book.received += Number(event.amount);
    }
  }
  return book;
}

/** What the page says of a principal. */
async function shown(principal: string) {
  const { families } = await readPage(app);
  const samplesOf = (family: string) =>
    (families.get(family)?.samples ?? []).filter(({ labels }) => labels.get("address") === principal);
  const sum = (family: string) => samplesOf(family).reduce((total, { value }) => total + value, 0);
  const transactions = Object.fromEntries(
    samplesOf("stacks_address_transactions").map(({ labels, value }) => [
      ["tx_type", "tx_status", "direction"].map((label) => labels.get(label)).join(" "),
      value,
    ]),
  );
  return {
    hasTransfers: families.has("stacks_address_stx_transfers"),
    transactions,
    sent: sum("stacks_address_sent_microstx"),
    received: sum("stacks_address_received_microstx"),
    fees: sum("stacks_address_fees_paid_microstx"),
    stx: sum("stacks_address_stx_transfers"),
    ft: sum("stacks_address_ft_transfers"),
    nft: sum("stacks_address_nft_transfers"),
  };
}

async function expectBooks(all: readonly Span[]): Promise<void> {
  for (const principal of watched()) {
    const { hasTransfers, ...counters } = await shown(principal);
    expect(hasTransfers).toBe(true);
    expect({ principal, ...counters }).toEqual({ principal, ...expectedTotals(principal, all) });
  }
}

const value = async (series: string) => (await readPage(app)).value(series) ?? 0;
const used = async (operation: string) => {
  const { families } = await readPage(app);
  const samples = families.get("stacks_exporter_upstream_requests")?.samples ?? [];
  return samples.filter(({ labels }) => labels.get("operation") === operation).reduce((sum, one) => sum + one.value, 0);
};

test("addresses, contracts and blocks switch to the replacements and back, and counters equal the expected totals", async () => {
  const { logger } = simulator.chain.accounts.contracts;
  // Looking for the tip by probing takes more than one poll.
  const blocks = app.tasks.filter(({ collector }) => collector.name === "blocks");
  while ((await value("stacks_chain_block_height source=block")) !== tip()) await app.poll(blocks[0] as Task);
  await round(1);
  const begin = deepest();
  const firstTip = tip();
  const firstPrints = countPrints(simulator.chain, logger);
  const expectEvents = async () => {
    const events = await value(
      `stacks_contract_events_total name=${logger.slice(0, 5)}..${logger.split(".")[0]?.slice(-5)}.event-logger contract_id=${logger} event_type=smart_contract_log topic=print`,
    );
    const { families } = await readPage(app);
    const pending = families.get("stacks_contract_pending_depth_events")?.samples[0]?.value ?? 0;
    const gap = families.get("stacks_contract_events_gap")?.samples[0]?.value;
    expect(events + pending).toBe(countPrints(simulator.chain, logger) - firstPrints);
    expect(gap).toBe(0);
  };
  const expectBlocks = async () => {
    expect(await value("stacks_chain_block_height source=block")).toBe(tip());
    expect((await value("stacks_chain_blocks_total")) - (await value("stacks_chain_reorged_blocks_total"))).toBe(
      tip() - firstTip,
    );
  };

  for (const seconds of [60, 30, 120, 90]) await round(seconds);
  await expectBooks([[begin, deepest()]]);
  await expectBlocks();
  await expectEvents();

  simulator.faults.set({ kind: "retired" });
  for (const seconds of [60, 90]) await round(seconds);
  // A fork above the depth, while the replacements are used.
  simulator.chain.reorg(CONFIRMATIONS - 1);
  for (const seconds of [60, 30, 120]) await round(seconds);
  expect(await used("principal_transactions")).toBeGreaterThan(0);
  expect(await used("contract_logs")).toBeGreaterThan(0);
  expect(await used("block")).toBeGreaterThan(0);
  await expectBooks([[begin, deepest()]]);
  await expectBlocks();

  // Asked again once an hour: that is when they are found to be there again.
  simulator.faults.clear();
  await clock.advance(HOUR);
  const [lists, logs] = [await used("address_transactions"), await used("contract_events")];
  for (const seconds of [60, 30, 120, 60]) await round(seconds);
  expect(await used("address_transactions")).toBeGreaterThan(lists + watched().length);
  expect(await used("contract_events")).toBeGreaterThan(logs);
  await expectBooks([[begin, deepest()]]);
  await expectBlocks();
  const { families } = await readPage(app);
  const reverted = families.get("stacks_address_reverted_transactions")?.samples ?? [];
  expect(reverted.map(({ value }) => value)).toEqual(watched().map(() => 0));
}, 120_000);
