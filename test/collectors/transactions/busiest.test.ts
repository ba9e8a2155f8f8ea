import { expect, test } from "@jest/globals";
import { busiest, callsOf } from "../../../src/collectors/transactions/busiest.ts";

const HOUR = 3600;
const of = (now: number, max = 2, spareSeries = Number.POSITIVE_INFINITY) => ({ max, spareSeries, now });
const calls = (counts: Readonly<Record<string, number>>) => new Map(Object.entries(counts));
const ids = (contracts: ReturnType<typeof busiest>) => contracts.map(({ id }) => id);

test("calls are counted by contract", () => {
  const rows = [{ called: "a" }, { called: undefined }, { called: "b" }, { called: "a" }];

  expect(callsOf(rows)).toEqual(calls({ a: 2, b: 1 }));
});

test("a contract loses its series an hour after it was last among the contracts with the most calls", () => {
  let contracts = busiest([], calls({ a: 5, b: 4, c: 3 }), of(0));
  expect(ids(contracts)).toEqual(["a", "b"]);

  contracts = busiest(contracts, calls({ c: 9, a: 2, b: 1 }), of(600));
  expect(ids(contracts)).toEqual(["c", "a", "b"]);
  contracts = busiest(contracts, calls({ c: 9, a: 2 }), of(HOUR - 1));
  expect(ids(contracts)).toContain("b");
  contracts = busiest(contracts, calls({ c: 9, a: 2 }), of(HOUR));
  expect(ids(contracts)).toEqual(["c", "a"]);
  expect(busiest(contracts, new Map(), of(3 * HOUR))).toEqual([]);
});

test("among contracts with equal numbers of calls, those with series keep them", () => {
  const before = busiest([], calls({ y: 1, z: 1 }), of(0));

  expect(ids(busiest(before, calls({ a: 1, b: 1, y: 1, z: 1 }), of(60)))).toEqual(["y", "z"]);
});

test("alternating contracts do not create an unlimited number of series", () => {
  let contracts = busiest([], calls({}), of(0));
  for (let minute = 0; minute < 50; minute += 1) {
    contracts = busiest(contracts, calls({ [`x${minute}`]: 2, [`y${minute}`]: 1 }), of(minute * 60));
  }

  expect(contracts).toHaveLength(10);
  expect(ids(contracts).slice(0, 2)).toEqual(["x49", "y49"]);
});

test("new series are limited to the remaining number, and top: 0 allows none", () => {
  const before = busiest([], calls({ a: 1 }), of(0));

  expect(ids(busiest(before, calls({ b: 3, a: 2 }), of(60, 2, 0)))).toEqual(["a"]);
  expect(ids(busiest([], calls({ b: 3, a: 2 }), of(60, 2, 1.9)))).toEqual(["b"]);
  expect(busiest([], calls({ a: 1 }), of(60, 0))).toEqual([]);
});
