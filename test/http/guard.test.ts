import { expect, test } from "@jest/globals";
import { requestRate } from "../../src/http/guard.ts";

/** A rate with a clock, and the results of some requests at once. */
function rateOf(limit: { intervalMs: number; burst: number }) {
  let now = 5_000;
  const refusal = requestRate(limit, () => now);
  return {
    requests: (count: number) => Array.from({ length: count }, () => refusal()),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

test("a burst is admitted at once, and one request after each interval; others learn when to return", () => {
  const { requests, pass } = rateOf({ intervalMs: 10_000, burst: 2 });

  expect(requests(4)).toEqual([undefined, undefined, 10, 10]);
  pass(2_500);
  expect(requests(1)).toEqual([8]);
  pass(7_500);
  expect(requests(2)).toEqual([undefined, 10]);
});

test("the bucket holds no more than the burst", () => {
  const { requests, pass } = rateOf({ intervalMs: 1_000, burst: 2 });
  pass(3_600_000);

  expect(requests(3)).toEqual([undefined, undefined, 1]);
});
