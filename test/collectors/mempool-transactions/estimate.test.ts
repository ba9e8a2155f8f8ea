import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type Coverage, estimateFees, type Observed } from "../../../src/collectors/mempool-transactions/estimate.ts";
import { feesOf, rowsInWindow } from "../../../src/collectors/transactions/window.ts";

const NOW = 1_000_000;
const COVERAGE: Coverage = { listedTo: NOW, listedSince: NOW - 3600, minedTo: NOW, use: 1 };

const waiting = (fee: number, receivedAt: number, type = "contract_call"): Observed => {
  return { type, fee, receivedAt, minedAt: undefined };
};
const mined = (fee: number | undefined, minedAt: number, receivedAt?: number, type = "contract_call"): Observed => {
  return { type, fee, receivedAt, minedAt };
};
const many = (count: number, make: (index: number) => Observed): Observed[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** One mined transaction every second of the last 15 minutes, at a fee, received 20 seconds before. */
const steady = (fee: number, type = "contract_call") =>
  many(900, (index) => mined(fee, NOW - index, NOW - index - 20, type));

test("with room, the fee is the 25th percentile of mined fees", () => {
  const observed = [...many(9, (index) => mined(1000 * (index + 1), NOW - 60 * index)), mined(50, NOW - 601)];

  expect(estimateFees(observed, { ...COVERAGE, use: 0.3 })).toEqual({
    competing: 0,
    hasRoom: true,
    types: {
      all: { observations: 9, fees: { "10m": 3000, "1h": 3000 } },
      contract_call: { observations: 9, fees: { "10m": 3000, "1h": 3000 } },
    },
  });
});

test("in a rush, the fee is above what cannot be mined in time", () => {
  // 720 fit into the blocks of ten minutes, and 1,000 have just arrived.
  const rush = many(1000, (index) => waiting(10_000 + index, NOW - 30));

  const { hasRoom, types } = estimateFees([...steady(3000), ...rush], COVERAGE);

  expect(hasRoom).toBe(false);
  // 360 wait and as many arrive again within ten minutes.
  expect(types.all?.fees["10m"]).toBeGreaterThan(10_600);
  expect(types.all?.fees["10m"]).toBeLessThan(10_700);
  expect(types.all?.fees["1h"]).toBeLessThan(types.all?.fees["10m"] ?? 0);
});

test("a rush that has ended does not raise the fee", () => {
  const paid = many(800, (index) => mined(100_000, NOW - 610 - (index % 290), NOW - 900));
  const later = many(600, (index) => mined(3000, NOW - index, NOW - index - 20));

  expect(estimateFees([...paid, ...later], COVERAGE).types.all?.fees).toEqual({ "10m": 3000, "1h": 3000 });
});

test("transactions that cheaper ones overtake do not compete", () => {
  const gaps = many(2000, (index) => waiting(500_000 + index, NOW - 200));

  const estimate = estimateFees([...steady(3000), ...gaps, waiting(4000, NOW - 10)], COVERAGE);

  expect(estimate).toMatchObject({ competing: 1, types: { all: { observations: 601, fees: { "10m": 3000 } } } });
});

test("new and well paid transactions compete until they have reached the miners", () => {
  const crowd = many(2000, () => waiting(500_000, NOW - 50));

  const { competing, types } = estimateFees([...steady(3000), ...crowd], COVERAGE);

  expect(competing).toBe(2000);
  expect(types.all?.fees).toEqual({ "10m": 500_001, "1h": 500_001 });
});

test("transactions that pay less than the others wait for space, and compete", () => {
  const cheap = many(50, () => waiting(200, NOW - 3000));

  expect(estimateFees([...steady(3000), ...cheap], COVERAGE).competing).toBe(50);
});

test("a type with fewer than five mined transactions has no estimate", () => {
  const observed = [
    ...many(5, (index) => mined(1000, NOW - index)),
    ...many(4, (index) => mined(1000, NOW - index, undefined, "token_transfer")),
  ];

  expect(Object.keys(estimateFees(observed, COVERAGE).types)).toEqual(["all", "contract_call"]);
  expect(estimateFees(observed.slice(5), COVERAGE).types).toEqual({});
});

test("whether blocks have room is unknown without their use; they then count as full", () => {
  const observed = [...steady(3000), ...many(1000, () => waiting(5000, NOW - 30))];

  const unknown = estimateFees(observed, { ...COVERAGE, use: undefined });

  expect(unknown).toEqual({ ...estimateFees(observed, COVERAGE), hasRoom: undefined });
});

test("a shorter time never costs less, and no fee is below the mined ones", () => {
  const seconds = fc.integer({ min: NOW - 4000, max: NOW });
  const fee = fc.oneof(fc.constantFrom(0, 180, 3000, undefined), fc.integer({ min: 1, max: 10 ** 12 }));
  const type = fc.constantFrom("token_transfer", "contract_call", "smart_contract", "coinbase", "other");
  const time = fc.option(seconds, { nil: undefined });
  const transactions = fc.array(fc.record({ type, fee, receivedAt: time, minedAt: time }), { maxLength: 200 });
  const use = fc.option(fc.double({ min: 0, max: 3, noNaN: true }), { nil: undefined });

  fc.assert(
    fc.property(transactions, use, seconds, (observed, use, listedSince) => {
      const { types, competing } = estimateFees(observed, { ...COVERAGE, use, listedSince });
      const rows = observed.flatMap((one) => (one.minedAt === undefined ? [] : [{ ...one, at: one.minedAt }]));
      const paid = feesOf(rowsInWindow(rows, NOW));
      expect(competing).toBeLessThanOrEqual(observed.filter(({ minedAt }) => minedAt === undefined).length);
      for (const [type, { fees, observations }] of Object.entries(types)) {
        const { transactions, percentiles } = paid[type as keyof typeof types];
        expect(Object.values(fees).every((one) => Number.isSafeInteger(one) && one > 0)).toBe(true);
        expect(fees["10m"]).toBeGreaterThanOrEqual(fees["1h"]);
        expect(fees["1h"]).toBeGreaterThanOrEqual(percentiles?.p25 ?? 0);
        expect(observations).toBeGreaterThanOrEqual(transactions);
      }
    }),
    { numRuns: 300 },
  );
});
