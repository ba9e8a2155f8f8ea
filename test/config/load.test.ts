// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the syntax of the file
import { resolve } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { formatErrors } from "../../src/config/errors.ts";
import { formatDuration } from "../../src/config/interval.ts";
import { dataOf } from "../support/data.ts";
import { collectorOf, collectors, configOf, load, PLANTED } from "./fixture.ts";

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

test("all errors are reported at once, in the order of the file", async () => {
  const text = `lissen: ":1"
networks:
  - name: mainnet
    url: https://user:planted-secret@api.hiro.so
    api_key: planted-secret
    budget: { per_minute: ten, per_mont: 1 }
  - name: mainnet
    url: http://localhost:3999
    api_key: \${NOT_SET}
collectors:
  mempool: { every: 5m, schedule: "*/45 * * * * *" }
  blocks: { every: 10m, max_age: 9m, tip: prob }
  fees: { every: 25h }
`;

  const loaded = await load(text);

  const reported = loaded.ok ? "" : formatErrors(loaded.errors);
  expect(reported.split("\n").map((line) => line.split(": ").slice(0, 2).join(" "))).toEqual(
    [
      "1:1 lissen",
      "4:10 networks[0].url",
      "5:14 networks[0].api_key",
      "6:27 networks[0].budget.per_minute",
      "6:32 networks[0].budget.per_mont",
      "7:11 networks[1].name",
      "9:14 networks[1].api_key",
      "11:25 collectors.mempool.schedule",
      "12:25 collectors.blocks.max_age",
      "12:43 collectors.blocks.tip",
      "13:18 collectors.fees.every",
    ].map((line) => `/etc/stacks/stacks-exporter.yaml:${line}`),
  );
  expect(reported).not.toMatch(PLANTED);
});
