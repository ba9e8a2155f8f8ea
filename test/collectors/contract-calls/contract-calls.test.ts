import { describe, expect, test } from "@jest/globals";
import { contractCalls } from "../../../src/collectors/contract-calls/contract-calls.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, NOW, targetOf } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { PrincipalList } from "../../support/principal-list.ts";

const TOKEN = "ST3J3ABAWHGKC812CJ2CQ18JKZ5S5HEK49XRT4DCM.cool-token";
const CALLS = "contract_calls_total";
const appAt = (principal: string, confirmations?: number) => targetOf(principal, confirmations, { name: "app" });

interface Tx {
  readonly tx: { readonly tx_id: string; readonly block_height: number; readonly block_hash: string };
}
const { results } = captured("address-transactions.ok-default").json as { readonly results: readonly Tx[] };
const heights = results.map(({ tx }) => [tx.block_height, { hash: tx.block_hash }] as const);

describe("samples of captured responses:", () => {
  test("calls that were listed before the first poll have series, and do not count", async () => {
    // The captured page of an account is served as the list of a contract that it calls.
    const api = cannedApi(() => ({ json: { limit: 50, total: results.length, results } }));
    const run = new CollectorRun(contractCalls, api, {
      network: "testnet",
      target: appAt(TOKEN),
      chain: chainOf(70, heights),
    });

    expect((await run.poll()).sum(CALLS)).toBe(0);
    expectGolden("address-transactions.calls-first-sight", run.samples.page);
  });

  test("later calls count by function, status and error, with their fees and callers", async () => {
    // No captured call of this operation has failed.
    const failing = results.map(({ tx }, index) => {
      const failed = { tx_status: "abort_by_response", tx_result: { hex: "0x", repr: "(err u101)" } };
      return { ...results[index], tx: { ...tx, ...(tx.block_height === 59 ? failed : {}) } };
    });
    let shown: readonly Tx[] = failing.filter(({ tx }) => tx.block_height < 54);
    const api = cannedApi(() => ({ json: { limit: 50, total: shown.length, results: shown } }));
    const run = new CollectorRun(contractCalls, api, { network: "testnet", target: appAt(TOKEN) });

    await run.poll({ chain: chainOf(54, heights) });
    shown = failing;
    expect((await run.poll({ chain: chainOf(62, heights) })).sum(CALLS)).toBe(2);
    await run.poll({ chain: chainOf(65, heights) });

    expectGolden("address-transactions.calls", run.samples.page);
  });

  test("the replacement does not return the errors of failed calls", async () => {
    const { results: rows } = captured("v3-transactions.limit50").json as {
      readonly results: readonly { readonly block: { readonly height: number; readonly hash: string } }[];
    };
    // Its rows hold the same transactions as those of the chain.
    const wrapped = rows.map((transaction) => ({
      transaction,
      balance_changes: { stx: { sent: "0", received: "0" } },
      affected_balances: { ft: false, nft: false },
    }));
    let shown: typeof wrapped = [];
    const api = cannedApi(
      (_, operation): Canned =>
        operation === "principal_transactions"
          ? { json: { total: shown.length, limit: 50, cursor: { next: null }, results: shown } }
          : { status: 410 },
    );
    const target = appAt("SPYBWR5611F6BK794ZM384GNCAPF46CCTAFWPCNV.logger", 1);
    const run = new CollectorRun(contractCalls, api, { target });
    const blocks = rows.map(({ block }) => [block.height, { hash: block.hash }] as const);

    await run.poll({ chain: chainOf(1) });
    shown = wrapped;
    await run.poll({ chain: chainOf(60, blocks), now: NOW + 90_000_000 });

    expect(run.samples.sum(CALLS)).toBeGreaterThan(3);
    expectGolden("v3-principal-transactions.calls", run.samples.page);
  });
});

/** Polls of a contract whose calls a test writes. */
function called() {
  const list = new PrincipalList();
  const target = targetOf(TOKEN, 1);
  const run = new CollectorRun(contractCalls, list.api, () => ({ target, chain: list.view, now: list.now * 1000 }));
  /** Polls after a block with these transactions. */
  const mine = async (rows: readonly object[]) => {
    list.mine(rows.map((tx) => ({ tx })));
    return run.poll();
  };
  return { list, run, mine };
}
const callOf = (name: string, error?: string, more: object = {}) => ({
  tx_type: "contract_call",
  contract_call: { contract_id: TOKEN, function_name: name },
  fee_rate: "100",
  tx_status: error === undefined ? "success" : "abort_by_response",
  tx_result: { hex: "0x", repr: error === undefined ? "(ok true)" : `(err ${error})` },
  ...more,
});

/** The calls and errors that are not 0, by label values. */
const counts = (samples: Awaited<ReturnType<CollectorRun["poll"]>>) => {
  const shown = samples.of(/^contract_(calls|call_errors)_total/);
  return Object.fromEntries(
    Object.entries(shown)
      .filter(([, value]) => value > 0)
      .map(([key, value]) => [key.replace(/^contract_calls_total |^contract_|_total/g, ""), value]),
  );
};

test.each<[string, object[], object]>([
  [
    "calls count by function and status, failed ones also by error",
    [callOf("swap"), callOf("swap", "u101"), callOf("swap", "u101"), callOf("constructor")],
    { "swap success": 1, "swap abort_by_response": 2, "constructor success": 1, "call_errors swap u101": 2 },
  ],
  [
    "other transactions, and calls of other contracts, are not counted",
    [
      callOf("swap"),
      { tx_type: "token_transfer" },
      callOf("swap", undefined, { contract_call: { contract_id: `${TOKEN}-2`, function_name: "swap" } }),
    ],
    { "swap success": 1 },
  ],
  [
    "an error without a code keeps its function; names that are not valid count as other",
    [callOf("swap", '"text"'), callOf("a\tb", "u1"), callOf("swap", undefined, { tx_status: "Odd Status" })],
    {
      "swap abort_by_response": 1,
      "swap other": 1,
      "other abort_by_response": 1,
      "call_errors swap other": 2,
      "call_errors other other": 1,
    },
  ],
])("%s", async (_, calls, expected) => {
  const { run, mine } = called();
  await run.poll();
  expect(counts(await mine(calls))).toEqual(expected);
});

test("a call without its contract counts as drift; a fee that is not a number is left out", async () => {
  const { list, run, mine } = called();
  await run.poll();
  const more = [{ contract_call: undefined }, { fee_rate: "much" }, {}];
  const samples = await mine(more.map((changed) => callOf("swap", undefined, changed)));

  expect(list.api.drift).toEqual(
    expect.arrayContaining(["address_transactions contract_call missing", "address_transactions fee_rate type"]),
  );
  expect(counts(samples)).toEqual({ "swap success": 2 });
  expect(samples.get("contract_call_fees_microstx_total")).toBe(100);
});

test("beyond a limit of functions, the first ones have series, and the others count as other", async () => {
  const { run, mine } = called();
  await run.poll();
  const others = Array.from({ length: 48 }, (_, n) => callOf(`f${n}`));
  const first = await mine([callOf("a"), callOf("a"), callOf("b", "u1"), ...others, callOf("c")]);
  expect(counts(first)).toMatchObject({ "a success": 2, "b abort_by_response": 1, "other success": 1 });
  expect(counts(await mine([callOf("c"), callOf("c")]))).toMatchObject({ "a success": 2, "other success": 3 });
});
