import { describe, expect, test } from "@jest/globals";
import type { AnyCollector } from "../../src/collectors/collector.ts";
import { fees as feesCollector } from "../../src/collectors/fees.ts";
import { mempool as mempoolCollector } from "../../src/collectors/mempool.ts";
import { Fixture, failure } from "../api/fixture.ts";
import { json } from "../api/scripted-server.ts";
import { type Canned, cannedApi, captured } from "../support/canned-api.ts";
import { expectGolden, textOf } from "../support/golden.ts";
import { observe } from "../support/observe.ts";

const mempool = mempoolCollector as AnyCollector;
const fees = feesCollector as AnyCollector;
const row = { no_priority: 1, low_priority: 2, medium_priority: 3, high_priority: 4 };
const zeros = { no_priority: 0, low_priority: 0, medium_priority: 0, high_priority: 0 };

describe("samples of captured responses:", () => {
  test.each([
    { collector: mempool, name: "mempool-stats.ok" },
    { collector: mempool, name: "mempool-stats.empty-mempool" },
    { collector: fees, name: "mempool-fees.ok" },
    { collector: fees, name: "mempool-fees.empty-mempool" },
  ] as const)("$name", async ({ collector, name }) => {
    const observation = await observe(
      collector,
      cannedApi(() => ({ json: captured(name).json })),
    );

    expectGolden(name, await textOf(collector, observation));
  });
});

test.each([
  [mempool, "mempool-stats.ok"],
  [fees, "mempool-fees.ok"],
] as const)("a 304 keeps the values (%#)", async (collector, name) => {
  let canned: Canned = { json: captured(name).json };
  const api = cannedApi(() => canned);
  const first = await observe(collector, api);
  canned = "unchanged";

  const second = await observe(collector, api, first);

  expect(await textOf(collector, second)).toBe(await textOf(collector, first));
});

test.each([
  [mempool, "mempool-stats.ok", "mempool-stats.empty-mempool"],
  [fees, "mempool-fees.ok", "mempool-fees.empty-mempool"],
] as const)("only responses that differ count as changed (%#)", async (collector, one, other) => {
  let name: string = one;
  const api = cannedApi(() => ({ json: captured(name).json }));
  let observation: unknown;
  for (name of [one, one, other, other, one]) observation = await observe(collector, api, observation);

  expect(await textOf(collector, observation)).toMatch(/^stacks_mempool_snapshots_changed_total\{.*\} 2$/m);
});

test("unknown transaction types become label values, up to a limit, and count as drift", async () => {
  const types = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`new_${String(index).padStart(2, "0")}`, row]),
  );
  const api = cannedApi(() => ({ json: { all: row, "Not a label": row, ...types } }));

  const text = await textOf(fees, await observe(fees, api));

  expect(text).toContain('tx_type="new_07",priority="high"} 4');
  expect(text).not.toContain("new_08");
  expect(text).not.toContain("Not a label");
  expect(api.drift).toHaveLength(9);
  expect(new Set(api.drift)).toEqual(new Set(["mempool_fees tx_type enum"]));
});

test.each([
  ["fees", fees, { all: row }],
  ["statistics", mempool, captured("mempool-stats.ok").json as object],
] as const)(
  "%s of more than 1 MiB are not read, although the limit of the network is 16 MiB",
  async (_, collector, body) => {
    await using f = await Fixture.start([json({ ...body, junk: "x".repeat(2 ** 20) })]);

    expect(await failure(observe(collector, f.api()))).toMatchObject({ reason: "too_large" });
  },
);

test("unknown members do not increase the size of the stored response", async () => {
  const junk = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`type_${index}`, {}]));
  const counts = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`type_${index}`, index]));
  const stats = captured("mempool-stats.ok").json as Readonly<Record<string, object>>;
  const fewKeys = (observation: unknown) => {
    const { body } = (observation as { snapshot: { body: Record<string, object> } }).snapshot;
    return [body, ...Object.values(body).filter((value) => value !== undefined)].map((one) => Object.keys(one).length);
  };

  const keptFees = await observe(
    fees,
    cannedApi(() => ({ json: { all: row, ...junk } })),
  );
  const tx_type_counts = { ...stats.tx_type_counts, ...counts };
  const keptStats = await observe(
    mempool,
    cannedApi(() => ({ json: { ...stats, tx_type_counts } })),
  );

  expect(Math.max(...fewKeys(keptFees), ...fewKeys(keptStats))).toBeLessThanOrEqual(13);
});

test("new members that are not fees count as drift, and the fees are exposed", async () => {
  const api = cannedApi(() => ({ json: { all: row, updated_at: 5, note: null, rows: { low: 1 } } }));

  const text = await textOf(fees, await observe(fees, api));

  expect(text).toContain('tx_type="all",priority="high"} 4');
  expect(text).not.toMatch(/updated_at|note|rows/);
  expect(api.drift).toEqual(Array.from({ length: 3 }, () => "mempool_fees tx_type enum"));
});

test("a type whose four fees are 0 is absent, but a single fee of 0 is not", async () => {
  const api = cannedApi(() => ({ json: { all: { ...row, no_priority: 0 }, token_transfer: zeros } }));

  const text = await textOf(fees, await observe(fees, api));

  expect(text).toContain('tx_type="all",priority="no"} 0');
  expect(text).not.toContain("token_transfer");
});

test.each<[string, AnyCollector, unknown]>([
  ["a negative fee", fees, { all: { ...row, low_priority: -1 } }],
  ["a fee that is text", fees, { all: { ...row, low_priority: "3000" } }],
  ["a known type without fees", fees, { all: row, token_transfer: 5 }],
  ["no `all`", fees, { token_transfer: row }],
  ["an array", fees, []],
  [
    "a fractional count",
    mempool,
    { tx_type_counts: { token_transfer: 1.5 }, tx_simple_fee_averages: {}, tx_ages: {}, tx_byte_sizes: {} },
  ],
  ["a missing object", mempool, { tx_type_counts: {}, tx_simple_fee_averages: {}, tx_ages: {} }],
])("is rejected: %s", async (_, collector, json) => {
  await expect(
    observe(
      collector,
      cannedApi(() => ({ json })),
    ),
  ).rejects.toThrow();
});
