import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { balances } from "../../src/collectors/balances/balances.ts";
import { ordinalOf } from "../../src/config/load.ts";
import { shardOf } from "../../src/store/shard.ts";
import { configOf as load } from "./fixture.ts";

const PRINCIPALS = ["SP000000000000000000002Q6VF78", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"];
const text = (shard: string, more = "") => `networks:
  - name: mainnet
    url: https://api.example
    budget: { per_minute: 100, per_month: 1000000 }
    addresses: [${PRINCIPALS.map((one) => `{ address: ${one} }`).join(", ")}]
${more}shard: ${shard}
`;

describe("the shard of a principal", () => {
  test("is one of them, and moves only to a new one when shards are added", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 10 }), (one, count, more) => {
        const [before, after] = [shardOf(one, count), shardOf(one, count + more)];
        return before < count && (after === before || after >= count);
      }),
    );
  });

  test("is each of them about equally often, and few move", () => {
    const many = Array.from({ length: 12_000 }, (_, index) => `SP${index}`);
    const counts = Object.values(Object.groupBy(many, (one) => String(shardOf(one, 4)))).map((own) => own?.length ?? 0);
    const moved = many.filter((one) => shardOf(one, 4) !== shardOf(one, 6)).length;

    expect(counts).toHaveLength(4);
    for (const count of counts) expect(Math.abs(count - 3000)).toBeLessThan(200);
    expect(moved / many.length).toBeCloseTo(1 / 3, 1);
  });
});

test("a shard has its own part of the watch lists and of the budget", async () => {
  const parts = await Promise.all([0, 1, 2].map((index) => load(text(`{ index: ${index}, count: 3 }`))));
  const networks = parts.map((config) => config.networks[0]);

  expect(networks.flatMap((network) => network?.addresses.map(({ principal }) => principal) ?? []).sort()).toEqual(
    PRINCIPALS,
  );
  expect(networks.map((network) => network?.upstreams[0].budget)).toEqual(
    [0, 1, 2].map(() => ({ perMinute: 33, perMonth: 333_333 })),
  );
  expect(parts.map(({ shard }) => shard)).toEqual([0, 1, 2].map((index) => ({ index, count: 3 })));
});

test("of a group with sums of which one member is not chosen, no shard polls balances", async () => {
  const polledIf = (isChosen: boolean) =>
    [0, 1, 2].map(async (index) => {
      const members = Array.from({ length: 9 }, (_, at) => ({
        ...{ address: `${PRINCIPALS[0]}.c${at}`, name: `${at}`, group: "g" },
        ...(at > 0 || isChosen ? { balances: true } : {}),
      }));
      const config = await load(`networks:
  - { name: m, url: https://api.example, budget: { per_minute: 100 }, summed_groups: [g], addresses: ${JSON.stringify(members)} }
shard: { index: ${index}, count: 3 }
`);
      return config.networks.flatMap((network) => balances.targets(network, balances.options.parse({}))).length;
    });

  expect((await Promise.all(polledIf(true))).reduce((sum, count) => sum + count)).toBe(9);
  expect(await Promise.all(polledIf(false))).toEqual([0, 0, 0]);
});

test("on a machine that is not a shard, `plan` uses the first shard, and `rules` all principals", async () => {
  const file = text("{ index: hostname, count: 2 }");
  const [any, whole] = [await load(file, { part: "any" }), await load(file, { part: "whole" })];

  await expect(load(file)).rejects.toThrow("which does not end in - and a number");
  expect([any.shard, whole.shard]).toEqual([{ index: 0, count: 2 }, undefined]);
  expect(whole.networks[0]?.addresses.map(({ principal }) => principal)).toEqual(PRINCIPALS);
  expect(whole.networks[0]?.upstreams[0].budget.perMinute).toBe(50);
});

test("a single shard has any host name", async () => {
  expect((await load(text("{ index: hostname, count: 1 }"))).shard).toBeUndefined();
});

test.each([
  ["stacks-exporter-3", 3],
  ["stacks-exporter-12.stacks-exporter.monitoring.svc", 12],
  ["stacks-exporter", undefined],
  ["stacks-exporter3", undefined],
])("the number of the host name %s is %s", (name, ordinal) => {
  expect(ordinalOf(name)).toBe(ordinal);
});
