import { describe, expect, test } from "@jest/globals";
import { comparable, NO_COSTS, readCosts, typicalCost, withCosts } from "../../../src/collectors/transactions/costs.ts";
import { chainList } from "../../../src/collectors/transactions/source.ts";
import { Fixture } from "../../api/fixture.ts";
import { stillSimulator } from "../../simulator/support.ts";
import { type Canned, cannedApi } from "../../support/canned-api.ts";

const NOW = 1_000_000;
const idOf = (name: string, number: number) => `0x${name}${number}`;
const callsOf = (name: string, count: number, from?: string) =>
  Array.from({ length: count }, (_, number) => ({
    id: idOf(name, number),
    type: "contract_call",
    sender: from ?? idOf(name, number),
    calledFunction: `SP1.c::${name}`,
    fee: 1000,
    at: NOW,
  }));

/** A cost in hundredths of a percent of a budget: all of it reads. */
const costing = (share: number) => ({
  execution_cost_read_count: share * 3,
  execution_cost_read_length: 0,
  execution_cost_runtime: 0,
  execution_cost_write_count: 0,
  execution_cost_write_length: 0,
});

/** A server on which calls of a function cost this. */
function serverOf(costs: Readonly<Record<string, number>>) {
  const server = { costs, status: 200 };
  const api = cannedApi((url): Canned => {
    if (server.status !== 200) return { status: server.status };
    const ids = new URLSearchParams(url.split("?")[1]).get("tx_id")?.split(",") ?? [];
    const found = ids.map((id) => {
      const cost = server.costs[id.slice(2).replace(/\d+$/, "")];
      return [
        id,
        cost === undefined ? { found: false, result: { tx_id: id } } : { found: true, result: costing(cost) },
      ];
    });
    return { json: Object.fromEntries(found) };
  });
  const asked = () => api.requests.map((url) => new URLSearchParams(url.split("?")[1]).get("tx_id")?.split(",") ?? []);
  return { server, api, asked };
}

test("costs of a simulated chain: fees of calls of different functions are those of a typical call", async () => {
  await using simulator = await stillSimulator({ seed: 7, history: 300 });
  await using f = await Fixture.start([], { baseUrl: simulator.url });
  const api = f.api();
  const page = await chainList(api).newest();
  const rows = page?.rows ?? [];
  const called = rows.filter(({ calledFunction }) => calledFunction !== undefined);

  const costs = await readCosts(api, NO_COSTS, rows, NOW);
  expect(called.length).toBeGreaterThan(5);
  const known = new Map(costs.byFunction);
  expect([...known.keys()].sort()).toEqual([...new Set(called.map((row) => row.calledFunction))].sort());
  const budgetOf = { readCount: 3, readLength: 20_000, runtime: 500_000, writeCount: 1.5, writeLength: 1500 };
  const [one] = called;
  const of = simulator.chain.ledger.placeOf(one?.id ?? "")?.tx.cost;
  const parts = Object.entries(budgetOf).map(([name, unit]) => (of?.[name as keyof typeof budgetOf] ?? 0) / unit);
  const first = new Map(known.get(one?.calledFunction ?? "")).get(one?.id ?? "");
  expect(first).toBeCloseTo(parts.reduce((sum, part) => sum + part));
  // Other transactions keep their fees.
  expect(rows.map(comparable(costs)).filter(({ calledFunction }) => calledFunction === undefined)).toEqual(
    rows.filter(({ calledFunction }) => calledFunction === undefined),
  );
});

test("a call that costs three times as much has to pay three times as much", async () => {
  const { api } = serverOf({ swap: 30, claim: 10, vote: 10 });
  const calls = [...callsOf("swap", 3), ...callsOf("claim", 3), ...callsOf("vote", 3), ...callsOf("new", 2)];
  const costs = await readCosts(api, NO_COSTS, calls, NOW);

  expect(typicalCost(costs)).toBe(10);
  const fees = (times?: number) => {
    const rated = calls.map(comparable(costs, times));
    return ["swap", "claim", "vote", "new"].map((name) => rated.find(({ id }) => id === idOf(name, 0))?.fee);
  };
  expect(fees()).toEqual([333, 1000, 1000, 1000]);
  // For a call that costs twice as much as a typical one.
  expect(fees(2)).toEqual([667, 2000, 2000, 1000]);
});

test("with costs of nearly nothing or of all budgets, a fee stays a whole number above 0", async () => {
  const { api } = serverOf({ nothing: 0.001, swap: 30, everything: 50_000 });
  const calls = ["nothing", "swap", "everything"].flatMap((name) => callsOf(name, 3));
  // The schema has whole numbers: a cost of 0.001 is no cost.
  const costs = withCosts(await readCosts(api, NO_COSTS, calls, NOW), callsOf("nothing", 3), () => 0.001, NOW);

  const fees = [...calls, { ...calls[8], fee: 0 }].map((call) => comparable(costs)(call).fee);
  expect(fees.filter((fee) => !Number.isSafeInteger(fee))).toEqual([]);
  expect(fees.map((fee) => fee > 0)).toEqual([true, true, true, true, true, true, true, true, true, false]);
});

test("one wrong cost of several of a function, and those that are no cost, change nothing", async () => {
  const { api, server } = serverOf({ swap: 30, claim: 10 });
  const calls = [...callsOf("swap", 3), ...callsOf("claim", 5)];
  const before = await readCosts(api, NO_COSTS, calls, NOW);
  server.costs = { swap: 0, claim: 0.5 };
  const unusable = await readCosts(api, before, calls, NOW + 3600);
  server.costs = { claim: 3_000_000 };
  const lie = await readCosts(api, before, callsOf("claim", 6).slice(5), NOW + 3600);

  expect(unusable).toEqual({ ...before, readAt: NOW + 3600 });
  expect(calls.map(comparable(lie))).toEqual(calls.map(comparable(before)));
});

test("one sender does not decide what is typical: two of its calls are read, and each call counts once", async () => {
  const { api, asked } = serverOf({ swap: 30, cheap: 1 });
  const calls = [...callsOf("cheap", 20, "spammer"), ...callsOf("swap", 3)];
  const once = await readCosts(api, NO_COSTS, calls, NOW);
  const again = await readCosts(api, once, calls, NOW + 3600);

  expect(asked().map(({ length }) => length)).toEqual([5, 5]);
  expect(typicalCost(again)).toBe(30);
  expect(again).toEqual({ ...once, readAt: NOW + 3600 });
});

describe("requests", () => {
  test("of at most 50 calls and ten of a function, those of unknown functions first; then one an hour", async () => {
    const { api, asked } = serverOf({ a: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1 });
    const busy = ["a", "b", "c", "d", "e", "f"].flatMap((name) => callsOf(name, 20));
    const first = await readCosts(api, NO_COSTS, busy, NOW);
    const second = await readCosts(api, first, busy, NOW + 300);
    const early = await readCosts(api, second, [...busy, ...callsOf("g", 2)], NOW + 3899);
    const third = await readCosts(api, second, [...busy, ...callsOf("g", 2)], NOW + 3900);

    expect(early).toBe(second);
    expect(asked().map(({ length }) => length)).toEqual([50, 50, 50]);
    expect(asked()[1]?.slice(0, 3)).toEqual([idOf("f", 0), idOf("f", 1), idOf("f", 2)]);
    expect(third.byFunction.map(([name]) => name).sort()).toEqual(
      ["a", "b", "c", "d", "e", "f", "g"].map((name) => `SP1.c::${name}`),
    );
  });

  test("after five minutes for three calls of an unknown function, once if the server does not know them", async () => {
    const { api, asked } = serverOf({ a: 1 });
    const calls = [...callsOf("a", 5), ...callsOf("mint", 3)];
    const known = await readCosts(api, NO_COSTS, callsOf("a", 5), NOW);
    const early = await readCosts(api, known, calls, NOW + 299);
    const unknown = await readCosts(api, early, calls, NOW + 300);
    await readCosts(api, unknown, calls, NOW + 900);

    expect(asked()).toHaveLength(2);
    expect(calls.map(comparable(unknown)).at(-1)?.fee).toBe(1000);
  });

  test("a failed one is repeated after five minutes, and what is known stays", async () => {
    const { api, server, asked } = serverOf({ a: 1 });
    server.status = 500;
    const failed = await readCosts(api, NO_COSTS, callsOf("a", 3), NOW);
    await readCosts(api, failed, callsOf("a", 3), NOW + 299);
    server.status = 200;
    const found = await readCosts(api, failed, callsOf("a", 3), NOW + 300);

    expect(asked()).toHaveLength(2);
    expect(new Map(found.byFunction).get("SP1.c::a")?.length).toBe(3);
  });
});
