import { describe, expect, test } from "@jest/globals";
import { DIMENSIONS, type TenureLimits } from "../../../src/chain/block-source.ts";
import { blocks } from "../../../src/collectors/blocks/blocks.ts";
import type { MinedTransaction } from "../../../src/collectors/transactions/source.ts";
import { type CannedApi, cannedApi, captured } from "../../support/canned-api.ts";
import { CollectorRun } from "../../support/collect.ts";
import { expectGolden } from "../../support/golden.ts";
import { ModelWorld, type WorldBlock } from "../../support/model-world.ts";

const empty = (count: number) => new Array<number>(count).fill(0);

/** A world of blocks, and polls of it half a minute apart. */
function following(mined: number, tip = "list", options: object = {}, apiOf?: (world: ModelWorld) => CannedApi) {
  const world = new ModelWorld();
  if (tip === "heights") world.status.set("blocks", 404);
  world.mine(empty(mined));
  const api = apiOf?.(world) ?? cannedApi(world.respond, () => world.now);
  const run = new CollectorRun(blocks, api, () => {
    world.now += 30_000;
    return { options, now: world.now };
  });
  const counters = () => {
    const names = ["blocks", "reorgs", "reorged_blocks", "skipped_blocks"] as const;
    return names.map((name) => run.samples.get(`chain_${name}_total`));
  };
  const height = () => run.samples.get("chain_block_height");
  return { world, api, run, counters, height, reasons: () => run.failures.map(({ reason }) => reason) };
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

    expectGolden("block-by-height.ok-tip", run.samples.page);
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
    expectGolden("extended-v2-blocks.latest", run.samples.page);
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
  async function started(options: object = { catch_up: 30 }, apiOf?: (world: ModelWorld) => CannedApi) {
    const followed = following(40, tip, options, apiOf);
    await followed.run.polls(2);
    return followed;
  }

  test("counts new blocks, reorganisations and the blocks that they replace", async () => {
    const { world, run, counters, height } = await started();
    world.mine(empty(7));
    await run.poll();
    // The chain is one block longer after each.
    for (const depth of [2, 3]) {
      world.reorg(depth, []);
      await run.poll();
      run.restart();
    }
    await run.poll();

    expect([height(), ...counters()]).toEqual([49, 7 + 3 + 4, 2, 2 + 3, 0]);
  });

  test("ignores a reorganisation that the server does not confirm", async () => {
    const { world, run, counters } = await started({}, (world) =>
      cannedApi((url, operation) =>
        operation === "block_by_hash" ? { json: { canonical: true } } : world.respond(url, operation),
      ),
    );
    world.reorg(2, []);
    await run.poll();

    expect(counters()).toEqual([0, 0, 0, 0]);
  });

  const RATIO = "chain_tenure_execution_cost_ratio read_count";
  test("exposes the cost since the budget was renewed, by dimension, if that is known", async () => {
    const { world, run } = await started();
    world.mine(empty(7));
    expect((await run.poll()).get(RATIO)).toBeUndefined();

    const row = (height: number, cause: string) => ({ height, cause }) as MinedTransaction;
    const rows = [row(47, "extended_read_count"), row(46, "block_found")];
    const samples = await run.poll({ mined: { rows, readAt: world.now } });
    expect(samples.get(RATIO)).toBe(15 / 30_000);
    expect(samples.get("chain_tenure_execution_cost_ratio write_count")).toBe((2 * 2) / 15_000);
    // A block above those that are listed can have renewed the budget.
    world.mine(empty(1));
    expect((await run.poll({ mined: { rows, readAt: world.now } })).get(RATIO)).toBe(15 / 30_000);
    // Renewals since then are unknown.
    expect((await run.poll({ mined: { rows, readAt: world.now - 600_000 } })).get(RATIO)).toBeUndefined();
  });

  test("uses the limits that the node reports, instead of those of the configuration", async () => {
    const { world, run } = await started();
    world.mine(empty(7));
    const tenureLimits = { ...Object.fromEntries(DIMENSIONS.map((one) => [one, 10])), read_count: 60 } as TenureLimits;
    const rows = [{ height: 47, cause: "block_found" }] as MinedTransaction[];
    const samples = await run.poll({ mined: { rows, readAt: world.now }, tenureLimits });

    expect(samples.get("chain_tenure_execution_cost_limit read_count")).toBe(60);
    expect(samples.get(RATIO)).toBe(15 / 60);
  });

  test("exposes the total cost of all blocks, and the limit of a tenure", async () => {
    const { world, run } = await started();
    world.mine(empty(10));
    const samples = await run.poll();

    expect(samples.get("chain_execution_cost_total write_count")).toBe(10 * 2);
    const lengths = [41, 42, 43, 44, 45, 46, 47, 48, 49, 50].reduce((a, b) => a + b);
    expect(samples.get("chain_execution_cost_total read_length")).toBe(lengths);
    expect(samples.get("chain_tenure_execution_cost_limit write_count")).toBe(15_000);
  });

  test("fails while the server has no block, and follows the chain from its first one", async () => {
    const { world, run, height } = following(0, tip);
    await run.poll();
    expect(run.failures).toMatchObject([{ reason: "empty" }]);
    expect(run.failures[0]?.message).toContain("the server has no block yet");
    world.mine(empty(3));
    await run.polls(3);

    expect(height()).toBe(3);
  });

  test("a server that no longer has any block is behind", async () => {
    const { world, run, reasons } = await started();
    world.serve({ kind: "empty" });
    await run.poll();

    expect(reasons()).toEqual(["behind"]);
  });
});

describe("the operations", () => {
  test("switch from the list to heights and back without a gap", async () => {
    const { world, api, run, counters } = following(40);
    const poll = async () => {
      world.mine(empty(3));
      await run.poll();
    };
    await run.poll();
    await poll();
    world.status.set("blocks", 404);
    await poll();
    await poll();
    world.status.clear();
    world.status.set("block_by_height", 410);
    world.now += 3_600_000;
    await poll();

    expect(counters()).toEqual([12, 0, 0, 0]);
    expect(api.requests.filter((request) => request.endsWith("blocks?limit=30"))).toHaveLength(5);
  });

  test("fail with `gone` when every operation is", async () => {
    const { world, run, reasons } = following(0);
    for (const operation of ["blocks", "block_by_height", "block", "status"]) world.status.set(operation, 410);
    await run.poll();

    expect(reasons()).toEqual(["gone"]);
  });
});

test("rejects blocks that are not linked", async () => {
  const { world, run, reasons } = following(10);
  world.history.push(world.blocks.with(4, { ...(world.blocks[4] as WorldBlock), hash: "0xother" }));
  await run.poll();

  expect(reasons()).toEqual(["bad_body"]);
});

test.each([{ tx_count: 9e15 }, { execution_cost_runtime: 9e15 }, { hash: "\ud800" }, { hash: ".." }])(
  "rejects a block that no chain has, %j, and keeps its totals",
  async (lie) => {
    let isLie = false;
    const { world, run, counters, reasons } = following(10, "list", {}, ({ respond }) =>
      cannedApi((url, operation) => {
        const response = respond(url, operation);
        if (!isLie || !("json" in response)) return response;
        const { results } = response.json as { results: object[] };
        return { json: { results: [{ ...results[0], ...lie }, ...results.slice(1)] } };
      }),
    );
    await run.poll();
    const before = counters();
    isLie = true;
    world.mine([0]);
    await run.poll();

    expect(counters()).toEqual(before);
    expect(reasons()).toEqual(["bad_body"]);
  },
);

test("replaces a known tip that is on no chain when the blocks of the server are lower and later", async () => {
  const { world, run, reasons, height } = following(60);
  const { blocks: honest } = world;
  // The first server has invented every block, and is believed because no other one is known.
  const hashAt = (kind: string, at: number) => `0x${kind}${at.toString(16).padStart(63, "0")}`;
  const invented = Array.from({ length: 1_060 }, (_, place) => {
    const height = place + 1;
    const hashes = { hash: hashAt("d", height), indexHash: hashAt("e", height), parent: hashAt("d", place) };
    return { ...hashes, height, time: world.now / 1000, txs: [] };
  });
  world.history.push(invented);
  await run.poll();
  expect(height()).toBe(1_060);
  world.history.push(honest);
  world.mine(empty(1));
  await run.poll();
  expect(reasons()).toEqual(["behind"]);

  world.mine(empty(40));
  await run.poll();
  expect(height()).toBe(101);
});

test("checks the identity of the chain before it accepts blocks that are not connected to the known ones", async () => {
  const { world, run } = following(30);
  const checks: number[] = [];
  const checkIdentity = async () => {
    checks.push(world.tip);
  };
  await run.poll({ checkIdentity });
  expect(checks).toEqual([]);
  const other = new ModelWorld();
  other.mine(empty(20));
  other.now = world.now;
  other.mine(empty(200));
  const renamed = (hash: string) => hash.replace("0xb", "0xc");
  world.history.push(other.blocks.map((one) => ({ ...one, hash: renamed(one.hash), parent: renamed(one.parent) })));
  world.now += 7_200_000;

  await run.poll({ checkIdentity });
  expect(checks).toEqual([220]);
});
