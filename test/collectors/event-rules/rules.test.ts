// What the rules of a contract count, judged by their series.
import { expect, test } from "@jest/globals";
import { Cl } from "@stacks/transactions";
import { contracts } from "../../../src/collectors/contracts/contracts.ts";
import { CollectorRun, NOW, targetOf } from "../../support/collect.ts";
import { CONTRACT, EventList, ruledContract } from "../../support/event-list.ts";
import { rulesOf } from "../../support/event-rules.ts";

const MATCH = "match: [{ path: topic, exists: true }]";
const has = (field: string) => `match: [{ path: value.${field}, exists: true }]`;
const MAX = 2n ** 128n - 1n;

const SWAPS = `
- metric: amm_swaps_total
  type: counter
  help: Swaps.
  ${has("pool")}
  labels: { pool: { path: value.pool, allow: [a], max: 3 }, side: { value: buy } }
`;
const VOLUME = `
- { metric: amm_volume_total, type: counter, help: Volume., ${has("volume")}, value: { path: value.volume } }
`;
const swap = (pool: string) => Cl.tuple({ pool: Cl.stringAscii(pool) });
const volume = (value: bigint) => Cl.tuple({ volume: Cl.uint(value) });

const SERIES = /^amm_swaps_total/;
const series = (counts: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(counts).map(([pool, count]) => [`amm_swaps_total ${pool} buy`, count]));

test("labels: the first values have their own series, others are other", async () => {
  const { print } = await ruledContract(SWAPS);
  const samples = await print(["b", "c", "d", "a", "c", "e", "other"].map(swap));

  expect(samples.of(SERIES)).toEqual(series({ b: 1, c: 2, a: 1, other: 3 }));
});

test("totals of a rule that is gone are dropped, and those of other rules continue", async () => {
  const { list, run, rules, print } = await ruledContract(`${SWAPS}${VOLUME}`);
  await print([volume(5n), swap("a")]);
  list.add([{ value: volume(5n) }]);
  const target = targetOf(CONTRACT, 1, { rules: rules.slice(1) });
  expect((await run.polls(2, { target })).of(/^amm_/)).toEqual({ amm_volume_total: 10 });

  const samples = await print([volume(5n), swap("a")]);
  expect(samples.of(/^amm_/)).toEqual({ amm_volume_total: 15, "amm_swaps_total a buy": 1 });
});

test("an event that a server had left out does not set a gauge back", async () => {
  const list = new EventList(1);
  const rules = await rulesOf(
    `- { metric: amm_reserve, type: gauge, help: Reserve., ${MATCH}, value: { path: value } }`,
  );
  const target = targetOf(CONTRACT, 1, { rules });
  const run = new CollectorRun(contracts, list.api, () => ({ target, chain: list.chain(1) }));
  list.add([{ value: Cl.uint(1) }]);
  await run.poll();
  list.add([2, 3, 4].map((value) => ({ value: Cl.uint(value) })));
  const all = list.rows;
  list.rows = all.filter(({ tx_id }) => tx_id !== "0x3");
  await run.poll();
  list.rows = all;
  const samples = await run.poll({ now: NOW + 25 * 3_600_000 });
  expect([samples.sum("contract_events_total"), samples.get("amm_reserve")]).toEqual([3, 4]);
});

test("a new rule of a metric starts the metric at zero", async () => {
  const { run, rules, print } = await ruledContract(
    ["buy", "sell"]
      .map((side) => `- { metric: x_total, type: counter, help: X., ${MATCH}, labels: { side: { value: ${side} } } }`)
      .join("\n"),
  );
  await print([Cl.uint(1)]);
  const target = targetOf(CONTRACT, 1, { rules: rules.slice(0, 1) });
  expect((await run.poll({ target })).of(/^x_total/)).toEqual({ "x_total buy": 0 });
});

test.each([
  [
    "label values that are known start at 0, in every combination",
    `- { metric: x_total, type: counter, help: X., ${MATCH},
        labels: { pool: { path: value.pool, allow: [a, c], max: 9 }, side: { value: buy } } }`,
    { "x_total a buy": 0, "x_total c buy": 0 },
  ],
  [
    "there are none if one label is not known",
    `- { metric: x_total, type: counter, help: X., ${MATCH}, labels: { a: { value: a }, z: { path: value } } }`,
    {},
  ],
  [
    "without labels, a counter is 0, and a gauge is absent",
    `
- { metric: x_total, type: counter, help: X., ${MATCH} }
- { metric: x_price, type: gauge, help: X., ${MATCH}, value: { path: value } }
`,
    { x_total: 0 },
  ],
])("before the first event: %s", async (_, events, expected) => {
  const { run } = await ruledContract(events);
  expect(run.samples.of(/^x_/)).toEqual(expected);
});

const event = (name: string, value: bigint) =>
  Cl.tuple({ event: Cl.stringAscii(name), [name]: Cl.uint(value), any: Cl.uint(value) });
const rule = (kind: string, name: string, more: string) =>
  `- { metric: ${kind}, help: X., match: [{ path: value.event, equals: ${name} }], ${more} }`;

test("two rules of one metric add up", async () => {
  const { print } = await ruledContract(
    [rule("x_total", "one", "type: counter, value: { path: value.one }"), rule("x_total", "two", "type: counter")].join(
      "\n",
    ),
  );
  const samples = await print([event("one", MAX), event("two", 3n)]);

  expect(samples.text("x_total")).toBe(String(MAX + 1n));
});
