// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { formatDuration } from "../../src/config/interval.ts";
import { dataOf } from "../support/data.ts";
import { collectorOf, collectors, configOf } from "./fixture.ts";

const network = (lines = "") => `networks:\n  - name: mainnet\n    url: https://api.hiro.so\n${lines}`;

describe("defaults", () => {
  test("without a file, mainnet is watched without a key", async () => {
    const config = await configOf(undefined);

    const defaults = dataOf<object>("defaults.yaml", import.meta.url);
    expect(config).toEqual({ ...defaults, statePath: resolve("data/state.db") });
  });

  test.each([
    ["an empty file", ""],
    ["a file of comments", "# nothing yet\n"],
    ["a byte order mark", "\uFEFF"],
    ["a group set to its default", "state: { path: data/state.db }"],
    ["empty groups", "state:\nweb:\ncollectors:\n  fees:\n  blocks:\n    tenure_limits:\n"],
  ])("%s means the defaults", async (_, text) => {
    expect(await configOf(text)).toEqual(await configOf(undefined));
  });

  test.each(["state: memory", "state: { path: memory }"])("%s keeps nothing", async (text) => {
    expect((await configOf(text)).statePath).toBeUndefined();
  });

  test("the default timeout is at most the interval, and the default maximum age follows the schedule", async () => {
    expect(await collectorOf("collectors: { fees: { every: 5s } }", "fees")).toMatchObject({
      timeoutMs: 5000,
      maxAgeMs: 15_000,
    });
    expect(await collectorOf('collectors: { fees: { schedule: "0,10 * * * * *" } }', "fees")).toMatchObject({
      intervalMs: 50_000,
      maxAgeMs: 150_000,
    });
  });
});

const [keyless, freeKey] = [
  { perMinute: 25, perMonth: undefined },
  { perMinute: 900, perMonth: 150_000 },
];

test.each([
  ["", keyless],
  ["api_key: ${GOOD_KEY}", freeKey],
  ["api_key_file: good", freeKey],
  ["budget: { per_minute: 600 }", { ...keyless, perMinute: 600 }],
  ["budget: { per_minute: 600 }\n    api_key: ${GOOD_KEY}", { ...freeKey, perMinute: 600 }],
  ["budget: { per_month: 9 }", { ...keyless, perMonth: 9 }],
  ["budget: { per_month: unlimited }\n    api_key: ${GOOD_KEY}", { ...freeKey, perMonth: undefined }],
])("the budget with %j", async (lines, budget) => {
  const { networks } = await configOf(network(`    ${lines}\n`));

  expect(networks[0]?.upstreams[0].budget).toEqual(budget);
});

const schedulesOf = async (text: string) => {
  const { networks } = await configOf(text);
  return networks[0]?.collectors.map(({ intervalMs }) => formatDuration(intervalMs));
};
const hiro = "{ name: b, url: 'https://b', api_key_file: good }";

test.each([
  ["no key", network(), "keyless"],
  ["a key", network("    api_key: ${GOOD_KEY}\n"), "free_key"],
  [
    "a key and no limit of the month",
    network("    api_key_file: good\n    budget: { per_month: unlimited }\n"),
    "keyless",
  ],
  ["25 requests a minute in a month", network("    budget: { per_month: 1116000 }\n"), "keyless"],
  ["fewer", network("    budget: { per_month: 1115999 }\n"), "free_key"],
  ["another number for the minute", network("    api_key: ${GOOD_KEY}\n    budget: { per_minute: 9 }\n"), "free_key"],
  ["a fallback with a key", network(`    fallbacks: [${hiro}]\n`), "keyless"],
])("default schedules with %s", async (_, text, preset) => {
  expect(await schedulesOf(text)).toEqual(preset === "keyless" ? ["30s", "1m30s", "2m"] : ["10m", "5m", "2m"]);
});

test("the collector that follows the chain is polled for those that count, and not exposed, if it is disabled", async () => {
  const marked = collectors.map((one) => ({
    ...one,
    ...(one.name === "fees" && { counts: { identity: () => ({}) } }),
    isFollower: one.name === "blocks",
  }));
  const polled = async (text: string) => {
    const config = await configOf(`collectors: ${text}`, { collectors: marked });
    return config.networks[0]?.collectors.map(({ name, isHidden = false }) => [name, isHidden]);
  };

  expect(await polled("{ mempool: { enabled: false }, blocks: { enabled: false } }")).toEqual([
    ["fees", false],
    ["blocks", true],
  ]);
  expect(await polled("{ fees: { enabled: false }, blocks: { enabled: false } }")).toEqual([["mempool", false]]);
});
