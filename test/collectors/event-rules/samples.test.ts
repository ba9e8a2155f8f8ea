import { describe, expect, test } from "@jest/globals";
import type { EventRule } from "../../../src/collectors/event-rules/rule.ts";
import { ruleSamples } from "../../../src/collectors/event-rules/samples.ts";
import { addResults } from "../../../src/collectors/event-rules/totals.ts";
import { Exposition } from "../../../src/exposition/exposition.ts";
import { rulesOf } from "../../support/event-rules.ts";
import { restarted } from "../../support/plain-data.ts";

const MATCH = "match: [{ path: topic, exists: true }]";
const IDENTITY = { network: "mainnet", name: "amm", contract_id: "SP1.amm" };

/** Lines of the page, without the labels of the contract. */
function linesOf(rules: readonly EventRule[], counted: readonly [rule: number, value: bigint, ...labels: string[]][]) {
  const results = counted.map(([rule, value, ...labels], rank) => {
    const { fingerprint = "" } = rules[rule] ?? {};
    return { results: [{ rule: fingerprint, sample: { labels, value } }], rank };
  });
  const exposition = new Exposition([...new Set(rules.map(({ family }) => family))]);
  const totals = restarted(addResults({}, rules, results, 1000));
  exposition.set("amm", ruleSamples(rules, totals, IDENTITY));
  const lines = exposition.page("classic").toString().split("\n");
  return lines.filter((line) => /^[^#]/.test(line)).map((line) => line.replace(/network=.*?SP1\.amm",?/, ""));
}

describe("label values that are known", () => {
  test("start at 0, in every combination", async () => {
    const rules = await rulesOf(`
- metric: amm_swaps_total
  type: counter
  help: Swaps.
  ${MATCH}
  labels: { pool: { path: value.pool, allow: [a, c], max: 9 }, side: { value: buy } }
`);

    expect(
      linesOf(rules, [
        [0, 2n, "c", "buy"],
        [0, 1n, "x", "buy"],
      ]),
    ).toEqual([
      'amm_swaps_total{pool="a",side="buy"} 0',
      'amm_swaps_total{pool="c",side="buy"} 2',
      'amm_swaps_total{pool="x",side="buy"} 1',
    ]);
  });

  test("are none if one label is not known", async () => {
    const rules = await rulesOf(
      `- { metric: x_total, type: counter, help: X., ${MATCH}, labels: { a: { value: a }, z: { path: value } } }`,
    );

    expect(linesOf(rules, [])).toEqual([]);
  });

  test("without labels, a counter is 0, a histogram is empty, and a gauge is absent", async () => {
    const rules = await rulesOf(`
- { metric: x_total, type: counter, help: X., ${MATCH} }
- { metric: x_price, type: gauge, help: X., ${MATCH}, value: { path: value } }
- { metric: x_units, type: histogram, help: X., ${MATCH}, value: { path: value }, buckets: [5] }
`);

    expect(linesOf(rules, [])).toEqual([
      "x_total{} 0",
      'x_units_bucket{le="5.0"} 0',
      'x_units_bucket{le="+Inf"} 0',
      "x_units_sum{} 0",
      "x_units_count{} 0",
    ]);
  });
});

describe("two rules of one metric", () => {
  test("add up", async () => {
    const rules = await rulesOf(`
- { metric: x_total, type: counter, help: X., match: [{ path: topic, equals: one }], value: { path: value } }
- { metric: x_total, type: counter, help: X., match: [{ path: topic, equals: two }] }
- { metric: x_units, type: histogram, help: X., ${MATCH}, value: { path: value.a }, buckets: [5] }
- { metric: x_units, type: histogram, help: X., ${MATCH}, value: { path: value.b }, buckets: [5] }
`);

    const max = 2n ** 128n;
    expect(
      linesOf(rules, [
        [0, max],
        [1, 1n],
        [2, 3n],
        [3, max],
      ]),
    ).toEqual([
      `x_total{} ${max + 1n}`,
      'x_units_bucket{le="5.0"} 1',
      'x_units_bucket{le="+Inf"} 2',
      `x_units_sum{} ${max + 3n}`,
      "x_units_count{} 2",
    ]);
  });

  test("differ in a fixed label", async () => {
    const rules = await rulesOf(`
- { metric: x_total, type: counter, help: X., match: [{ path: topic, equals: one }], labels: { side: { value: buy } } }
- { metric: x_total, type: counter, help: X., match: [{ path: topic, equals: two }], labels: { side: { value: sell } } }
`);

    expect(linesOf(rules, [[1, 1n, "sell"]])).toEqual(['x_total{side="buy"} 0', 'x_total{side="sell"} 1']);
  });

  test("have the value of the newest event if it is a gauge", async () => {
    const rules = await rulesOf(`
- { metric: x_price, type: gauge, help: X., ${MATCH}, value: { path: value.a } }
- { metric: x_price, type: gauge, help: X., ${MATCH}, value: { path: value.b } }
`);

    expect(
      linesOf(rules, [
        [0, 1n],
        [1, 2n],
        [0, 3n],
      ]),
    ).toEqual(["x_price{} 3"]);
    expect(
      linesOf(rules, [
        [0, 1n],
        [1, -2n],
      ]),
    ).toEqual(["x_price{} -2"]);
  });
});
