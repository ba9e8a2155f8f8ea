// Arbitrary JSON in every response: it is either rejected, or the metrics page passes a strict parser.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { targetsOf } from "../../src/collectors/collector.ts";
import { collectors } from "../../src/collectors/index.ts";
import { cannedApi, captured } from "../support/canned-api.ts";
import { CollectorRun } from "../support/collect.ts";
import { chainOf } from "../support/known-chain.ts";
import { parseExposition } from "../support/parser.ts";
import { POX } from "../support/pox.ts";

const GOOD: Readonly<Record<string, readonly unknown[]>> = {
  fees: [captured("mempool-fees.ok").json],
  mempool: [captured("mempool-stats.ok").json],
  blocks: [
    { results: [captured("extended-v2-blocks.latest").json] },
    captured("block-by-height.ok-tip").json,
    captured("block-by-hash.ok-tip").json,
    captured("extended.ok").json,
  ],
  addresses: [
    // The captured page is served as the whole list.
    { ...(captured("address-transactions.ok-default").json as object), limit: 50 },
    captured("transactions-with-transfers.ok-default").json,
    captured("address-tx-events.mixed").json,
    captured("v3-transaction-events.mined").json,
    { ...(captured("extended-v3-principal-transactions").json as object), cursor: { next: null } },
  ],
  balances: [captured("v3-balances-stx.pending").json, captured("v3-balances-ft.account").json],
  staking: [captured("v3-principal-staking.unused").json],
  pox: [POX],
  waiting: [
    { ...(captured("v3-principal-mempool.pending").json as object), cursor: { next: null } },
    captured("v3-nonces.pending").json,
    captured("v3-transaction.mined").json,
  ],
  contracts: [
    { ...(captured("contract-events.ok-default").json as object), limit: 50 },
    captured("v2-logs.cursors").json,
    captured("v3-transaction.mined").json,
  ],
  contract_calls: [
    { ...(captured("address-transactions.ok-default").json as object), limit: 50 },
    { ...(captured("extended-v3-principal-transactions").json as object), cursor: { next: null } },
  ],
  // The captured page is served as the whole list.
  transactions: [{ ...(captured("v3-transactions.limit50").json as object), cursor: { next: null } }],
  mempool_transactions: [
    { ...(captured("v3-mempool-transactions.first-page").json as object), cursor: { next: null } },
  ],
};

const SHAPE: Readonly<Record<string, number>> = {
  block_by_height: 1,
  block_by_hash: 2,
  block: 2,
  status: 3,
  transactions_with_transfers: 1,
  address_transaction_events: 2,
  transaction_events: 3,
  principal_transactions: 4,
  token_balances: 1,
  principal_nonces: 1,
  transaction: 2,
  contract_logs: 1,
};

// The tip of every list. No captured transaction is in that block.
const TIP = `0x${"1".repeat(64)}`;

const OPTIONS: Readonly<Record<string, (isOther: boolean) => object>> = {
  blocks: () => ({ catch_up: 3 }),
  addresses: () => ({ backfill: "all" }),
  balances: () => ({ addresses: "all" }),
  waiting: () => ({ addresses: "all" }),
  staking: () => ({ addresses: "all" }),
};

const WATCHED = {
  name: "mainnet",
  confirmations: 1,
  addresses: [{ principal: "ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14", name: "a", group: "", labels: {} }],
  contracts: [{ principal: "ST3J3ABAWHGKC812CJ2CQ18JKZ5S5HEK49XRT4DCM.logger", name: "c", group: "", labels: {} }],
  assets: [{ id: "SPYBWR5611F6BK794ZM384GNCAPF46CCTAFWPCNV.token::tok", name: undefined, decimals: undefined }],
};

const odd = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    undefined,
    "",
    "0",
    -1,
    0,
    1.5,
    1e21,
    -1e300,
    2 ** 53,
    true,
    [],
    {},
    "constructor",
    "__proto__",
  ),
  fc.jsonValue(),
  fc.double(),
  fc.string({ unit: "binary" }),
);

/** A valid response with some of its values or keys replaced. */
function spoiled(good: unknown): fc.Arbitrary<unknown> {
  const walk = (value: unknown, random: () => number, oddOnes: readonly unknown[], rate: number): unknown => {
    if (random() < rate) return oddOnes[Math.floor(random() * oddOnes.length)];
    if (Array.isArray(value)) return value.map((item) => walk(item, random, oddOnes, rate));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).flatMap(([key, item]): [string, unknown][] => {
      const luck = random();
      if (luck < rate / 4) return [];
      return [[luck < rate / 2 ? String(oddOnes[0]) : key, walk(item, random, oddOnes, rate)]];
    });
    return Object.fromEntries(entries);
  };
  return fc
    .tuple(fc.integer(), fc.array(odd, { minLength: 6, maxLength: 6 }), fc.constantFrom(0.0002, 0.002, 0.02, 0.08))
    .map(([seed, oddOnes, rate]) => walk(good, uniform(seed), oddOnes, rate));
}

// Uniform, unlike the numbers of fast-check.
function uniform(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

test.each(collectors.map((collector) => ({ name: collector.name, collector })))(
  "$name",
  async ({ name, collector }) => {
    const bodiesOf = (GOOD[name] ?? []).map((good) =>
      fc.oneof(
        { weight: 9, arbitrary: spoiled(good) },
        { weight: 1, arbitrary: fc.jsonValue() as fc.Arbitrary<unknown> },
      ),
    );
    expect(bodiesOf.length).toBeGreaterThan(0);
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.tuple(...bodiesOf), fc.boolean(), async (bodies, isOther) => {
        const api = cannedApi((_, operation) => {
          // Rows of the first poll do not count.
          const isFirst = ["contracts", "contract_calls", "transactions"].includes(name) && !hasPolled;
          const none = { results: [], total: 0, limit: 50, cursor: { next: null } };
          const shape = name === "contract_calls" && operation === "principal_transactions" ? 1 : SHAPE[operation];
          return { json: isFirst ? none : bodies[shape ?? 0], etag: `"${TIP}"` };
        });
        api.retired.add(isOther ? "address_transactions" : "contract_logs");
        let hasPolled = false;
        const options = OPTIONS[name]?.(isOther) ?? {};
        const targets = targetsOf(collector, WATCHED, collector.options?.parse(options));
        const [target = { key: "", confirmations: 6 }] = targets;
        const run = new CollectorRun(collector, api, { options, target });
        // The tip moves on, so that everything has its confirmations.
        for (const tipHeight of [60, 90, 120]) {
          await run.poll({ chain: chainOf(tipHeight, [[57, { indexHash: TIP }]]) });
          if (run.failures.length > 0) return;
          hasPolled = true;
          run.restart();
        }
        accepted += 1;
        const text = run.samples.page;
        for (const { name, samples } of parseExposition(text, "classic")) {
          // Only the net flow can be negative.
          if (!name.includes("net_flow")) for (const { value } of samples) expect(value).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 300, seed: 11 },
    );
    expect(accepted).toBeGreaterThan(5);
  },
);
