// Compares counters with the expected totals of the simulator, with forks and unchanged validators.
import { expect, test } from "@jest/globals";
import { expectedCalls } from "../../simulator/chain/expected-totals.ts";
import { stillSimulator } from "../simulator/support.ts";
import { differences, totalsOf } from "../support/expected-totals.ts";
import { Exporter } from "../support/exporter.ts";

const CONFIRMATIONS = 4;

test("counters equal the expected totals, through forks and restarts", async () => {
  await using ends = new AsyncDisposableStack();
  const simulator = await stillSimulator({ seed: 5, history: 40 });
  ends.defer(() => simulator.close());
  const { chain } = simulator;
  const { users, sponsor, contracts } = chain.accounts;
  const principals = [...users.slice(0, 3), sponsor, contracts.vault];
  const called = Object.values(contracts);
  const exporter = await Exporter.start({
    api: simulator,
    now: () => chain.now * 1000,
    network: {
      confirmations: CONFIRMATIONS,
      addresses: principals.map((address) => ({ address })),
      contracts: called.map((contract_id) => ({ contract_id })),
    },
    collectors: { blocks: {}, addresses: { backfill: "all" }, contracts: {}, contract_calls: {}, transactions: {} },
  });
  ends.use(exporter);
  const pollAll = async () => {
    for (const name of ["blocks", "addresses", "contracts", "contract_calls", "transactions"])
      await exporter.poll(name);
  };

  await pollAll();
  // What had its confirmations does not count.
  const from = ((await exporter.page()).value("stacks_chain_block_height") ?? 0) - CONFIRMATIONS + 2;
  for (let round = 0; round < 40; round += 1) {
    if (round % 6 === 3) chain.reorg(1 + (Math.floor(round / 6) % (CONFIRMATIONS - 1)));
    simulator.advance(round % 2 === 0 ? 60 : 5);
    if (round % 9 === 4) await exporter.restart();
    await pollAll();
  }
  for (let round = 0; round < 8; round += 1) {
    await exporter.pass(60);
    await pollAll();
  }

  const page = await exporter.page();
  const tip = chain.ledger.tip?.height ?? 0;
  const to = tip - CONFIRMATIONS + 1;
  expect(exporter.failures).toEqual([]);
  expect(page.value("stacks_chain_block_height")).toBe(tip);
  expect(page.value("stacks_chain_reorgs_total")).toBeGreaterThan(3);
  const totals = totalsOf((await exporter.app.page.body("classic", false)).toString());
  expect(differences(totals, chain, principals, to)).toEqual([]);
  for (const items of ["address_restored_transactions", "chain_restored_transactions", "contract_restored_calls"]) {
    expect(page.sum(`stacks_${items}_total`)).toBe(0n);
  }

  const confirmed = chain.ledger.transactions.entries.filter(({ block }) => block.height >= from && block.height <= to);
  expect(page.by("stacks_chain_mined_transactions_total", "tx_type", "tx_status")).toEqual(
    countsOf(confirmed.map(({ tx }) => `${tx.payload.type} ${tx.status}`)),
  );
  expect(confirmed.length).toBeGreaterThan(100);

  const expected = called.map((contract) => ({ contract, ...expectedCalls(chain, contract, from, to) }));
  const of = (contract: string, counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([key, count]) => [`${contract} ${key}`, BigInt(count)] as const);
  expect(page.by("stacks_contract_calls_total", "contract_id", "function", "tx_status")).toEqual(
    Object.fromEntries(expected.flatMap(({ contract, calls }) => of(contract, calls))),
  );
  const errors = expected.flatMap(({ contract, errors }) => of(contract, errors));
  expect(page.by("stacks_contract_call_errors_total", "contract_id", "function", "error")).toEqual(
    Object.fromEntries(errors.map(([key, count]) => [withLabel(key), count])),
  );
  expect(errors.length).toBeGreaterThan(3);
  expect(page.by("stacks_contract_call_fees_microstx_total", "contract_id")).toEqual(
    Object.fromEntries(expected.flatMap(({ contract, fees }) => (fees > 0n ? [[contract, fees]] : []))),
  );
}, 120_000);

/** The key of a failed call with its label instead of its result. */
const withLabel = (key: string) => key.replace("(ok true)", "post_condition").replace(/\(err (\w+)\)$/, "$1");

function countsOf(keys: readonly string[]): Readonly<Record<string, bigint>> {
  const groups = [...Map.groupBy(keys, (key) => key)];
  return Object.fromEntries(groups.map(([key, all]) => [key, BigInt(all.length)]));
}
