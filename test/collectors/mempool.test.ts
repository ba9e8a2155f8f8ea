import { expect, test } from "@jest/globals";
import { fees } from "../../src/collectors/fees.ts";
import { mempool } from "../../src/collectors/mempool.ts";
import { type Canned, cannedApi, captured } from "../support/canned-api.ts";
import { CollectorRun } from "../support/collect.ts";
import { expectGolden } from "../support/golden.ts";

const row = { no_priority: 1, low_priority: 2, medium_priority: 3, high_priority: 4 };
const zeros = { no_priority: 0, low_priority: 0, medium_priority: 0, high_priority: 0 };

/** The page after one poll. */
const polled = async (collector: object, json: unknown) => {
  const api = cannedApi(() => ({ json }));
  const run = new CollectorRun(collector, api);
  const { page } = await run.poll();
  return { page, drift: api.drift, failures: run.failures, saved: run.saved };
};

test.each([
  { collector: mempool, name: "mempool-stats.ok" },
  { collector: mempool, name: "mempool-stats.empty-mempool" },
  { collector: fees, name: "mempool-fees.ok" },
  { collector: fees, name: "mempool-fees.empty-mempool" },
] as const)("samples of captured responses: $name", async ({ collector, name }) => {
  expectGolden(name, (await polled(collector, captured(name).json)).page);
});

test("only responses that differ count as changed", async () => {
  const [one, other] = ["mempool-stats.ok", "mempool-stats.empty-mempool"] as const;
  let canned: Canned = { status: 500 };
  const api = cannedApi(() => canned);
  const run = new CollectorRun(mempool, api);
  for (const name of [one, one, other, other, one]) {
    canned = { json: captured(name).json };
    await run.poll();
  }

  expect(run.samples.get("mempool_snapshots_changed_total mempool_stats")).toBe(2);
});

test("unknown transaction types become label values, up to a limit, and count as drift", async () => {
  const types = Object.fromEntries(
    Array.from({ length: 20 }, (_, index) => [`new_${String(index).padStart(2, "0")}`, row]),
  );
  const { page, drift } = await polled(fees, { all: row, "Not a label": row, ...types });

  expect(page).toContain('tx_type="new_07",priority="high"} 4');
  expect(page).not.toMatch(/new_08|Not a label/);
  expect(drift).toEqual(new Array(21).fill("mempool_fees tx_type enum"));
});

test("new members that are not fees count as drift, and the fees are exposed", async () => {
  const { page, drift } = await polled(fees, { all: row, updated_at: 5, note: null, rows: { low: 1 } });

  expect(page).toContain('tx_type="all",priority="high"} 4');
  expect(page).not.toMatch(/updated_at|note|rows/);
  expect(drift).toEqual(new Array(3).fill("mempool_fees tx_type enum"));
});

test("a type whose four fees are 0 is absent, but a single fee of 0 is not", async () => {
  const { page } = await polled(fees, { all: { ...row, no_priority: 0 }, token_transfer: zeros });

  expect(page).toContain('tx_type="all",priority="no"} 0');
  expect(page).not.toContain("token_transfer");
});

test.each<[string, object, unknown]>([
  ["a fee above the supply", fees, { all: { ...row, high_priority: 4.1e15 } }],
  ["a negative fee", fees, { all: { ...row, low_priority: -1 } }],
  ["a fee that is text", fees, { all: { ...row, low_priority: "3000" } }],
  ["a known type without fees", fees, { all: row, token_transfer: 5 }],
  ["no `all`", fees, { token_transfer: row }],
  ["an array", fees, []],
  ["a fractional count", mempool, { tx_type_counts: { token_transfer: 1.5 }, tx_ages: {} }],
  ["a missing object", mempool, { tx_type_counts: {} }],
])("is rejected: %s", async (_, collector, json) => {
  expect(await polled(collector, json)).toMatchObject({ failures: [{ reason: "bad_body" }], page: "" });
});
