import { describe, expect, test } from "@jest/globals";
import {
  currentFees,
  feesOf,
  lowestFee,
  type MinedRow,
  rowsInWindow,
  votesOf,
} from "../../../src/collectors/transactions/window.ts";

let senders = 0;
/** A row of a new sender, unless one is given. */
const row = (
  fee: number | undefined,
  type = "token_transfer",
  at = 1000,
  sender: string | number = senders++,
): MinedRow => ({
  fee,
  type,
  at,
  sender,
});
const rowsOf = (count: number, fee: number, at: number, sender?: string) =>
  Array.from({ length: count }, () => row(fee, "contract_call", at, sender));

test("percentiles are linear between two neighbours", () => {
  const { all } = feesOf([30, 10, 20, 40].map((fee) => row(fee)));

  expect(all).toEqual({
    transactions: 4,
    percentiles: { p5: 11.5, p10: 13, p25: 17.5, p50: 25, p75: 32.5, p95: 38.5 },
  });
});

test("all covers every user transaction with a fee, and the other types only their own", () => {
  const fees = feesOf([
    row(10),
    row(20, "contract_call"),
    row(30, "smart_contract"),
    row(0),
    row(undefined),
    row(0, "coinbase"),
    row(0, "tenure_change"),
    row(40, "a_new_type"),
  ]);

  expect(fees.all.transactions).toBe(4);
  expect(fees.all.percentiles?.p50).toBe(25);
  expect(fees.token_transfer).toMatchObject({ transactions: 1, percentiles: { p5: 10, p95: 10 } });
  expect(fees.contract_call).toMatchObject({ transactions: 1, percentiles: { p5: 20, p95: 20 } });
});

test("a type without a paid fee has no percentiles", () => {
  expect(feesOf([row(0), row(undefined)]).all).toEqual({ transactions: 0, percentiles: undefined });
});

test("the window contains the rows of the last ten minutes", () => {
  const rows = [row(1, "token_transfer", 2000), row(2, "token_transfer", 1401), row(3, "token_transfer", 1400)];

  expect(rowsInWindow(rows, 2000).map(({ fee }) => fee)).toEqual([1, 2]);
});

describe("the current fees", () => {
  const NOW = 100_000;
  const percentile = (rows: readonly MinedRow[]) => currentFees(rows, NOW).contract_call.percentiles?.p10;

  test("are those of the last ten minutes, or of the newest 30 transactions of the type", () => {
    const countOf = (...rows: readonly MinedRow[][]) =>
      votesOf([...rows.flat(), ...rowsOf(40, 5, NOW - 7200)], "contract_call", NOW).length;
    const transfers = rowsOf(9, 7, NOW - 10).map((one) => ({ ...one, type: "token_transfer" }));

    expect(countOf(rowsOf(31, 9, NOW - 10))).toBe(31);
    expect(countOf(rowsOf(10, 9, NOW - 10))).toBe(30);
    expect(countOf(rowsOf(10, 9, NOW - 10), transfers)).toBe(30);
  });

  test("are unknown with fewer than 20 transactions, of which two of a sender count", () => {
    expect(percentile(rowsOf(19, 5, NOW))).toBeUndefined();
    expect(percentile(rowsOf(20, 5, NOW))).toBe(5);
    const two = (name: string) => rowsOf(2, 5, NOW, name);
    expect(percentile(["a", "b", "c", "d"].flatMap((name) => rowsOf(30, 5, NOW, name)))).toBeUndefined();
    expect(currentFees(["a", "b", "c", "d"].flatMap(two), NOW).contract_call.transactions).toBe(8);
  });
});

describe("the lowest fee", () => {
  const NOW = 100_000;
  const lowest = (rows: readonly MinedRow[]) => lowestFee(rows, "contract_call", NOW);

  test("is the fourth lowest of the last two minutes", () => {
    const rush = (cheap: number) => [
      ...rowsOf(100, 9000, NOW - 5),
      ...rowsOf(cheap, 50, NOW - 119),
      ...rowsOf(200, 50, NOW - 120),
    ];
    expect(lowest(rush(3))).toBe(9000);
    expect(lowest(rush(4))).toBe(50);
  });

  test("is that of the newest 30 calls if those are more", () => {
    expect(lowest([...rowsOf(26, 9000, NOW - 5), ...rowsOf(100, 50, NOW - 7200)])).toBe(50);
    expect(lowest([...rowsOf(27, 9000, NOW - 5), ...rowsOf(100, 50, NOW - 7200)])).toBe(9000);
    expect(lowest([...rowsOf(27, 9000, NOW - 5), row(50), ...rowsOf(100, 50, NOW - 7200)])).toBe(9000);
  });

  test("is unknown with fewer than 20", () => {
    expect(lowest(rowsOf(20, 5, NOW))).toBe(5);
    expect(lowest([...rowsOf(19, 5, NOW), row(5), row(0, "contract_call")])).toBeUndefined();
  });

  test("does not follow one sender", () => {
    const calm = rowsOf(24, 5, NOW - 60);
    expect(lowest([...rowsOf(23, 9000, NOW, "one"), ...calm])).toBe(5);
    expect(lowest([...rowsOf(100, 1, NOW, "one"), ...calm])).toBe(5);
    // It does not push out those of others.
    expect(lowest([...rowsOf(500, 5, NOW, "one"), ...rowsOf(30, 9000, NOW - 60)])).toBe(9000);
  });
});
