import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { blocks } from "../../../src/collectors/blocks/blocks.ts";
import type { MinedTransaction } from "../../../src/collectors/transactions/source.ts";
import { type CannedApi, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun, type Samples } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";
import { ModelChain } from "../../support/model-chain.ts";

const TIP = "chain_block_height block";
const COUNTERS = ["blocks", "transactions", "reorgs", "reorged_blocks", "skipped_blocks"] as const;
const NONE = { reorgs: 0, reorged_blocks: 0, skipped_blocks: 0 };
const countersOf = (samples: Samples) =>
  Object.fromEntries(COUNTERS.map((name) => [name, samples.get(`chain_${name}_total`)]));

/** A chain of blocks, and polls of it a minute apart. */
function following(
  mined: number,
  { tip, ...options }: { tip?: string; [name: string]: unknown } = {},
  apiOf?: (chain: ModelChain) => CannedApi,
  burnEvery?: number,
) {
  const chain = new ModelChain();
  if (tip === "heights") chain.status.set("blocks", 404);
  if (mined > 0) chain.mine(mined, burnEvery);
  const api = apiOf?.(chain) ?? cannedApi(chain.respond);
  let now = 1_795_000_000_000;
  const run = new CollectorRun(blocks, api, () => {
    now += 60_000;
    return { options, now };
  });
  /** Polls after each change. */
  const pollAfter = async (...changes: readonly (() => void)[]) => {
    for (const change of changes) {
      change();
      await run.poll();
    }
    return run.samples;
  };
  return { chain, api, run, pollAfter };
}

describe("samples of captured responses:", () => {
  test("block-by-height", async () => {
    const api = cannedApi((url, operation) => {
      if (operation === "block_by_height") {
        return url.endsWith("/60") ? { json: captured("block-by-height.ok-tip").json } : { status: 404 };
      }
      return operation === "status" ? { json: captured("extended.ok").json } : { status: 410 };
    });
    const run = new CollectorRun(blocks, api);
    await run.poll();

    expectGolden("block-by-height.ok-tip", run.page());
    expect(api.requests).toEqual([
      "blocks /extended/v2/blocks?limit=30",
      "status /extended",
      "block_by_height /extended/v1/block/by_height/60",
      "block_by_height /extended/v1/block/by_height/59",
    ]);
  });

  /** A server whose only block is this one. */
  const latestOf = (more: object) => {
    const json = { ...(captured("extended-v2-blocks.latest").json as object), ...more };
    return cannedApi((url, operation) => ({
      json: operation === "block_by_height" ? { ...json, txs: [] } : { results: url.includes("offset") ? [] : [json] },
    }));
  };

  test("extended-v2-blocks", async () => {
    const run = new CollectorRun(blocks, latestOf({}));
    await run.poll();
    expectGolden("extended-v2-blocks.latest", run.page());
  });

  test("a time that differs from its textual form is ignored", async () => {
    const api = latestOf({ block_time: 1_795_219_087_000 });
    const samples = await new CollectorRun(blocks, api).poll();

    expect(samples.get("chain_block_timestamp_seconds")).toBeUndefined();
    expect(samples.get("chain_burn_block_timestamp_seconds")).toBeGreaterThan(0);
    expect(new Set(api.drift)).toEqual(new Set(["blocks block_time type", "block_by_height block_time type"]));
  });
});

describe.each(["list", "heights"] as const)("followed by %s", (tip) => {
  async function started(options: object = {}, apiOf?: (chain: ModelChain) => CannedApi, burnEvery?: number) {
    const followed = following(40, { tip, ...options }, apiOf, burnEvery);
    await followed.run.polls(2);
    return followed;
  }

  test("ignores a reorganisation that the server does not confirm", async () => {
    const { chain, pollAfter } = await started({}, (chain) =>
      cannedApi((url, operation) =>
        operation === "block_by_hash" ? { json: { canonical: true } } : chain.respond(url, operation),
      ),
    );

    expect(countersOf(await pollAfter(() => chain.reorg(2, 1)))).toMatchObject({ reorgs: 0, blocks: 0 });
  });

  const RATIO = "chain_tenure_execution_cost_ratio read_count";
  test("exposes the cost since the budget was renewed, by dimension, if that is known", async () => {
    const { chain, run, pollAfter } = await started({ catch_up: 30 });
    expect((await pollAfter(() => chain.mine(7))).get(RATIO)).toBeUndefined();

    const row = (height: number, cause: string) => ({ height, cause }) as MinedTransaction;
    const rows = [row(47, "extended_read_count"), row(46, "block_found")];
    const samples = await run.poll({ mined: { rows, readAt: 1 } });
    expect(samples.get(RATIO)).toBe(15 / 30_000);
    expect(samples.get("chain_tenure_execution_cost_ratio write_count")).toBe((2 * 2) / 15_000);
  });

  test("exposes the total cost of all blocks, and the limit of a tenure", async () => {
    const { chain, pollAfter } = await started({ catch_up: 30 });
    const samples = await pollAfter(
      () => chain.mine(7),
      () => chain.mine(3, 1),
    );

    expect(samples.get("chain_execution_cost_total write_count")).toBe(10 * 2);
    const lengths = [41, 42, 43, 44, 45, 46, 47, 48, 49, 50].reduce((a, b) => a + b);
    expect(samples.get("chain_execution_cost_total read_length")).toBe(lengths);
    expect(samples.get("chain_tenure_execution_cost_limit write_count")).toBe(15_000);
  });

  test("fails while the server has no block, and follows the chain from its first one", async () => {
    const { chain, run } = following(0, { tip });
    await run.poll();
    expect(run.failures).toMatchObject([{ reason: "empty" }]);
    expect(run.failures[0]?.message).toContain("the server has no block yet");
    chain.mine(3);

    expect((await run.polls(3)).get(TIP)).toBe(3);
  });

  test("a server that no longer has any block is behind", async () => {
    const { chain, run, pollAfter } = await started();
    await pollAfter(() => {
      chain.lag = 40;
    });
    expect(run.failures).toMatchObject([{ reason: "behind" }]);
  });
});

describe("the operations", () => {
  test("switch from the list to heights and back without a gap", async () => {
    const { chain, api, run } = following(40);
    const poll = (now: number) => {
      chain.mine(3);
      return run.poll({ now });
    };
    await run.poll({ now: 1e12 });
    await poll(1e12 + 6e4);
    chain.status.set("blocks", 404);
    await poll(1e12 + 12e4);
    await poll(1e12 + 18e4);
    chain.status.clear();
    chain.status.set("block_by_height", 410);
    const samples = await poll(1e12 + 18e4 + 3_600_000);

    expect(countersOf(samples)).toMatchObject({ ...NONE, blocks: 12 });
    expect(api.requests.filter((request) => request.endsWith("blocks?limit=30"))).toHaveLength(5);
  });

  test("fail with `gone` when every operation is", async () => {
    const { chain, run } = following(0);
    for (const operation of ["blocks", "block_by_height", "block", "status"]) chain.status.set(operation, 410);
    await run.poll();
    expect(run.failures).toMatchObject([{ reason: "gone" }]);
  });
});

test("rejects blocks that are not linked", async () => {
  const { chain, run } = following(10);
  chain.blocks[4] = { ...(chain.blocks[4] as (typeof chain.blocks)[0]), hash: "0xother" };
  await run.poll();
  expect(run.failures).toMatchObject([{ reason: "bad_body" }]);
});

test.each([{ tx_count: 9e15 }, { execution_cost_runtime: 9e15 }])(
  "rejects a block that no chain has, %j, and keeps its totals",
  async (lie) => {
    let isLie = false;
    const { chain, run, pollAfter } = following(10, {}, ({ respond }) =>
      cannedApi((url, operation) => {
        const response = respond(url, operation);
        if (!isLie || response === "unchanged" || !("json" in response)) return response;
        const { results } = response.json as { results: object[] };
        return { json: { results: [{ ...results[0], ...lie }, ...results.slice(1)] } };
      }),
    );
    const before = countersOf(await pollAfter(() => {}));
    isLie = true;
    const after = countersOf(await pollAfter(() => chain.mine(1)));
    expect(after).toEqual(before);
    expect(run.failures).toMatchObject([{ reason: "bad_body" }]);
  },
);

const event = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("mine" as const), count: fc.nat(12) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("reorg" as const),
      depth: fc.integer({ min: 1, max: 20 }),
      longer: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("lag" as const), count: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("list" as const), status: fc.constantFrom(undefined, 404, 410) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: "fail" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) },
);

test.each(["list", "heights", "either"] as const)(
  "counters equal an independent count for any history (%s)",
  async (tip) => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        let isFailing = false;
        const { chain, run } = following(50, { tip }, (chain) =>
          cannedApi((url, operation) => (isFailing ? { status: 500 } : chain.respond(url, operation))),
        );
        let now = 1_795_219_200_000;
        await run.polls(2, { now });
        // The independent count: the canonical blocks that the server returned in each poll.
        let known = chain.shown;
        let [counted, reorged, reorgs, failed] = [0, 0, 0, 0];
        for (const happens of events) {
          isFailing = happens.kind === "fail";
          if (happens.kind === "mine") chain.mine(happens.count);
          if (happens.kind === "reorg") chain.reorg(happens.depth, happens.longer);
          if (happens.kind === "lag") chain.lag = happens.count;
          if (happens.kind === "restart") run.restart();
          if (happens.kind === "list" && tip === "either") {
            if (happens.status === undefined) chain.status.delete("blocks");
            else chain.status.set("blocks", happens.status);
          }
          now += 4_000_000;
          const samples = await run.poll({ now });
          const shown = chain.shown;
          const shownTip = shown.at(-1)?.height ?? 0;
          const isBehind = shownTip < (known.at(-1)?.height ?? 0);
          if (isFailing || isBehind) failed += 1;
          expect(run.failures).toHaveLength(failed);
          if (isFailing || isBehind) continue;

          const isKnown = (hash: string | undefined) => known.some((block) => block.hash === hash);
          const lowest = known[0]?.height ?? 0;
          const ancestor = shown.filter(({ hash }) => isKnown(hash)).at(-1)?.height ?? lowest - 1;
          if (shownTip > ancestor) {
            const orphaned = known.filter(({ height }) => height > ancestor);
            reorged += orphaned.length;
            reorgs += orphaned.length > 0 ? 1 : 0;
            counted += shown.filter(({ height }) => height > ancestor).length;
            known = shown.filter(({ height }) => height >= lowest);
          }
          expect(countersOf(samples)).toMatchObject({
            ...NONE,
            blocks: counted,
            reorged_blocks: reorged,
            reorgs,
          });
          expect(samples.get(TIP)).toBe(known.at(-1)?.height);
        }
      }),
      { numRuns: 150, seed: 7 },
    );
  },
);
