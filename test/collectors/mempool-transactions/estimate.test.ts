import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { estimateFees, type Waiting } from "../../../src/collectors/mempool-transactions/estimate.ts";
import { currentFees, type MinedRow } from "../../../src/collectors/transactions/window.ts";

const NOW = 1_000_000;

type One = Waiting | MinedRow;
const isMined = (one: One): one is MinedRow => "at" in one;
const estimated = (all: readonly One[]) =>
  estimateFees(
    all.filter((one): one is Waiting => !isMined(one)),
    all.filter(isMined),
    { waiting: NOW, mined: NOW },
  );

let senders = 0;
const waiting = (fee: number, receivedAt: number, type = "contract_call"): Waiting => {
  return { type, fee, sender: senders++, receivedAt };
};
const mined = (
  fee: number | undefined,
  at: number,
  type = "contract_call",
  sender: string | number = senders++,
): MinedRow => ({ type, fee, sender, at });
const many = (count: number, make: (index: number) => One): One[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Mined every second of the last ten minutes, at fees from 1010 to 7000; newest first. */
const paid = (type = "contract_call") => many(600, (index) => mined(1010 + 10 * (index % 600), NOW - index, type));
/** Twelve wait for each fee from 1000 to 2990. */
const crowd = () => many(2400, (index) => waiting(1000 + 10 * (index % 200), NOW - 120));
const feesOf = (all: readonly One[]) => estimated(all).contract_call?.fees;

test("while nothing waits, the fee is the lowest mined one, except two, and for ten minutes a twentieth more", () => {
  expect(feesOf(paid())).toEqual({ "10m": 1082, "1h": 1030 });
});

test("while calls wait, of those that pay the fee or more were mined: 80 % for ten minutes, half for an hour", () => {
  // From 2920, 409 were mined and 96 wait; a twentieth is added. From 2640, 437 and 432; others wait with this fee.
  expect(feesOf([...crowd(), ...paid()])).toEqual({ "10m": 3066, "1h": 2641 });
});

test("transactions that have waited for a minute count, those of the last hour more than those of the last day", () => {
  const calm = feesOf(paid());
  const late = (age: number) => feesOf([...many(2000, () => waiting(3000, NOW - age)), ...paid()]);

  expect(late(59)).toEqual(calm);
  expect(late(60)).toEqual({ "10m": 3161, "1h": 3010 });
  expect(late(3599)).toEqual({ "10m": 3161, "1h": 3010 });
  expect(late(3600)).toEqual({ "10m": 3010, "1h": 3010 });
  expect(late(86_399)).toEqual({ "10m": 3010, "1h": 3010 });
  expect(late(86_400)).toEqual(calm);
});

test("no fee is above the 95th percentile of those that were mined, but 1 microSTX if that one waits", () => {
  const equal = many(600, (index) => mined(3000, NOW - index));

  expect(feesOf([...many(9000, () => waiting(3000, NOW - 200)), ...equal])).toEqual({ "10m": 3001, "1h": 3001 });
});

test("for ten minutes, no fee is below the lowest that is mined now", () => {
  const rush = (seconds: number) => many(seconds, (index) => mined(5000, NOW - index));

  expect(feesOf([...rush(116), ...paid().slice(116)])?.["10m"]).toBeLessThan(3000);
  expect(feesOf([...rush(117), ...paid().slice(117)])).toEqual({ "10m": 5000, "1h": 2200 });
});

test("a rush that has ended does not raise the fee", () => {
  const before = many(800, (index) => mined(100_000, NOW - 610 - (index % 290)));

  expect(feesOf([...paid(), ...before])).toEqual({ "10m": 1082, "1h": 1030 });
});

test("each type has its own queue, and all is enough for each of them", () => {
  const waits = many(5000, () => waiting(3000, NOW - 300));

  expect(estimated([...waits, ...paid(), ...paid("token_transfer")])).toMatchObject({
    token_transfer: { fees: { "10m": 1082, "1h": 1030 } },
    contract_call: { fees: { "10m": 3161 } },
    all: { fees: { "10m": 3161 } },
  });
});

test("a type with fewer than 20 mined transactions, of which two of a sender count, has no estimate", () => {
  const calls = many(20, (index) => mined(1000, NOW - index));
  const transfers = many(19, (index) => mined(1000, NOW - index, "token_transfer"));
  const few = many(40, (index) => mined(1000, NOW - index, "token_transfer", index % 4));

  expect(Object.keys(estimated([...calls, ...transfers]))).toEqual(["all", "contract_call"]);
  expect(Object.keys(estimated([...calls, ...few]))).toEqual(["all", "contract_call"]);
  expect(estimated(transfers)).toEqual({});
});

test("neither transactions without a fee nor those of miners count", () => {
  const observed = [
    ...many(100, (index) => mined(0, NOW - index)),
    ...many(100, (index) => mined(undefined, NOW - index)),
    ...many(100, (index) => mined(1, NOW - index, "coinbase")),
    ...many(100, (index) => waiting(0, NOW - index)),
  ];

  expect(estimated(observed)).toEqual({});
});

describe("what cannot move the estimate", () => {
  const market = [...crowd(), ...paid()];

  test.each([10_000_000, 7001])("150 offers of %d microSTX that are not mined", (fee) => {
    expect(feesOf([...many(150, () => waiting(fee, NOW - 120)), ...market])).toEqual(feesOf(market));
  });

  test("150 offers of one sender, which count as two", () => {
    const offers = many(150, () => ({ ...waiting(3000, NOW - 120), sender: "one" }));

    expect(feesOf([...offers, ...market])).toEqual(feesOf(market));
  });

  test("a hundred transactions of one sender at 1 microSTX", () => {
    const dust = many(100, (index) => mined(1, NOW - index, "contract_call", "one"));

    expect(feesOf([...dust, ...market])).toEqual(feesOf(market));
    expect(feesOf([...dust, ...paid()])).toEqual({ "10m": 1061, "1h": 1010 });
  });

  test("a sender of 23 of the newest 30", () => {
    const most = many(23, () => mined(90_000, NOW, "contract_call", "one"));

    expect(feesOf([...most, ...market])).toEqual({ "10m": 3066, "1h": 2641 });
  });
});

test("a shorter time never costs less, and every fee is within those that were mined", () => {
  const seconds = fc.integer({ min: NOW - 4000, max: NOW });
  const fee = fc.oneof(fc.constantFrom(0, 180, 3000, undefined), fc.integer({ min: 1, max: 10 ** 12 }));
  const type = fc.constantFrom("token_transfer", "contract_call", "smart_contract", "coinbase", "other");
  const sender = fc.integer({ min: 0, max: 60 });
  const list = (time: "at" | "receivedAt") =>
    fc.array(fc.record<unknown>({ type, fee, sender, [time]: seconds }), { maxLength: 200 });

  fc.assert(
    fc.property(list("at"), list("receivedAt"), (rows, offers) => {
      const newest = (rows as MinedRow[]).toSorted((a, b) => b.at - a.at);
      const types = estimated([...(offers as unknown as Waiting[]), ...newest]);
      for (const name of ["token_transfer", "contract_call"] as const) {
        const { percentiles } = currentFees(newest, NOW)[name];
        const { [name]: estimate } = types;
        expect(estimate === undefined).toBe(percentiles === undefined);
        if (estimate === undefined || percentiles === undefined) continue;
        expect(estimate.fees["10m"]).toBeGreaterThanOrEqual(estimate.fees["1h"]);
        expect(estimate.fees["1h"]).toBeGreaterThanOrEqual(Math.floor(Math.min(percentiles.p5, percentiles.p95)));
        expect(estimate.fees["10m"]).toBeLessThanOrEqual(Math.ceil(percentiles.p95) + 1);
      }
    }),
    { numRuns: 300 },
  );
});
