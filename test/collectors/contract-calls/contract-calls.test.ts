import { describe, expect, test } from "@jest/globals";
import type { AnyCollector } from "../../../src/collectors/collector.ts";
import { contractCalls as collector } from "../../../src/collectors/contract-calls/contract-calls.ts";
import type { Observation } from "../../../src/collectors/contract-calls/state.ts";
import { type Canned, cannedApi, captured } from "../../support/canned-api.ts";
import { expectGolden, textOf } from "../../support/golden.ts";
import { chainOf } from "../../support/known-chain.ts";
import { CONTRACT, ModelWorld } from "../../support/model-world.ts";
import { observe } from "../../support/observe.ts";
import { parseExposition } from "../../support/parser.ts";

const calls = collector as unknown as AnyCollector;
const targetOf = (principal: string, confirmations = 6) => ({
  key: principal,
  watched: { principal, name: "app", group: "", labels: {} },
  confirmations,
});
const TOKEN = "ST3J3ABAWHGKC812CJ2CQ18JKZ5S5HEK49XRT4DCM.cool-token";
const seenAs = (observation: unknown) => observation as Observation;
const counted = (observation: unknown) =>
  Object.values(seenAs(observation).totals.calls).reduce((sum, count) => sum + count, 0);

interface Tx {
  readonly tx: { readonly tx_id: string; readonly block_height: number; readonly block_hash: string };
}
const { results } = captured("address-transactions.ok-default").json as { readonly results: readonly Tx[] };
const heights = results.map(({ tx }) => [tx.block_height, { hash: tx.block_hash }] as const);
const NOW = 1_795_219_200_000;

describe("samples of captured responses:", () => {
  test("calls that were listed before the first poll have series, and do not count", async () => {
    // The captured page of an account is served as the list of a contract that it calls.
    const api = cannedApi(() => ({ json: { limit: 50, total: results.length, results } }));
    const target = targetOf(TOKEN);
    const at = { target, chain: chainOf(70, heights), now: NOW };

    const observation = await observe(calls, api, undefined, at);

    expect(counted(observation)).toBe(0);
    expectGolden("address-transactions.calls-first-sight", await textOf(calls, observation, "testnet", target));
  });

  test("later calls count by function, status and error, with their fees and callers", async () => {
    // No captured call of this operation has failed.
    const failing = results.map(({ tx }, index) => {
      const failed = [{ tx_status: "abort_by_response", tx_result: { hex: "0x", repr: "(err u101)" } }, {}];
      return { ...results[index], tx: { ...tx, ...(tx.block_height === 59 ? failed[0] : failed[1]) } };
    });
    let shown: readonly Tx[] = failing.filter(({ tx }) => tx.block_height < 54);
    const api = cannedApi(() => ({ json: { limit: 50, total: shown.length, results: shown } }));
    const target = targetOf(TOKEN);
    const at = (tipHeight: number) => ({ target, chain: chainOf(tipHeight, heights), now: NOW });

    let observation = await observe(calls, api, undefined, at(54));
    shown = failing;
    observation = await observe(calls, api, observation, at(62));
    expect(counted(observation)).toBe(2);
    observation = await observe(calls, api, observation, at(65));

    expectGolden("address-transactions.calls", await textOf(calls, observation, "testnet", target));
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
    const target = targetOf("SPYBWR5611F6BK794ZM384GNCAPF46CCTAFWPCNV.logger", 1);
    const chain = chainOf(
      60,
      rows.map(({ block }) => [block.height, { hash: block.hash }]),
    );

    let observation = await observe(calls, api, undefined, { target, chain: chainOf(1), now: NOW });
    shown = wrapped;
    observation = await observe(calls, api, observation, { target, chain, now: NOW + 90_000_000 });

    expect(counted(observation)).toBeGreaterThan(3);
    expectGolden("v3-principal-transactions.calls", await textOf(calls, observation, "mainnet", target));
  });
});

/** A world, its API, and polls of its contract. */
function running(sizes: readonly number[]) {
  const world = new ModelWorld();
  world.mine(sizes);
  const api = cannedApi(world.respond);
  const at = () => ({ target: targetOf(CONTRACT, 3), chain: world.view, now: world.now });
  return { world, api, poll: (before?: unknown) => observe(calls, api, before, at()) };
}

const expectedNow = (world: ModelWorld, from: number) =>
  world.between(from, world.tip - 2).filter(({ call }) => call?.contract === CONTRACT).length;

describe("requests", () => {
  test("an idle contract costs one request a poll, which is a 304", async () => {
    const { api, poll } = running([3, 3, 3, 0, 0, 0, 0, 0]);
    let observation = await poll();
    const conditional: string[] = [];
    const { getIfChanged } = api;
    api.getIfChanged = async (operation, parameters, etag) => {
      const response = await getIfChanged(operation, parameters, etag);
      if (response === undefined) conditional.push(operation.name);
      return response;
    };
    const before = api.requests.length;

    for (let polls = 0; polls < 3; polls += 1) observation = await poll(observation);

    expect(api.requests.length - before).toBe(3);
    expect(conditional).toEqual(new Array(3).fill("address_transactions"));
  });

  test("calls that wait for confirmations are counted from an unchanged list", async () => {
    const { world, poll } = running([3, 3, 3, 0, 0, 0]);
    const first = await poll();
    world.mine([6, 0]);
    const second = await poll(first);
    expect(counted(second)).toBe(0);
    expect(calls.hints?.(second, targetOf(CONTRACT, 3))).toEqual({ isWaiting: true, isBehind: false });
    world.mine([0, 0]);
    const third = await poll(second);

    expect(counted(third)).toBe(expectedNow(world, seenAs(first).floor.height));
    expect(counted(third)).toBeGreaterThan(0);
    expect(calls.hints?.(third, targetOf(CONTRACT, 3))).toEqual({ isWaiting: false, isBehind: false });
  });
});

test("after a pause, the next polls read what one poll cannot, and count every call once", async () => {
  const { world, api } = running([1, 1, 0, 0, 0]);
  const at = () => ({ target: targetOf(CONTRACT, 3), chain: world.view, now: world.now, options: { pages: 2 } });
  const first = await observe(calls, api, undefined, at());
  world.mine([...new Array<number>(400).fill(1), 0, 0, 0]);
  let observation = await observe(calls, api, first, at());
  expect(calls.hints?.(observation, targetOf(CONTRACT, 3))).toMatchObject({ isBehind: true });
  for (let polls = 0; polls < 5; polls += 1) observation = await observe(calls, api, observation, at());

  expect(counted(observation)).toBe(expectedNow(world, seenAs(first).floor.height));
  expect(seenAs(observation).totals.gap).toBe(0);
});

test("more transactions than catch_up are a gap", async () => {
  const { world, api } = running([1, 1, 0, 0, 0]);
  const at = () => ({ target: targetOf(CONTRACT, 3), chain: world.view, now: world.now, options: { catch_up: 50 } });
  let observation = await observe(calls, api, undefined, at());
  world.mine([...new Array<number>(120).fill(1), 0, 0, 0]);
  observation = await observe(calls, api, observation, at());

  expect(seenAs(observation).totals.gap).toBe(70);
});

test("a start height above the tip, after a wrong one, is lowered and logged", async () => {
  const { world, api } = running([3, 3, 0, 0, 0]);
  const notes: string[] = [];
  const target = targetOf(CONTRACT, 3);
  const wrong = { ...world.view, tipHeight: 1000, highest: 1000 };
  const first = await observe(calls, api, undefined, { target, chain: wrong, now: world.now });
  world.mine([6, 0, 0]);
  const at = () => ({ target, chain: world.view, now: world.now, note: (message: string) => notes.push(message) });
  const second = await observe(calls, api, first, at());

  expect(notes).toEqual(["the start height 999 was above the tip 8: counting resumes at height 3"]);
  expect(counted(second)).toBe(expectedNow(world, 3));
});

test("the newest call is known at any depth, and dropped when its block is replaced", async () => {
  const { world, poll } = running([3, 3, 3, 0, 0]);
  const newest = () => world.blocks.findLast(({ txs }) => txs.some(({ call }) => call?.contract === CONTRACT));
  const first = await poll();
  world.mine([6]);
  const second = await poll(first);
  expect(seenAs(second).last).toMatchObject({ height: world.tip, time: newest()?.time });
  const { hash } = world.blocks.at(-1) ?? {};
  world.reorg(1, [false]);
  const third = await poll(second);

  expect(seenAs(third).last?.hash).not.toBe(hash);
  expect(seenAs(third).last).toMatchObject({ height: newest()?.height, hash: newest()?.hash });
});

test("callers leave an hour after their last call, without a change of the list", async () => {
  const { world, api, poll } = running([9, 9, 9, 0, 0, 0]);
  const callersOf = async (observation: unknown) => {
    const text = await textOf(calls, observation, "n", targetOf(CONTRACT));
    const family = parseExposition(text, "classic").find(({ name }) => name === "stacks_contract_recent_callers");
    return family?.samples[0]?.value;
  };
  const first = await poll();
  expect(await callersOf(first)).toBe(2);
  const later = { target: targetOf(CONTRACT, 3), chain: world.view, now: world.now + 3_700_000 };

  expect(await callersOf(await observe(calls, api, first, later))).toBe(0);
});

describe("rows of the list", () => {
  const row = (index: number, more: object) => {
    const [base] = results;
    const tx = { ...base?.tx, tx_id: `0x${"a".repeat(62)}${10 + index}`, tx_index: index, block_height: 60 };
    return { ...base, tx: { ...tx, tx_type: "contract_call", ...more } };
  };
  const countedOf = async (rows: readonly object[]) => {
    let shown: readonly object[] = [];
    const api = cannedApi(() => ({ json: { limit: 50, total: shown.length, results: shown } }));
    const target = targetOf(TOKEN, 1);
    const at = { target, chain: chainOf(60, heights), now: NOW };
    let observation = await observe(calls, api, undefined, { ...at, chain: chainOf(59, heights) });
    shown = rows;
    observation = await observe(calls, api, observation, at);
    const totals = seenAs(observation).totals;
    return { totals, drift: api.drift, observation };
  };
  const called = { contract_id: TOKEN, function_name: "transfer" };

  test("other transactions, and calls of other contracts, are read and not counted", async () => {
    const { observation } = await countedOf([
      row(3, { contract_call: called }),
      row(2, { tx_type: "token_transfer" }),
      row(1, { contract_call: { ...called, contract_id: `${TOKEN}-2` } }),
    ]);

    expect(counted(observation)).toBe(1);
    expect(seenAs(observation).feed.counted).toHaveLength(3);
  });

  test("a call without its contract counts as drift; a fee that is not a number is left out", async () => {
    const { drift, totals, observation } = await countedOf([
      row(2, { contract_call: undefined }),
      row(1, { contract_call: called, fee_rate: "much" }),
    ]);

    expect(drift).toEqual(
      expect.arrayContaining(["address_transactions contract_call missing", "address_transactions fee_rate type"]),
    );
    expect(counted(observation)).toBe(1);
    expect(totals.fees).toBe(0n);
  });

  test("names that are not valid count as other", async () => {
    const { totals } = await countedOf([
      row(2, { contract_call: { ...called, function_name: "a\tb" } }),
      row(1, { contract_call: called, tx_status: "Odd Status", tx_result: { repr: "(err u1)" } }),
    ]);

    expect(totals.calls).toMatchObject({ "other\tsuccess": 1, "transfer\tother": 1 });
    expect(totals.overflow).toBe(1);
  });
});
