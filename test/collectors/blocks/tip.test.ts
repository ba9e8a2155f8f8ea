// Servers that lag, resync or return wrong blocks do not change the counters of blocks.
import { expect, test } from "@jest/globals";
import type { ApiError } from "../../../src/api/errors.ts";
import { blocks as collector } from "../../../src/collectors/blocks/blocks.ts";
import type { Chain } from "../../../src/collectors/chain/chain.ts";
import type { AnyCollector } from "../../../src/collectors/collector.ts";
import { type CannedApi, cannedApi } from "../../support/canned-api.ts";
import { ModelWorld } from "../../support/model-world.ts";
import { observe } from "../../support/observe.ts";

const blocks = collector as unknown as AnyCollector;

/** Polls a world as the exporter does; a failed poll does not change the observation. */
class Follower {
  readonly world = new ModelWorld();
  readonly api: CannedApi = cannedApi(this.world.respond, () => this.world.now);
  readonly reasons: string[] = [];
  readonly messages: string[] = [];
  readonly options: object;
  observation: unknown;

  constructor(options: object = { tip: "extended" }) {
    this.options = options;
  }

  async poll(seconds = 30): Promise<void> {
    this.world.now += seconds * 1000;
    try {
      this.observation = await observe(blocks, this.api, this.observation, {
        options: this.options,
        now: this.world.now,
      });
    } catch (error) {
      this.reasons.push((error as ApiError).reason);
      this.messages.push((error as ApiError).message);
    }
  }

  get chain(): Chain {
    const { chain } = this.observation as { readonly chain: Chain };
    return chain;
  }
}

const sizes = (count: number) => new Array<number>(count).fill(1);

test.each(["extended", "probe"])("a replica 34 blocks behind is no reorganisation (%s)", async (tip) => {
  const follower = new Follower({ tip });
  follower.world.mine(sizes(100));
  for (let polls = 0; polls < 3; polls += 1) await follower.poll();
  const { totals } = follower.chain;

  follower.world.serve({ kind: "lag", changes: 34 });
  for (let polls = 0; polls < 3; polls += 1) await follower.poll();

  expect(follower.reasons).toEqual(["behind", "behind", "behind"]);
  expect(follower.messages[0]).toMatch(
    /the tip is 66, 34 blocks below the known tip 100|the server does not have the known tip 100/,
  );
  expect(follower.chain.totals).toEqual(totals);
  follower.world.serve({ kind: "fresh" });
  follower.world.mine(sizes(3));
  await follower.poll();
  expect(follower.chain.totals).toMatchObject({ blocks: totals.blocks + 3, reorgs: 0, skipped: 0 });
});

test("after a first poll of a replica that is behind, each block up to the tip counts once", async () => {
  const follower = new Follower();
  follower.world.mine(sizes(134));
  follower.world.serve({ kind: "lag", changes: 34 });
  await follower.poll();
  follower.world.serve({ kind: "flip", changes: 34 });
  for (let polls = 0; polls < 9; polls += 1) await follower.poll();

  expect(follower.chain.totals).toMatchObject({ blocks: 34, reorgs: 0, skipped: 0 });
});

test("no block of a server that resyncs from block 1 counts again", async () => {
  const follower = new Follower();
  follower.world.mine(sizes(90));
  await follower.poll();
  follower.world.mine(sizes(6));
  await follower.poll();
  follower.world.serve({ kind: "resync", blocks: 12 });
  for (let polls = 0; polls < 12; polls += 1) await follower.poll();

  expect(new Set(follower.reasons)).toEqual(new Set(["behind"]));
  expect(follower.chain.totals).toMatchObject({ blocks: 6, reorgs: 0, reorgedBlocks: 0, skipped: 0 });
});

test("a replica on an orphaned fork does not cause another reorganisation", async () => {
  const follower = new Follower();
  follower.world.mine(sizes(40));
  await follower.poll();
  // The replica has a chain of the same height, with other blocks.
  follower.world.mine(sizes(1));
  await follower.poll();
  follower.world.reorg(2, []);
  await follower.poll();
  follower.world.serve({ kind: "flip", changes: 1 });
  for (let polls = 0; polls < 6; polls += 1) await follower.poll();

  expect(follower.chain.totals).toMatchObject({ reorgs: 1, reorgedBlocks: 2, blocks: 1 + 3 });
});

test.each([1, 30, 1_000, 2 ** 52])("rejects a tip that is %i blocks too high", async (by) => {
  const follower = new Follower();
  follower.world.mine(sizes(60));
  await follower.poll();
  follower.world.serve({ kind: "high", by });
  for (let polls = 0; polls < 3; polls += 1) await follower.poll();

  expect(follower.reasons).toEqual(["bad_body", "bad_body", "bad_body"]);
  expect(follower.messages[0]).toMatch(/is not confirmed by another operation|more than blocks_per_minute allows/);
  expect(follower.chain.totals).toMatchObject({ blocks: 0, reorgs: 0, skipped: 0 });
  follower.world.serve({ kind: "fresh" });
  follower.world.mine(sizes(2));
  await follower.poll();
  expect(follower.chain.recent.at(-1)?.height).toBe(62);
});

test("rejects a tip that is too high in the first poll", async () => {
  const follower = new Follower();
  follower.world.mine(sizes(60));
  follower.world.serve({ kind: "high", by: 1_000 });
  await follower.poll();

  expect(follower.reasons).toEqual(["bad_body"]);
  expect(follower.observation).toBeUndefined();
});

test("rejects a tip that is too high even if every operation returns it", async () => {
  const follower = new Follower();
  follower.world.mine(sizes(60));
  await follower.poll();
  const { totals } = follower.chain;
  const honest = follower.world.history.at(-1) ?? [];
  const invented = Array.from({ length: 1_000 }, (_, place) => {
    const number = (kind: string, n: number) => `0x${kind}${n.toString(16).padStart(63, "0")}`;
    const height = 61 + place;
    const time = follower.world.now / 1000;
    return {
      height,
      hash: number("d", height),
      indexHash: number("e", height),
      parent: number("d", height - 1),
      time,
      txs: [],
    };
  });
  follower.world.history.push([...honest, ...invented]);
  for (let polls = 0; polls < 2; polls += 1) await follower.poll();

  expect(follower.reasons).toEqual(["bad_body", "bad_body"]);
  expect(follower.messages[0]).toContain("more than blocks_per_minute allows");
  expect(follower.chain.totals).toEqual(totals);
});

test("replaces a known tip that is on no chain when the blocks of the server are lower and later", async () => {
  const follower = new Follower();
  follower.world.mine(sizes(60));
  await follower.poll();
  const { chain } = follower;
  const tip = chain.recent.at(-1);
  if (tip === undefined) throw new Error("there is no tip");
  const impossible = { ...tip, height: tip.height + 1_000, hash: "0xno", parentHash: "0xnever" };
  follower.observation = { ...(follower.observation as object), chain: { ...chain, recent: [impossible] } };
  follower.world.mine(sizes(1));
  await follower.poll();
  expect(follower.reasons).toEqual(["behind"]);

  follower.world.mine(sizes(40));
  await follower.poll();
  expect(follower.chain.recent.at(-1)?.height).toBe(101);
});

test("checks the identity of the chain before it accepts blocks that are not connected to the known ones", async () => {
  const world = new ModelWorld();
  world.mine(sizes(30));
  const checks: number[] = [];
  const api = cannedApi(world.respond, () => world.now);
  const poll = (previous: unknown) =>
    collector.observe(
      {
        api,
        target: { key: "" },
        chain: undefined,
        isFollowed: true,
        previous: previous as never,
        now: world.now,
        spareSeries: 0,
        checkIdentity: async () => {
          checks.push(world.tip);
        },
      },
      collector.options.parse({}),
    );
  const first = await poll(undefined);
  expect(checks).toEqual([]);
  const other = new ModelWorld();
  other.mine(sizes(20));
  other.now = world.now;
  other.mine(sizes(200));
  world.history.push(
    other.blocks.map((block) => ({
      ...block,
      hash: block.hash.replace("0xb", "0xc"),
      parent: block.parent.replace("0xb", "0xc"),
    })),
  );
  world.now += 7_200_000;

  await poll(first);
  expect(checks).toEqual([220]);
});

test.each(["extended", "probe"])("an empty database is the reason of the failure (%s)", async (tip) => {
  const follower = new Follower({ tip });
  await follower.poll();

  expect(follower.reasons).toEqual(["empty"]);
  expect(follower.messages[0]).toContain("the server has no block yet");
});

test("a block that is mined between two requests is not missing", async () => {
  const follower = new Follower({ tip: "probe" });
  follower.world.mine(sizes(40));
  for (let polls = 0; polls < 3; polls += 1) await follower.poll();
  let isDone = false;
  follower.world.afterResponse = () => {
    // The first request is for block 41. The server mines blocks 41 and 42 right after it.
    if (!isDone) follower.world.mine(sizes(2));
    isDone = true;
  };

  await follower.poll(1_200);
  follower.world.afterResponse = () => undefined;
  await follower.poll();

  expect(follower.chain.totals).toMatchObject({ missing: 0, blocks: 2 });
  expect(follower.chain.recent.at(-1)?.height).toBe(42);
});
