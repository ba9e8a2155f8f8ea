// The host name ends with a number that is no index of a shard, as that of a CI runner.
import { expect, jest, test } from "@jest/globals";

jest.unstable_mockModule("node:os", () => ({ hostname: () => "runner-12" }));
const { configOf } = await import("./fixture.ts");

const text = (count: number) => `networks:
  - { name: mainnet, url: "https://api.example", budget: { per_minute: 100, per_month: 1000000 } }
shard: { index: hostname, count: ${count} }
`;

test.each([1, 4])("commands for the first shard and for the whole run on it: %i shards", async (count) => {
  expect((await configOf(text(count), { part: "any" })).shard?.index ?? 0).toBe(0);
  expect((await configOf(text(count), { part: "whole" })).shard).toBeUndefined();
});

test.each([1, 4])("an exporter does not start on it: %i shards", async (count) => {
  await expect(configOf(text(count))).rejects.toThrow(`expected less than count (${count}), found 12`);
});

test("if it is a shard, commands use its part", async () => {
  expect((await configOf(text(13), { part: "any" })).shard).toEqual({ index: 12, count: 13 });
});
