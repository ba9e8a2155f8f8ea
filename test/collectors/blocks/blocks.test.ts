import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { ApiError } from "../../../src/api/errors.ts";
import { blocks as blocksCollector } from "../../../src/collectors/blocks/blocks.ts";
import type { AnyCollector } from "../../../src/collectors/collector.ts";
import { type CannedApi, cannedApi, captured } from "../../support/canned-api.ts";
import { expectGolden, textOf } from "../../support/golden.ts";
import { ModelChain } from "../../support/model-chain.ts";
import { observe } from "../../support/observe.ts";
import { parseExposition } from "../../support/parser.ts";

const blocks = blocksCollector as AnyCollector;

async function valuesOf(observation: unknown): Promise<Map<string, number>> {
  const text = await textOf(blocks, observation);
  return new Map(
    parseExposition(text, "classic")
      .flatMap(({ samples }) => samples)
      .map(({ name, labels, value }) => [
        [name, ...[...labels].filter(([label]) => label !== "network").map(([, text]) => text)].join(" "),
        value,
      ]),
  );
}

const TIP = "stacks_chain_block_height block";
const COUNTERS = ["blocks", "transactions", "reorgs", "reorged_blocks", "skipped_blocks", "missing_blocks"] as const;

async function countersOf(observation: unknown): Promise<Record<string, number | undefined>> {
  const values = await valuesOf(observation);
  return Object.fromEntries(COUNTERS.map((name) => [name, values.get(`stacks_chain_${name}_total`)]));
}

describe("samples of captured responses:", () => {
  test("block-by-height", async () => {
    const api = cannedApi((url, operation) => {
      if (operation === "block_by_height") {
        if (url.endsWith("/60")) return { json: captured("block-by-height.ok-tip").json };
        if (url.endsWith("/61")) return { status: 404 };
      }
      return operation === "status" ? { json: captured("extended.ok").json } : { status: 410 };
    });

    expectGolden("block-by-height.ok-tip", await textOf(blocks, await observe(blocks, api)));
    expect(api.requests).toEqual([
      "blocks /extended/v2/blocks?limit=30",
      "status /extended",
      "block_by_height /extended/v1/block/by_height/60",
      "block_by_height /extended/v1/block/by_height/61",
      "block_by_height /extended/v1/block/by_height/60",
    ]);
  });

  test("extended-v2-blocks", async () => {
    const latest = captured("extended-v2-blocks.latest").json;
    const api = cannedApi((url, operation) => ({
      json: operation === "block" ? latest : { results: url.includes("offset") ? [] : [latest] },
    }));

    expectGolden("extended-v2-blocks.latest", await textOf(blocks, await observe(blocks, api)));
  });
});

const quiet = () => undefined;

/** Polls once per step, and returns the last observation; a failed poll does not change it. */
async function follow(
  chain: ModelChain,
  steps: readonly (() => void)[],
  options: object = {},
  api: CannedApi = cannedApi(chain.respond),
) {
  let observation: unknown;
  let now = 1_795_000_000_000;
  // With `probe`, it takes two polls to find the tip.
  for (const step of [quiet, ...steps]) {
    step();
    now += 60_000;
    observation = await observe(blocks, api, observation, { options, now }).catch((error: unknown) => {
      if (error instanceof ApiError) return observation;
      throw error;
    });
  }
  return observation;
}

describe.each(["extended", "probe"] as const)("followed by %s", (tip) => {
  test("counts each block after the first poll once", async () => {
    const chain = new ModelChain();
    chain.mine(40);
    const before = chain.blocks.length;

    const observation = await follow(chain, [quiet, quiet, () => chain.mine(5), quiet, () => chain.mine(1)], { tip });

    const mined = chain.blocks.slice(before);
    expect(await countersOf(observation)).toEqual({
      blocks: 6,
      transactions: mined.reduce((sum, { transactions }) => sum + transactions, 0),
      reorgs: 0,
      reorged_blocks: 0,
      skipped_blocks: 0,
      missing_blocks: 0,
    });
    const values = await valuesOf(observation);
    expect(values.get(TIP)).toBe(46);
    expect(values.get("stacks_chain_block_interval_seconds_count")).toBe(6);
    expect(values.get("stacks_chain_block_interval_seconds_sum")).toBe(
      (mined.at(-1)?.time ?? 0) - (chain.blocks[before - 1]?.time ?? 0),
    );
  });

  test.each([1, 2, 7])("detects a reorganisation of depth %i", async (depth) => {
    const chain = new ModelChain();
    chain.mine(40);

    const observation = await follow(chain, [quiet, () => chain.mine(10), () => chain.reorg(depth, 1), quiet], { tip });

    expect(await countersOf(observation)).toMatchObject({ reorgs: 1, reorged_blocks: depth, blocks: 10 + depth + 1 });
    expect((await valuesOf(observation)).get("stacks_chain_last_reorg_depth_blocks")).toBe(depth);
    expect((await valuesOf(observation)).get(TIP)).toBe(51);
  });

  test("counts no reorganisation when a server is behind", async () => {
    const chain = new ModelChain();
    chain.mine(40);
    const back = () => {
      chain.lag = 3;
    };
    const forth = () => {
      chain.lag = 0;
      chain.mine(2);
    };

    const observation = await follow(chain, [quiet, back, forth, back, forth], { tip });

    expect(await countersOf(observation)).toMatchObject({ reorgs: 0, blocks: 4, skipped_blocks: 0 });
  });

  test("ignores a reorganisation that the server does not confirm", async () => {
    const chain = new ModelChain();
    chain.mine(40);
    const unconfirmed = cannedApi((url, operation) =>
      operation === "block_by_hash" ? { json: { canonical: true } } : chain.respond(url, operation),
    );

    const observation = await follow(chain, [quiet, () => chain.reorg(2, 1)], { tip }, unconfirmed);

    expect(await countersOf(observation)).toMatchObject({ reorgs: 0, blocks: 0 });
  });

  test("counts the blocks that it skips when it is too far behind", async () => {
    const chain = new ModelChain();
    chain.mine(40);

    const observation = await follow(chain, [quiet, () => chain.mine(500), quiet, quiet, quiet], {
      tip,
      catch_up: 60,
      blocks_per_minute: 1_000,
    });

    const { blocks: read, skipped_blocks: skipped } = await countersOf(observation);
    expect((await valuesOf(observation)).get(TIP)).toBe(540);
    expect((read ?? 0) + (skipped ?? 0)).toBe(500);
    expect(skipped).toBeGreaterThan(300);
  });

  test("exposes the cost of a tenure only if its first block is known", async () => {
    const chain = new ModelChain();
    chain.mine(40, 1000);
    const ratio = "stacks_chain_tenure_execution_cost_ratio read_count";

    const within = await follow(chain, [quiet, () => chain.mine(3, 1000)], { tip, catch_up: 30 });
    const after = await follow(chain, [quiet, () => chain.mine(7), () => chain.mine(1, 1)], { tip, catch_up: 30 });

    expect((await valuesOf(within)).has(ratio)).toBe(false);
    const [first, ...rest] = chain.blocks.filter(({ burnHeight }) => burnHeight === chain.blocks.at(-1)?.burnHeight);
    expect(first).toBeDefined();
    expect((await valuesOf(after)).get(ratio)).toBe(((rest.length + 1) * 15) / 15_000);
  });

  test("exposes the total cost of all blocks, and the limit of a tenure", async () => {
    const chain = new ModelChain();
    chain.mine(40);

    const values = await valuesOf(
      await follow(chain, [quiet, () => chain.mine(7), () => chain.mine(3, 1)], { tip, catch_up: 30 }),
    );

    const total = "stacks_chain_execution_cost_total";
    expect(values.get(`${total} write_count`)).toBe(10 * 2);
    expect(values.get(`${total} read_length`)).toBe([41, 42, 43, 44, 45, 46, 47, 48, 49, 50].reduce((a, b) => a + b));
    expect(values.get("stacks_chain_tenure_execution_cost_limit write_count")).toBe(15_000);
  });

  test("fails while the server has no block, and follows the chain from its first one", async () => {
    const chain = new ModelChain();
    const api = cannedApi(chain.respond);

    await expect(observe(blocks, api, undefined, { options: { tip } })).rejects.toMatchObject({ reason: "empty" });
    expect((await valuesOf(await follow(chain, [quiet, () => chain.mine(3), quiet, quiet], { tip }))).get(TIP)).toBe(3);
  });
});

test("finds the tip of a long chain by bisection over several polls", async () => {
  const height = 1_234_567;
  const template = new ModelChain();
  template.mine(1);
  const api = cannedApi((url, operation) => {
    const requested = Number(url.split("/").at(-1));
    if (operation !== "block_by_height" || requested > height) return { status: 404 };
    const { json } = template.respond("/1", "block_by_height") as { json: object };
    return { json: { ...json, height: requested, hash: `0x${requested}`, parent_block_hash: `0x${requested - 1}` } };
  });
  let observation: unknown;
  for (let poll = 0; poll < 4; poll += 1)
    observation = await observe(blocks, api, observation, { options: { tip: "probe" } });

  expect((await valuesOf(observation)).get(TIP)).toBe(height);
  expect(api.requests.length).toBeLessThan(2 * Math.log2(height) + 4);
});

test("continues after a missing height", async () => {
  const chain = new ModelChain();
  chain.mine(40);
  const api = cannedApi((url, operation) => (url.endsWith("/42") ? { status: 404 } : chain.respond(url, operation)));
  let observation = await observe(blocks, api, undefined, { options: { tip: "probe" }, now: 1_795_000_400_000 });
  observation = await observe(blocks, api, observation, { options: { tip: "probe" }, now: 1_795_000_400_000 });
  chain.mine(5);
  for (const now of [1_795_000_460_000, 1_795_002_000_000, 1_795_002_060_000]) {
    observation = await observe(blocks, api, observation, { options: { tip: "probe" }, now });
  }

  expect(await countersOf(observation)).toMatchObject({ missing_blocks: 1, skipped_blocks: 0, blocks: 4 });
  expect((await valuesOf(observation)).get(TIP)).toBe(45);
});

test("a server that no longer has any block is behind", async () => {
  const chain = new ModelChain();
  chain.mine(40);
  const api = cannedApi(chain.respond);
  const observation = await observe(blocks, api, undefined, { options: { tip: "extended" } });
  chain.lag = 40;

  const next = observe(blocks, api, observation, { options: { tip: "extended" } });
  await expect(next).rejects.toMatchObject({ reason: "behind" });
});

test("continues after a reorganisation that is deeper than one poll can read", async () => {
  const chain = new ModelChain();
  chain.mine(40);
  let left = Number.POSITIVE_INFINITY;
  const api = cannedApi((url, operation) => {
    left -= 1;
    return left < 0 ? { status: 429 } : chain.respond(url, operation);
  });
  let observation = await observe(blocks, api, undefined, { options: { tip: "probe" } });
  for (let mined = 0; mined < 20; mined += 1) {
    chain.mine(1);
    observation = await observe(blocks, api, observation, { options: { tip: "probe" } });
  }
  chain.reorg(15, 3);
  left = 8;
  observation = await observe(blocks, api, observation, { options: { tip: "probe" } });
  left = 8;
  observation = await observe(blocks, api, observation, { options: { tip: "probe" } });

  expect((await valuesOf(observation)).get(TIP)).toBe(63);
  // Two of the eight requests are for the next block and the orphaned tip; six reach orphaned blocks.
  expect(await countersOf(observation)).toMatchObject({ reorgs: 1, reorged_blocks: 6, skipped_blocks: 0 });
});

describe("auto", () => {
  test("switches from the list to probing and back without a gap", async () => {
    const chain = new ModelChain();
    chain.mine(40);
    const api = cannedApi(chain.respond);
    let observation = await observe(blocks, api, undefined, { now: 1e12 });
    const poll = async (now: number) => {
      chain.mine(3);
      observation = await observe(blocks, api, observation, { now });
    };

    await poll(1e12 + 6e4);
    chain.status.set("blocks", 404);
    await poll(1e12 + 12e4);
    await poll(1e12 + 18e4);
    chain.status.clear();
    chain.status.set("block_by_height", 410);
    await poll(1e12 + 18e4 + 3_600_000);

    expect(await countersOf(observation)).toMatchObject({
      blocks: 12,
      reorgs: 0,
      skipped_blocks: 0,
      missing_blocks: 0,
    });
    const listed = api.requests.filter((request) => request.startsWith("blocks "));
    expect(listed).toHaveLength(4);
  });

  test("fails with `gone` when every operation is", async () => {
    const chain = new ModelChain();
    for (const operation of ["blocks", "block_by_height", "block", "status"]) chain.status.set(operation, 410);

    await expect(observe(blocks, cannedApi(chain.respond))).rejects.toMatchObject({ reason: "gone" });
  });
});

test("ignores a time that differs from its textual form", async () => {
  const json = { ...(captured("extended-v2-blocks.latest").json as object), block_time: 1_795_219_087_000 };
  const api = cannedApi((url, operation) => ({
    json: operation === "block" ? json : { results: url.includes("offset") ? [] : [json] },
  }));

  const text = await textOf(blocks, await observe(blocks, api));

  expect(text).not.toContain("stacks_chain_block_timestamp_seconds{");
  expect(text).toContain("stacks_chain_burn_block_timestamp_seconds{");
  expect(new Set(api.drift)).toEqual(new Set(["blocks block_time type", "block block_time type"]));
});

test("rejects blocks that are not linked", async () => {
  const chain = new ModelChain();
  chain.mine(10);
  chain.blocks[4] = { ...(chain.blocks[4] as (typeof chain.blocks)[0]), hash: "0xother" };

  await expect(observe(blocks, cannedApi(chain.respond))).rejects.toMatchObject({ reason: "bad_body" });
});

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
);

test.each(["extended", "probe", "auto"] as const)(
  "counters equal an independent count for any history (%s)",
  async (tip) => {
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 25 }), async (events) => {
        const chain = new ModelChain();
        chain.mine(50);
        let isFailing = false;
        const api = cannedApi((url, operation) => (isFailing ? { status: 500 } : chain.respond(url, operation)));
        let observation = await observe(blocks, api, undefined, { options: { tip }, now: 1e12 });
        observation = await observe(blocks, api, observation, { options: { tip }, now: 1e12 });
        // The independent count: the canonical blocks that the server returned in each poll.
        let known = chain.shown.slice(tip === "probe" ? -1 : 0);
        let [counted, reorged, reorgs] = [0, 0, 0];
        let now = 1e12;
        for (const happens of events) {
          isFailing = happens.kind === "fail";
          if (happens.kind === "mine") chain.mine(happens.count);
          if (happens.kind === "reorg") chain.reorg(happens.depth, happens.longer);
          if (happens.kind === "lag") chain.lag = happens.count;
          if (happens.kind === "list" && tip === "auto") {
            if (happens.status === undefined) chain.status.delete("blocks");
            else chain.status.set("blocks", happens.status);
          }
          now += 4_000_000;
          const next = await observe(blocks, api, observation, { options: { tip }, now }).catch(() => undefined);
          const shown = chain.shown;
          const shownTip = shown.at(-1)?.height ?? 0;
          const isBehind = shownTip < (known.at(-1)?.height ?? 0);
          expect(next === undefined).toBe(isFailing || isBehind);
          if (next === undefined) continue;
          observation = next;

          const values = await valuesOf(observation);
          const isKnown = (hash: string | undefined) => known.some((block) => block.hash === hash);
          const lowest = known[0]?.height ?? 0;
          const ancestor = shown.filter(({ hash }) => isKnown(hash)).at(-1)?.height ?? lowest - 1;
          const isLonger = shownTip > ancestor;
          if (isLonger) {
            const orphaned = known.filter(({ height }) => height > ancestor);
            reorged += orphaned.length;
            reorgs += orphaned.length > 0 ? 1 : 0;
            counted += shown.filter(({ height }) => height > ancestor).length;
            known = shown.filter(({ height }) => height >= lowest);
          }
          expect(values.get("stacks_chain_blocks_total")).toBe(counted);
          expect(values.get("stacks_chain_reorged_blocks_total")).toBe(reorged);
          expect(values.get("stacks_chain_reorgs_total")).toBe(reorgs);
          expect(values.get(TIP)).toBe(known.at(-1)?.height);
          expect(values.get("stacks_chain_skipped_blocks_total")).toBe(0);
        }
      }),
      { numRuns: 150, seed: 7 },
    );
  },
);
