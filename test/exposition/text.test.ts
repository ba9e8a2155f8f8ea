import { expect, test } from "@jest/globals";
import { formatValue } from "../../src/exposition/exposition.ts";

test("values are written as both formats require", () => {
  const values = [0, -0, 1, 9, 10, 1e9, 2 ** 53, 2n ** 64n + 1n, 1.5, -3, 1e21, 1e-7, Infinity, -Infinity];
  expect(values.map(formatValue)).toEqual([
    ...["0", "0", "1", "9", "10", "1000000000", "9007199254740992", "18446744073709551617"],
    ...["1.5", "-3", "1e+21", "1e-7", "+Inf", "-Inf"],
  ]);
  expect(() => formatValue(Number.NaN)).toThrow("leave the sample out");
});
