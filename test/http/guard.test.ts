import { expect, test } from "@jest/globals";
import { requestRate } from "../../src/http/guard.ts";

test("a burst is admitted at once, and one request after each interval; others learn when to return", () => {
  let now = 5_000;
  const refusal = requestRate({ intervalMs: 10_000, burst: 2 }, () => now);
  const requests = (count: number) => Array.from({ length: count }, () => refusal());

  expect(requests(4)).toEqual([undefined, undefined, 10, 10]);
  now += 2_500;
  expect(requests(1)).toEqual([8]);
  now += 7_500;
  expect(requests(2)).toEqual([undefined, 10]);
  // The bucket holds no more than the burst.
  now += 3_600_000;
  expect(requests(3)).toEqual([undefined, undefined, 10]);
});
