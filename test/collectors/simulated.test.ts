// Compares counters with the expected totals of the simulator, over sockets, with forks and unchanged validators.
import { expect, test } from "@jest/globals";
import { expectedCalls } from "../../simulator/chain/expected-totals.ts";
import { createClient } from "../../src/api/client.ts";
import { addresses } from "../../src/collectors/addresses/addresses.ts";
import type { AddressTotals } from "../../src/collectors/addresses/totals.ts";
import { blocks } from "../../src/collectors/blocks/blocks.ts";
import type { Chain } from "../../src/collectors/chain/chain.ts";
import type { ChainView } from "../../src/collectors/chain/chain-view.ts";
import { type AnyCollector, type Target, wholeChain } from "../../src/collectors/collector.ts";
import { contractCalls } from "../../src/collectors/contract-calls/contract-calls.ts";
import type { Observation as CallObservation } from "../../src/collectors/contract-calls/state.ts";
import { contracts } from "../../src/collectors/contracts/contracts.ts";
import { keyOf, valuesOf } from "../../src/collectors/counters.ts";
import type { Observation as ChainObservation } from "../../src/collectors/transactions/state.ts";
import { transactions } from "../../src/collectors/transactions/transactions.ts";
import { START, stillSimulator } from "../simulator/support.ts";
import { expectedTotals } from "../support/expected-totals.ts";
import { restarted } from "../support/plain-data.ts";

const CONFIRMATIONS = 4;

const sum = (sums: Readonly<Record<string, number>>) => Object.values(sums).reduce((all, value) => all + value, 0);
const amounts = (sums: Readonly<Record<string, bigint>>) => Object.values(sums).reduce((all, value) => all + value, 0n);

function counted({ totals }: { readonly totals: AddressTotals }) {
  return {
    transactions: sum(totals.transactions),
    fees: amounts(totals.fees),
    stx: amounts(totals.stxAmounts),
    ft: amounts(totals.ftAmounts),
    nft: sum(totals.nftTransfers),
    received: totals.received,
  };
}

/** Calls in the form of the expected totals. */
function callsCounted({ totals }: CallObservation) {
  const without0 = (counts: Readonly<Record<string, number>>, shown: (label: string) => string) =>
    Object.fromEntries(
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([key, count]) => [valuesOf(key).map(shown).join(" "), count]),
    );
  const result = (label: string) =>
    label === "post_condition" ? "(ok true)" : /^(u\d+|none)$/.test(label) ? `(err ${label})` : label;
  return {
    calls: without0(totals.calls, (label) => label),
    errors: without0(totals.errors, result),
    fees: totals.fees,
  };
}

test("counters equal the expected totals, through forks and restarts", async () => {
  const simulator = await stillSimulator({ seed: 5, history: 40 });
  await using ends = new AsyncDisposableStack();
  ends.defer(() => simulator.close());
  const client = createClient({
    baseUrl: simulator.url,
    userAgent: "test",
    budget: { perMinute: 100_000, perMonth: undefined },
  });
  ends.defer(() => client.close());
  const { accounts } = simulator.chain;
  const watched = (principal: string) => ({ principal, name: principal, group: "", labels: {} });
  const principals = [...accounts.users.slice(0, 3), accounts.sponsor, accounts.contracts.vault];
  const known = new Map<string, unknown>();
  let now = START * 1000;
  let chain: ChainView | undefined;

  const poll = async (collector: AnyCollector, target: Target, options: object) => {
    const signal = AbortSignal.timeout(60_000);
    const key = `${collector.name} ${target.key}`;
    const api = client.forPoll({ priority: 0, signal });
    const view = { chain, isFollowed: true };
    const before = {
      api,
      target,
      ...view,
      previous: known.get(key),
      now,
      spareSeries: 1e6,
    };
    known.set(key, await collector.observe(before, collector.options.parse(options)));
  };
  const pollAll = async () => {
    await poll(blocks as unknown as AnyCollector, wholeChain({ confirmations: 6 }), {});
    chain = (blocks as unknown as AnyCollector).chainView?.(known.get("blocks "));
    for (const principal of principals) {
      const target = { key: principal, watched: watched(principal), confirmations: CONFIRMATIONS };
      await poll(addresses as unknown as AnyCollector, target, { backfill: "all" });
    }
    const logger = { key: "l", watched: watched(accounts.contracts.logger), confirmations: CONFIRMATIONS };
    await poll(contracts as unknown as AnyCollector, logger, {});
    for (const contract of Object.values(accounts.contracts)) {
      const called = { key: contract, watched: watched(contract), confirmations: CONFIRMATIONS };
      await poll(contractCalls as unknown as AnyCollector, called, {});
    }
    await poll(transactions as unknown as AnyCollector, wholeChain({ confirmations: CONFIRMATIONS }), {});
  };
  const callsSeen = (contract: string) => known.get(`contract_calls ${contract}`) as CallObservation;
  const chainSeen = () => known.get("transactions ") as ChainObservation;

  let from = 0;
  let callFrom: number[] = [];
  for (let round = 0; round < 40; round += 1) {
    await pollAll();
    if (round === 0) from = chainSeen().floor.height;
    if (round === 0) callFrom = Object.values(accounts.contracts).map((contract) => callsSeen(contract).floor.height);
    if (round % 6 === 3) simulator.chain.reorg(1 + (Math.floor(round / 6) % (CONFIRMATIONS - 1)));
    now += 60_000;
    simulator.advance(round % 2 === 0 ? 60 : 5);
    if (round % 9 === 4) for (const [key, observation] of known) known.set(key, restarted(observation));
  }
  for (let round = 0; round < 8; round += 1) await pollAll();

  const tip = simulator.chain.ledger.tip?.height ?? 0;
  expect(chain?.tipHeight).toBe(tip);
  const followed = known.get("blocks ") as { readonly chain: Chain };
  expect(followed.chain.totals.reorgs).toBeGreaterThan(3);
  for (const principal of principals) {
    const seen = known.get(`addresses ${principal}`) as { readonly totals: AddressTotals };
    expect(expectedTotals(simulator.chain, principal, tip - CONFIRMATIONS + 1)).toMatchObject(counted(seen));
    expect({ reverted: seen.totals.reverted, restored: seen.totals.restored }).toEqual({ reverted: 0, restored: 0 });
  }
  const { entries } = simulator.chain.ledger.transactions;
  const confirmed = entries.filter(({ block }) => block.height >= from && block.height <= tip - CONFIRMATIONS + 1);
  const expected: Record<string, number> = {};
  for (const { tx } of confirmed) {
    const key = keyOf(tx.payload.type, tx.status);
    expected[key] = (expected[key] ?? 0) + 1;
  }
  const { totals } = chainSeen();
  expect(Object.fromEntries(Object.entries(totals.transactions).filter(([, count]) => count > 0))).toEqual(expected);
  expect(Object.values(totals.fees).reduce((all, fees) => all + fees.sum, 0n)).toBe(
    confirmed.reduce((all, { tx }) => all + BigInt(tx.fee), 0n),
  );
  expect(confirmed.length).toBeGreaterThan(100);
  let failed = 0;
  for (const [index, contract] of Object.values(accounts.contracts).entries()) {
    const expectedTotal = expectedCalls(simulator.chain, contract, callFrom[index] ?? 0, tip - CONFIRMATIONS + 1);
    expect(callsCounted(callsSeen(contract))).toEqual(expectedTotal);
    failed += sum(expectedTotal.errors);
  }
  expect(failed).toBeGreaterThan(3);
}, 120_000);
