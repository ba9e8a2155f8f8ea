import { describe, expect, test } from "@jest/globals";
import type { Result } from "../../../src/collectors/event-rules/evaluate.ts";
import type { EventRule } from "../../../src/collectors/event-rules/rule.ts";
import { addResults, type TotalsOfRules } from "../../../src/collectors/event-rules/totals.ts";
import { rulesOf } from "../../support/event-rules.ts";
import { restarted } from "../../support/plain-data.ts";

const MATCH = "match: [{ path: topic, exists: true }]";
const [swaps, volume, price, sizes] = (await rulesOf(`
- metric: amm_swaps_total
  type: counter
  help: Swaps.
  ${MATCH}
  labels: { pool: { path: value.pool, allow: [a], max: 3 }, side: { value: buy } }
- { metric: amm_volume_total, type: counter, help: Volume., ${MATCH}, value: { path: value } }
- { metric: amm_price, type: gauge, help: Price., ${MATCH}, value: { path: value } }
- { metric: amm_trade_units, type: histogram, help: Trades., ${MATCH}, value: { path: value }, buckets: [10, 100] }
`)) as [EventRule, EventRule, EventRule, EventRule];
const rules = [swaps, volume, price, sizes];

const resultOf = ({ fingerprint }: EventRule, value: bigint, labels: readonly string[] = []): Result => ({
  rule: fingerprint,
  sample: { labels, value },
});
const add = (
  before: TotalsOfRules,
  results: readonly Result[],
  { spare = 1000, rank = 1, of = rules as readonly EventRule[] } = {},
) => addResults(before, of, [{ results, rank }], spare);
const bought = (pool: string) => resultOf(swaps, 1n, [pool, "buy"]);
const keyed = (sums: object) =>
  Object.fromEntries(Object.entries(sums).map(([key, value]) => [key.split("\t")[0], value]));

test("sums stay exact beyond 2^53, also through the state file", () => {
  const max = 2n ** 128n - 1n;

  let totals = add({}, [resultOf(volume, max), resultOf(volume, 1n)]);
  totals = add(restarted(totals), [resultOf(volume, 1n)]);

  expect(totals[volume.fingerprint]?.sums).toEqual({ "": max + 2n });
});

test("a gauge has the value of the newest event, in any order of counting", () => {
  let totals = add({}, [resultOf(price, 3n)], { rank: 7 });
  totals = add(totals, [resultOf(price, 1n)], { rank: 5 });
  expect(totals[price.fingerprint]?.last).toEqual({ "": { value: 3n, rank: 7 } });

  totals = add(totals, [resultOf(price, 0n), resultOf(price, -2n)], { rank: 8 });
  expect(totals[price.fingerprint]?.last).toEqual({ "": { value: -2n, rank: 8 } });
});

test("a histogram counts each value in its bucket", () => {
  const totals = add(
    {},
    [10n, 11n, 2n ** 70n].map((value) => resultOf(sizes, value)),
  );

  expect(totals[sizes.fingerprint]?.histograms).toEqual({ "": { counts: [1, 1, 1], sum: 21n + 2n ** 70n } });
});

test("errors count by reason", () => {
  const failed: Result = { rule: volume.fingerprint, errors: ["type", "missing"] };

  const totals = add(add({}, [failed]), [failed]);

  expect(totals[volume.fingerprint]).toMatchObject({ errors: { type: 2, missing: 2 }, sums: {} });
});

describe("labels", () => {
  test("the first values have their own series, others are other", () => {
    const totals = add({}, ["b", "c", "d", "a", "c", "e", "", "other"].map(bought));

    const { sums = {}, overflow } = totals[swaps.fingerprint] ?? {};
    expect(keyed(sums)).toEqual({ b: 1n, c: 2n, a: 1n, "": 1n, other: 3n });
    expect(overflow).toBe(3);
  });

  test("10,000 values make as many series as are allowed", () => {
    const totals = add(
      {},
      Array.from({ length: 10_000 }, (_, n) => bought(`pool-${n}`)),
    );

    const { sums = {} } = totals[swaps.fingerprint] ?? {};
    expect(keyed(sums)).toEqual({ "pool-0": 1n, "pool-1": 1n, other: 9998n });
  });

  test("the values with series are the same after a restart", () => {
    const totals = add(restarted(add({}, ["b", "c"].map(bought))), ["d", "c"].map(bought));

    expect(keyed(totals[swaps.fingerprint]?.sums ?? {})).toEqual({ b: 1n, c: 2n, other: 1n });
  });

  test("without series to spare, only known values have new ones", () => {
    const totals = add({}, ["b", "a", "c"].map(bought), { spare: 1 });

    const { sums = {}, overflow } = totals[swaps.fingerprint] ?? {};
    expect(keyed(sums)).toEqual({ b: 1n, a: 1n, other: 1n });
    expect(Object.keys(sums).every((key) => key.endsWith("\tbuy"))).toBe(true);
    expect(overflow).toBe(1);
  });

  test("the rules of a contract share the series to spare", async () => {
    const two = await rulesOf(
      ["amm_a_total", "amm_c_total"]
        .map((metric) => `- { metric: ${metric}, type: counter, help: H., ${MATCH}, labels: { p: { path: value } } }`)
        .join("\n"),
    );

    const totals = add(
      {},
      two.flatMap((rule) => ["x", "y"].map((text) => resultOf(rule, 1n, [text]))),
      {
        spare: 3,
        of: two,
      },
    );

    expect(two.map(({ fingerprint }) => totals[fingerprint]?.sums)).toEqual([
      { x: 1n, y: 1n },
      { x: 1n, other: 1n },
    ]);
  });
});

test("totals of a rule that is gone are dropped, and those of other rules continue", () => {
  const before = add({}, [resultOf(volume, 5n), bought("a")]);

  const totals = add(before, [resultOf(volume, 5n)], { of: [volume] });

  expect(totals).toEqual({ [volume.fingerprint]: { ...before[volume.fingerprint], sums: { "": 10n } } });
});

test("totals that do not change are the same object", () => {
  const before = add({}, [resultOf(volume, 5n)]);

  expect(add(before, [bought("a")])[volume.fingerprint]).toBe(before[volume.fingerprint]);
});
