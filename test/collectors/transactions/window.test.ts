import { describe, expect, test } from "@jest/globals";
import {
  currentFees,
  feesOf,
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
    const old = rowsOf(40, 5, NOW - 7200);

    expect(votesOf([...rowsOf(31, 9, NOW - 10), ...old], "contract_call", NOW)).toHaveLength(31);
    expect(votesOf([...rowsOf(10, 9, NOW - 10), ...old], "contract_call", NOW)).toHaveLength(30);
    expect(
      votesOf(
        [
          ...rowsOf(10, 9, NOW - 10),
          ...rowsOf(9, 7, NOW - 10).map((one) => ({ ...one, type: "token_transfer" })),
          ...old,
        ],
        "contract_call",
        NOW,
      ),
    ).toHaveLength(30);
  });

  test.each([
    ["more than 4 times", 30, 201, 201],
    ["4 times", 30, 200, 50],
    ["a price that 28 of 30 paid", 28, 201, 201],
    ["a price that 27 of 30 paid", 27, 201, 50],
  ])("are those of the newest 30 transactions alone after a jump: %s", (_, count, fee, expected) => {
    const rows = [...rowsOf(count, fee, NOW - 10), ...rowsOf(100, 50, NOW - 90)];

    expect(currentFees(rows, NOW).contract_call).toMatchObject({
      transactions: expected === fee ? 30 : 100 + count,
      percentiles: { p10: expected },
    });
  });

  test("do not jump while cheap ones are mined in the last 90 seconds of a rush", () => {
    const rush = (cheap: number) => [
      ...rowsOf(100, 9000, NOW - 5),
      ...rowsOf(cheap, 50, NOW - 89),
      ...rowsOf(200, 50, NOW - 90),
    ];
    expect(percentile(rush(2))).toBe(9000);
    expect(percentile(rush(3))).toBe(50);
  });

  test("do not jump for a mix of types", () => {
    const calls = rowsOf(30, 9000, NOW - 10);
    const transfers = rowsOf(100, 50, NOW - 60).map((one) => ({ ...one, type: "token_transfer" }));

    expect(currentFees([...calls, ...transfers], NOW).all.percentiles?.p10).toBe(50);
  });

  test("do not jump for fewer than 5 senders", () => {
    const few = Array.from({ length: 30 }, (_, index) => rowsOf(1, 9000, NOW, `${index % 4}`)).flat();

    expect(percentile([...few, ...rowsOf(100, 50, NOW - 60)])).toBe(50);
  });

  test("are unknown with fewer than 20 transactions, or 5 senders", () => {
    expect(percentile(rowsOf(19, 5, NOW))).toBeUndefined();
    expect(percentile(rowsOf(20, 5, NOW))).toBe(5);
    const two = (name: string) => rowsOf(2, 5, NOW, name);
    expect(percentile(["a", "b", "c", "d"].flatMap((name) => rowsOf(30, 5, NOW, name)))).toBeUndefined();
    expect(currentFees(["a", "b", "c", "d"].flatMap(two), NOW).contract_call.transactions).toBe(8);
  });

  test("do not follow a sender of most transactions", () => {
    const others = rowsOf(24, 5, NOW - 60);

    expect(percentile([...rowsOf(23, 9000, NOW, "one"), ...others])).toBe(5);
    expect(percentile([...rowsOf(100, 1, NOW, "one"), ...others])).toBe(5);
    // Those of others are not pushed out of the window.
    expect(percentile([...rowsOf(500, 5, NOW, "one"), ...rowsOf(30, 9000, NOW - 60)])).toBe(9000);
  });
});
