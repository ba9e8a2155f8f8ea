import { expect, test } from "@jest/globals";
import { feesOf, type MinedRow, rowsInWindow, WINDOW_SECONDS } from "../../../src/collectors/transactions/window.ts";

const row = (fee: number | undefined, type = "token_transfer", at = 1000): MinedRow => ({ fee, type, at });

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

  expect(WINDOW_SECONDS).toBe(600);
  expect(rowsInWindow(rows, 2000).map(({ fee }) => fee)).toEqual([1, 2]);
});
