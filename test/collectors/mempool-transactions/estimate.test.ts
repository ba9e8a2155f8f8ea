import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  type Coverage,
  estimateFees,
  type Mined,
  type Waiting,
} from "../../../src/collectors/mempool-transactions/estimate.ts";
import { currentFees } from "../../../src/collectors/transactions/window.ts";

const NOW = 1_000_000;
const COVERAGE: Coverage = { listedTo: NOW, listedSince: NOW - 3600, minedTo: NOW };

type One = Waiting | Mined;
const isMined = (one: One): one is Mined => "at" in one;
const estimated = (all: readonly One[], coverage = COVERAGE) =>
  estimateFees(
    all.filter((one): one is Waiting => !isMined(one)),
    all.filter(isMined),
    coverage,
  );

let senders = 0;
const waiting = (fee: number, receivedAt: number, type = "contract_call"): Waiting => {
  return { type, fee, sender: senders++, receivedAt };
};
const mined = (
  fee: number | undefined,
  at: number,
  receivedAt?: number,
  type = "contract_call",
  sender: string | number = senders++,
): Mined => ({ type, fee, sender, receivedAt, at });
const many = (count: number, make: (index: number) => One): One[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** One mined transaction every second of the last 15 minutes, at a fee, received 20 seconds before; newest first. */
const steady = (fee: number, type = "contract_call") =>
  many(900, (index) => mined(fee, NOW - index, NOW - index - 20, type));
const feesOf = (all: readonly One[]) => estimated(all).contract_call?.fees;

test("while nothing waits, the fee is the 25th percentile of mined fees", () => {
  const observed = [...many(21, (index) => mined(1000 * (index + 1), NOW - 20 * index)), mined(50, NOW - 90_000)];

  expect(feesOf(observed.slice(0, 21))).toEqual({ "10m": 6000, "1h": 6000 });
});

test("in a rush, the fee is above what cannot be mined in time, but within what was mined", () => {
  const paid = [3000, 9000, 12_000];
  const calm = many(900, (index) => mined(paid[index % 3], NOW - index, NOW - index - 20));
  // 1,080 fit into the blocks of ten minutes. 1,000 have just arrived, and as many will again.
  const rush = many(1000, (index) => waiting(10_000 + index, NOW - 30));

  // 540 of them and as many of those that arrive, 15 % above.
  expect(feesOf([...rush, ...calm])).toMatchObject({ "10m": 12_000 });
  const lower = many(1000, (index) => waiting(5000 + index, NOW - 30));
  expect(feesOf([...lower, ...calm])?.["10m"]).toBe(9000);
});

test("while cheap calls wait, an hour needs the 25th percentile of what was mined, ten minutes the median", () => {
  const calm = many(900, (index) => mined([3000, 9000][index % 2], NOW - index, NOW - index - 20));
  const cheap = many(9000, () => waiting(100, NOW - 30));

  expect(feesOf([...cheap, ...calm])).toEqual({ "10m": 6000, "1h": 3000 });
});

test("a rush that has ended does not raise the fee", () => {
  const paid = many(800, (index) => mined(100_000, NOW - 610 - (index % 290), NOW - 900));
  const later = many(600, (index) => mined(3000, NOW - index, NOW - index - 20));

  expect(feesOf([...later, ...paid])).toEqual({ "10m": 3000, "1h": 3000 });
});

test("what came more than an hour ago is still ahead", () => {
  const flood = many(6000, () => waiting(3500, NOW - 7000));
  const paid = many(900, (index) => mined(index % 10 === 0 ? 5000 : 4000, NOW - index, NOW - index - 20));

  expect(feesOf([...flood, ...paid])).toEqual({ "10m": Math.ceil(3501 * 1.15), "1h": Math.ceil(3501 * 1.15) });
});

test("transactions that cheaper ones overtake do not compete", () => {
  const gaps = many(2000, (index) => waiting(500_000 + index, NOW - 200));

  expect(feesOf([...gaps, ...steady(3000)])).toEqual({ "10m": 3000, "1h": 3000 });
});

test("each type has its own queue, and all is enough for each of them", () => {
  const calm = [...steady(3000, "token_transfer"), ...steady(9000)];
  const spread = many(100, (index) => mined(30_000, NOW - index, NOW - index - 20));
  const crowd = many(5000, () => waiting(20_000, NOW - 30));

  expect(estimated([...crowd, ...spread, ...calm])).toMatchObject({
    token_transfer: { fees: { "10m": 3000, "1h": 3000 } },
    contract_call: { fees: { "10m": Math.ceil(20_001 * 1.15) } },
    all: { fees: { "10m": Math.ceil(20_001 * 1.15) } },
  });
});

test("a type with fewer than 20 mined transactions, or 5 senders, has no estimate", () => {
  const calls = many(20, (index) => mined(1000, NOW - index));
  const transfers = many(19, (index) => mined(1000, NOW - index, undefined, "token_transfer"));
  const few = many(40, (index) => mined(1000, NOW - index, undefined, "token_transfer", index % 4));

  expect(Object.keys(estimated([...calls, ...transfers]))).toEqual(["all", "contract_call"]);
  expect(Object.keys(estimated([...calls, ...few]))).toEqual(["all", "contract_call"]);
  expect(estimated(transfers)).toEqual({});
});

test("neither transactions without a fee nor those of miners count", () => {
  const observed = [
    ...many(100, (index) => mined(0, NOW - index)),
    ...many(100, (index) => mined(undefined, NOW - index)),
    ...many(100, (index) => mined(1, NOW - index, undefined, "coinbase")),
    ...many(100, (index) => waiting(0, NOW - index)),
  ];

  expect(estimated(observed)).toEqual({});
});

describe("what cannot move the estimate", () => {
  const paid = many(200, (index) => mined(1000 + 10 * (index % 100), NOW - index, NOW - index - 20));

  test("by 150 offers of 10 STX that are not mined", () => {
    const offers = many(150, () => waiting(10_000_000, NOW - 30));

    expect(feesOf([...offers, ...paid])?.["10m"]).toBeLessThanOrEqual(1950);
  });

  test("by a hundred transactions of one sender at 1 microSTX", () => {
    const dust = many(100, (index) => mined(1, NOW - index, NOW - index - 20, "contract_call", "one"));

    expect(feesOf([...dust, ...paid])?.["10m"]).toBeGreaterThan(1200);
  });
});

test("a shorter time never costs less, and every fee is between those that were mined", () => {
  const seconds = fc.integer({ min: NOW - 4000, max: NOW });
  const fee = fc.oneof(fc.constantFrom(0, 180, 3000, undefined), fc.integer({ min: 1, max: 10 ** 12 }));
  const type = fc.constantFrom("token_transfer", "contract_call", "smart_contract", "coinbase", "other");
  const time = fc.option(seconds, { nil: undefined });
  const sender = fc.integer({ min: 0, max: 60 });
  const transactions = fc.array(fc.record({ type, fee, sender, receivedAt: time, at: time }), { maxLength: 200 });

  fc.assert(
    fc.property(transactions, seconds, (unordered, listedSince) => {
      const all = unordered.map(
        ({ at, receivedAt, ...one }): One =>
          at === undefined ? { ...one, receivedAt: receivedAt ?? NOW } : { ...one, receivedAt, at },
      );
      const rows = all.filter(isMined).toSorted((a, b) => b.at - a.at);
      const paid = currentFees(rows, NOW);
      const types = estimated([...all.filter((one) => !isMined(one)), ...rows], { ...COVERAGE, listedSince });
      for (const name of ["token_transfer", "contract_call"] as const) {
        const { percentiles } = paid[name];
        const { [name]: estimate } = types;
        expect(estimate === undefined).toBe(percentiles === undefined);
        if (estimate === undefined || percentiles === undefined) continue;
        expect(estimate.fees["10m"]).toBeGreaterThanOrEqual(estimate.fees["1h"]);
        expect(estimate.fees["1h"]).toBeGreaterThanOrEqual(Math.floor(percentiles.p25));
        expect(estimate.fees["10m"]).toBeLessThanOrEqual(Math.ceil(percentiles.p95));
      }
    }),
    { numRuns: 300 },
  );
});
