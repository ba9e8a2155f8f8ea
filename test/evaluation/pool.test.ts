import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { percentile } from "../../simulator/chain/percentile.ts";
import { Pool, type Transaction, TYPES } from "../../tools/evaluation/pool.ts";

const transaction = (fee: number, of: Partial<Transaction> = {}): Transaction => ({
  type: "token_transfer",
  fee,
  at: 0,
  leavesAt: 1000,
  canBeMined: true,
  ...of,
});

test("the highest fee is next; with equal fees, the first to arrive", () => {
  const pool = new Pool();
  const first = transaction(500, { leavesAt: 1 });
  const second = transaction(500, { leavesAt: 2 });
  for (const one of [transaction(100), first, second, transaction(300)]) pool.add(one);

  expect(pool.takeBest()).toBe(first);
  expect(pool.takeBest()).toBe(second);
  expect(pool.takeBest()?.fee).toBe(300);
});

test("what cannot be mined is counted and ranked, but never taken", () => {
  const pool = new Pool();
  pool.add(transaction(900_000, { canBeMined: false }));
  pool.add(transaction(100));

  expect(pool.quantile(1)).toBe(900_000);
  expect([pool.size, pool.ready]).toEqual([2, 1]);
  expect(pool.takeBest()?.fee).toBe(100);
  expect(pool.takeBest()).toBeUndefined();
  expect(pool.size).toBe(1);
});

test("those without a fee are taken first, in the order of arrival", () => {
  const pool = new Pool();
  const first = transaction(0, { at: 1 });
  const second = transaction(0, { at: 2 });
  for (const one of [transaction(900), first, second]) pool.add(one);

  expect([pool.quantile(0), pool.quantile(0.5), pool.quantile(1)]).toEqual([0, 0, 900]);
  expect(pool.takeBest()).toBe(first);
  expect(pool.takeBest()).toBe(second);
  expect(pool.takeBest()?.fee).toBe(900);
});

test("an empty pool has no percentile", () => {
  expect(new Pool().quantile(0.5)).toBeNaN();
});

const fees = fc.array(
  fc.oneof(
    fc.record({ fee: fc.integer({ min: 1, max: 50 }), canBeMined: fc.boolean() }),
    fc.record({ fee: fc.constant(0), canBeMined: fc.constant(true) }),
  ),
  {
    minLength: 1,
    maxLength: 80,
  },
);

test("percentiles are those of a sorted list", () => {
  fc.assert(
    fc.property(fees, fc.double({ min: 0, max: 1, noNaN: true }), (list, part) => {
      const pool = new Pool();
      for (const { fee, canBeMined } of list) pool.add(transaction(fee, { canBeMined }));
      const sorted = list.map(({ fee }) => fee).toSorted((a, b) => a - b);

      expect(pool.quantile(part)).toBeCloseTo(percentile(sorted, part), 9);
    }),
  );
});

describe("every transaction leaves once:", () => {
  const step = fc.oneof(
    fc.record({
      do: fc.constant("add" as const),
      fee: fc.integer({ min: 1, max: 20 }),
      canBeMined: fc.boolean(),
      type: fc.constantFrom(...TYPES),
      lasts: fc.integer({ min: 1, max: 30 }),
    }),
    fc.record({ do: fc.constant("take" as const) }),
    fc.record({ do: fc.constant("expire" as const) }),
  );

  test("taken, expired or still waiting, after any steps in any order", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const pool = new Pool();
        const taken = new Set<Transaction>();
        let added = 0;
        let expired = 0;
        steps.forEach((next, now) => {
          if (next.do === "add") {
            pool.add(
              transaction(next.fee, { leavesAt: now + next.lasts, type: next.type, canBeMined: next.canBeMined }),
            );
            added += 1;
          } else if (next.do === "take") {
            const best = pool.takeBest();
            if (best !== undefined) {
              expect(taken.has(best)).toBe(false);
              taken.add(best);
            }
          } else expired += pool.expire(now);
        });

        expect(taken.size + expired + pool.size).toBe(added);
        expect(TYPES.reduce((sum, type) => sum + pool.count(type), 0)).toBe(pool.size);
      }),
    );
  });

  test("nothing stays beyond its time", () => {
    const pool = new Pool();
    pool.add(transaction(5, { leavesAt: 10 }));
    pool.add(transaction(6, { leavesAt: 11, canBeMined: false }));

    expect(pool.expire(9)).toBe(0);
    expect(pool.expire(10)).toBe(1);
    expect(pool.expire(11)).toBe(1);
    expect(pool.size).toBe(0);
  });
});
