import { expect, jest, test } from "@jest/globals";
import { balances } from "../../src/collectors/balances/balances.ts";

let host = "machine";
jest.unstable_mockModule("node:os", () => ({ hostname: () => host }));
const { ordinalOf } = await import("../../src/config/load.ts");
const { configOf: load } = await import("./fixture.ts");

const PRINCIPALS = ["SP000000000000000000002Q6VF78", "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7"];
const text = (shard: string, more = "") => `networks:
  - name: mainnet
    url: https://api.example
    budget: { per_minute: 100, per_month: 1000000 }
    addresses: [${PRINCIPALS.map((one) => `{ address: ${one} }`).join(", ")}]
${more}shard: ${shard}
`;

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

// The last two names end with a number that is no index of a shard, as that of a CI runner.
test.each([
  ["machine", 2, "which does not end in - and a number"],
  ["runner-12", 4, "expected less than count (4), found 12"],
  ["runner-12", 1, "expected less than count (1), found 12"],
])("on the machine %s, `plan` uses the first of %i shards, and `rules` all principals", async (name, count, error) => {
  host = name;
  const file = text(`{ index: hostname, count: ${count} }`);
  const [any, whole] = [await load(file, { part: "any" }), await load(file, { part: "whole" })];

  await expect(load(file)).rejects.toThrow(error);
  expect([any.shard, whole.shard]).toEqual([count === 1 ? undefined : { index: 0, count }, undefined]);
  expect(whole.networks[0]?.addresses.map(({ principal }) => principal)).toEqual(PRINCIPALS);
  expect(whole.networks[0]?.upstreams[0].budget.perMinute).toBe(100 / count);
});

test("the host name is that of a shard, or of any machine if there is only one", async () => {
  host = "runner-12";
  expect((await load(text("{ index: hostname, count: 13 }"), { part: "any" })).shard).toEqual({ index: 12, count: 13 });
  host = "machine";
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
