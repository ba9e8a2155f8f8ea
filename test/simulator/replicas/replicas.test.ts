// Replicas behind one address: all responses of one replica agree, and replicas differ as specified.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { ReplicaSpec, Sharing } from "../../../simulator/replicas/replica.ts";
import type { Simulator, SimulatorOptions } from "../../../simulator/server.ts";
import { json, type Response, send, stillSimulator } from "../support.ts";

const running: Simulator[] = [];
const start = async (options: SimulatorOptions = {}) => {
  const simulator = await stillSimulator({ seed: "replicas", history: 60, ...options });
  running.push(simulator);
  return simulator;
};
afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

interface Status {
  readonly chain_tip?: { readonly block_height: number; readonly index_block_hash: string };
}
interface Item {
  readonly height: number;
  readonly hash: string;
  readonly index_block_hash: string;
  readonly parent_block_hash: string;
}
interface BlockList {
  readonly total: number;
  readonly results: readonly Item[];
}

const tipOf = async ({ url }: { readonly url: string }) => json<Status>(await send(`${url}/extended`)).chain_tip;
const heightOf = async (at: { readonly url: string }) => (await tipOf(at))?.block_height;
const blocksOf = async ({ url }: { readonly url: string }, query = "limit=30") =>
  json<BlockList>(await send(`${url}/extended/v2/blocks?${query}`));

function nextBlock({ chain, advance }: Simulator, count = 1): void {
  const goal = chain.height + count;
  while (chain.height < goal) advance(1);
}

// Every operation that depends on the blocks, for a few principals, transactions and blocks.
function operations({ chain }: Simulator): string[] {
  const { accounts, ledger } = chain;
  const blocks = ledger.blocks.slice(-12);
  const [user = "", other = ""] = accounts.users;
  return [
    "/extended",
    "/extended/v2/blocks?limit=30",
    "/extended/v2/blocks?limit=5&offset=10",
    "/extended/v2/blocks/latest",
    "/extended/v3/transactions?limit=50",
    `/extended/v3/transactions?cursor=${ledger.blocks.at(-9)?.height}:2147483647:0`,
    ...[user, other, accounts.sponsor, accounts.contracts.vault].flatMap((principal) => [
      `/extended/v2/addresses/${principal}/transactions?limit=50`,
      `/extended/v1/address/${principal}/transactions_with_transfers?limit=50`,
      `/extended/v3/principals/${principal}/transactions?limit=50`,
    ]),
    `/extended/v1/contract/${accounts.contracts.logger}/events?limit=50`,
    `/extended/v2/smart-contracts/${accounts.contracts.logger}/logs?limit=100`,
    ...blocks.flatMap(({ height, hash, indexHash, txs }) => [
      `/extended/v1/block/by_height/${height}`,
      `/extended/v1/block/${hash}`,
      `/extended/v2/blocks/${indexHash}`,
      `/extended/v3/transactions/${txs.at(-1)?.id}`,
      `/extended/v2/addresses/${txs.at(-1)?.sender}/transactions/${txs.at(-1)?.id}/events`,
    ]),
    "/extended/v1/block/by_height/1",
  ];
}

async function sendAll({ url }: { readonly url: string }, paths: readonly string[]) {
  const responses = new Map<string, Pick<Response, "status" | "body"> & { readonly etag: unknown }>();
  for (const path of paths) {
    const { status, body, headers } = await send(url + path);
    responses.set(path, { status, body, etag: headers.etag });
  }
  return responses;
}

// The paths for which two replicas respond differently.
function differences(one: Awaited<ReturnType<typeof sendAll>>, other: typeof one): string[] {
  return [...one].flatMap(([path, response]) => {
    const against = other.get(path);
    const isSame =
      response.status === against?.status &&
      response.body === against.body &&
      String(response.etag) === String(against.etag);
    return isSame ? [] : [path];
  });
}

// The block heights in a response.
function heightsIn(body: string): number[] {
  const stacks = body.replaceAll(/"bitcoin_block":\{[^}]*\}/g, "");
  return [...stacks.matchAll(/"(?:block_height|height)":(\d+)/g)].map(([, height]) => Number(height));
}

describe("a replica that lags", () => {
  test.each([
    ["with all blocks kept", 5000, 3],
    ["with old blocks dropped", 40, 3],
  ])("responds as the newest one did then, %s", async (_, keepBlocks, lag) => {
    const simulator = await start({ keepBlocks });
    const behind = await simulator.listen();
    behind.replicas.use({ kind: "lag", blocks: lag });
    await heightOf(behind);
    for (let round = 0; round < 4; round += 1) {
      const paths = operations(simulator);
      const then = await sendAll(simulator, paths);
      nextBlock(simulator, lag);
      const now = await sendAll(behind, paths);

      expect(differences(then, now)).toEqual([]);
      expect(await heightOf(behind)).toBe(simulator.chain.height - lag);
    }
  });

  test.each([5000, 40])(
    "responds as the newest one did, also across reorganisations, %d blocks kept",
    async (keepBlocks) => {
      const simulator = await start({ keepBlocks });
      const behind = await simulator.listen();
      behind.replicas.use({ kind: "lag", seconds: 40 });
      await heightOf(behind);
      for (let round = 0; round < 4; round += 1) {
        const paths = operations(simulator);
        const then = await sendAll(simulator, paths);
        simulator.advance(20);
        simulator.chain.reorg(3 + round);
        simulator.advance(20);

        expect(differences(then, await sendAll(behind, paths))).toEqual([]);
      }
    },
  );

  test("shows the blocks that a reorganisation has replaced, until it reaches the reorganisation", async () => {
    const simulator = await start();
    const behind = await simulator.listen();
    behind.replicas.use({ kind: "lag", blocks: 2 });
    nextBlock(simulator, 4);
    const before = simulator.chain.height;
    const { orphaned, replaced } = simulator.chain.reorg(5);
    const old = orphaned.at(-3);
    const by = (hash = "") => send(`${behind.url}/extended/v1/block/${hash}`);

    expect(await tipOf(behind)).toMatchObject({ block_height: before - 2, index_block_hash: old?.indexHash });
    expect((await blocksOf(behind)).results.map(({ hash }) => hash)).toContain(orphaned[0]?.hash);
    expect(json(await by(old?.hash))).toMatchObject({ canonical: true });
    expect((await by(replaced[0]?.hash)).status).toBe(404);

    nextBlock(simulator, 2);
    expect(await tipOf(behind)).toMatchObject({ index_block_hash: replaced.at(-1)?.indexHash });
    expect(json(await by(old?.hash))).toMatchObject({ canonical: false, txs: [] });
    expect(json(await by(replaced[0]?.hash))).toMatchObject({ canonical: true });
  });

  test("returns nothing above its tip, and its tags are those of its tip", async () => {
    const simulator = await start();
    simulator.replicas.use({ kind: "lag", blocks: 5 });
    const height = simulator.chain.height - 5;
    const tip = simulator.chain.ledger.atHeight(height);
    for (const [path, { body, etag, status }] of await sendAll(simulator, operations(simulator))) {
      const isWaiting = body.includes('"pending"');
      if (!isWaiting && status === 200) expect([path, Math.max(0, ...heightsIn(body)) <= height]).toEqual([path, true]);
      if (/^\/extended(\/v2\/blocks\?|\/v1\/block|$)/.test(path)) expect(etag).toBe(`"${tip?.indexHash}"`);
    }
    expect((await send(`${simulator.url}/extended/v2/blocks/${height + 1}`)).status).toBe(404);
  });

  test("has transactions that were mined later in its mempool, unless they arrived later", async () => {
    const simulator = await start();
    simulator.replicas.use({ kind: "lag", blocks: 3 });
    const { chain } = simulator;
    const later = chain.ledger.blocks.slice(-3).flatMap(({ txs }) => txs);
    const known: string[] = [];
    for (const tx of later) {
      const { status, body } = await send(`${simulator.url}/extended/v3/transactions/${tx.id}`);
      const isKnown = tx.origin !== "protocol" && tx.receivedHeight <= chain.height - 3;
      expect([status, body.includes('"pending"')]).toEqual(isKnown ? [200, true] : [404, false]);
      if (isKnown) known.push(tx.id);
    }
    expect(known.length).toBeGreaterThan(0);
    const stats = json<{ tx_type_counts: Record<string, number>; tx_ages: Record<string, Record<string, number>> }>(
      await send(`${simulator.url}/extended/v1/tx/mempool/stats`),
    );
    const count = Object.values(stats.tx_type_counts).reduce((sum, each) => sum + each, 0);
    const waiting = [...chain.mempool.values()].filter((tx) => tx.receivedHeight <= chain.height - 3);
    expect(count).toBe(waiting.length + known.length);
    expect(stats.tx_ages.token_transfer?.p25).toBeGreaterThanOrEqual(1);
  });

  test("can lag by time, be stuck, and have no blocks", async () => {
    const simulator = await start();
    const at = async (spec: ReplicaSpec) => {
      simulator.replicas.use(spec);
      return heightOf(simulator);
    };
    const { chain } = simulator;
    const then = chain.height;

    expect(await at({ kind: "stuck", blocks: 2 })).toBe(then - 2);
    simulator.advance(100);
    expect(await heightOf(simulator)).toBe(then - 2);
    expect(await at({ kind: "lag", seconds: 100 })).toBe(then);
    expect(await at({ kind: "lag", blocks: 0 })).toBe(chain.height);
    expect(await at({ kind: "lag", blocks: chain.height })).toBeUndefined();
  });

  test("goes back no further than blocks are kept", async () => {
    const simulator = await start({ keepBlocks: 10 });
    simulator.replicas.use({ kind: "lag", blocks: 50 });
    const { total, results } = await blocksOf(simulator);
    const { blocks } = simulator.chain.ledger;

    expect([total, results.map(({ hash }) => hash)]).toEqual([blocks[0]?.height, [blocks[0]?.hash]]);
  });
});

describe("a replica that resyncs", () => {
  const heights = async (simulator: Simulator, count: number) => {
    const seen: (number | undefined)[] = [];
    for (let left = count; left > 0; left -= 1) seen.push(await heightOf(simulator));
    return seen;
  };

  test("has more blocks at every request, from block 1 or from none", async () => {
    const simulator = await start();
    simulator.replicas.use({ kind: "resync" });
    expect(await heights(simulator, 4)).toEqual([1, 2, 3, 4]);
    simulator.replicas.use({ kind: "resync", from: 0, perRequest: 20 });

    expect(await heights(simulator, 5)).toEqual([undefined, 20, 40, 60, 60]);
  });

  test("has more blocks every second, is consistent on the way, and equals the chain at the end", async () => {
    const simulator = await start();
    const resyncing = await simulator.listen();
    resyncing.replicas.use({ kind: "resync", from: 20, perSecond: 2 });
    simulator.advance(5);
    const paths = operations(simulator);

    expect(await heightOf(resyncing)).toBe(30);
    for (const { body, status } of (await sendAll(resyncing, paths)).values()) {
      if (status === 200 && !body.includes('"pending"'))
        expect(Math.max(0, ...heightsIn(body))).toBeLessThanOrEqual(30);
    }
    simulator.advance(20);
    const newest = operations(simulator);
    expect(differences(await sendAll(resyncing, newest), await sendAll(simulator, newest))).toEqual([]);
  });

  test("follows a reorganisation below its tip", async () => {
    const simulator = await start();
    simulator.replicas.use({ kind: "resync", from: 58, perRequest: 0 });
    await heightOf(simulator);
    const { replaced } = simulator.chain.reorg(6);

    expect(await tipOf(simulator)).toMatchObject({ block_height: 58, index_block_hash: replaced.at(-3)?.indexHash });
  });
});

describe("a tip that is too high", () => {
  test.each([5, 1000, 2 ** 52 - 60])("%d made-up blocks, not linked to the chain", async (blocks) => {
    const simulator = await start();
    const { chain } = simulator;
    simulator.replicas.use({ kind: "ahead", blocks });
    const { total, results } = await blocksOf(simulator);
    const tip = chain.height + blocks;
    const [newest] = results;

    expect([total, newest?.height, await heightOf(simulator)]).toEqual([tip, tip, tip]);
    expect(results.map(({ height }) => height)).toEqual(results.map((_, at) => tip - at));
    const madeUp = results.filter(({ height }) => height > chain.height);
    expect(madeUp).toHaveLength(Math.min(30, blocks));
    for (const [at, block] of madeUp.entries()) {
      const parent = results[at + 1];
      if (parent !== undefined) expect(block.parent_block_hash === parent.hash).toBe(parent.height > chain.height);
      expect(json(await send(`${simulator.url}/extended/v2/blocks/${block.height}`))).toMatchObject({
        hash: block.hash,
      });
      expect(json(await send(`${simulator.url}/extended/v1/block/${block.hash}`))).toMatchObject({
        height: block.height,
      });
    }
    const { headers } = await send(`${simulator.url}/extended/v2/blocks`);
    expect(headers.etag).toBe(`"${newest?.index_block_hash}"`);
    for (const path of [
      `/extended/v3/principals/${chain.accounts.users[0]}/transactions`,
      "/extended/v3/transactions",
    ]) {
      const { body } = await send(simulator.url + path);
      expect(heightsIn(body).filter((height) => height > chain.height)).toEqual([]);
      expect(json<{ results: unknown[] }>({ status: 200, headers: {}, body }).results).not.toHaveLength(0);
    }
    const list = await send(`${simulator.url}/extended/v3/transactions`);
    expect(list.headers.etag).toBe(`"${newest?.index_block_hash}"`);
    expect((await send(`${simulator.url}/extended/v2/blocks/${tip + 1}`)).status).toBe(404);
  });

  test("only as a number, and only for a path", async () => {
    const simulator = await start();
    const { chain } = simulator;
    simulator.replicas.use({ kind: "ahead", blocks: 1000, claims: "height" }, { path: "/extended" });

    expect(await tipOf(simulator)).toMatchObject({
      block_height: chain.height + 1000,
      index_block_hash: chain.ledger.tip?.indexHash,
    });
    expect((await blocksOf(simulator)).total).toBe(chain.height);
    simulator.replicas.use({ kind: "ahead", blocks: 1000, claims: "height" });
    const { total, results } = await blocksOf(simulator);
    expect([total, results[0]?.height]).toEqual([chain.height + 1000, chain.height]);
    expect(json(await send(`${simulator.url}/extended/v2/blocks/latest`))).toMatchObject({ height: chain.height });
  });
});

describe("another chain", () => {
  test.each([
    [46, 46],
    [90, 90],
    [undefined, 60],
  ])("of %p blocks has another block 1, the same accounts, and grows", async (blocks, height) => {
    const simulator = await start();
    const { chain } = simulator;
    const first = json<Item>(await send(`${simulator.url}/extended/v2/blocks/1`));
    simulator.replicas.use(blocks === undefined ? { kind: "other" } : { kind: "other", blocks });
    const other = json<Item>(await send(`${simulator.url}/extended/v2/blocks/1`));
    const user = `/extended/v2/addresses/${chain.accounts.users[0]}/transactions`;

    expect(other.hash).not.toBe(first.hash);
    expect(await heightOf(simulator)).toBe(height);
    expect(json<{ total: number }>(await send(simulator.url + user)).total).toBeGreaterThan(0);
    expect((await send(`${simulator.url}/extended/v2/blocks/${chain.ledger.tip?.hash}`)).status).toBe(404);
    simulator.advance(60);
    expect(await heightOf(simulator)).toBeGreaterThan(height);
  });

  test("is the same chain when it is used again", async () => {
    const simulator = await start();
    const tips: unknown[] = [];
    for (const spec of [
      { kind: "other" },
      { kind: "newest" },
      { kind: "other" },
      { kind: "other", seed: "x" },
    ] as const) {
      simulator.replicas.use(spec);
      tips.push((await tipOf(simulator))?.index_block_hash);
    }

    expect(tips[2]).toBe(tips[0]);
    expect(new Set(tips).size).toBe(3);
  });
});

test("an empty database responds like one that was never filled", async () => {
  const simulator = await start();
  const fresh = await start({ history: 0 });
  fresh.chain.empty();
  simulator.replicas.use({ kind: "empty" });
  simulator.advance(600);
  const mempool = ["/extended/v1/tx/mempool/stats", "/extended/v2/mempool/fees"];
  const paths = operations(simulator);
  const bodies = async (url: string, list: readonly string[]) =>
    [...(await sendAll({ url }, list))].map(([path, { status, body }]) => [path, status, body]);

  expect(await bodies(simulator.url, paths)).toEqual(await bodies(fresh.url, paths));
  expect(await bodies(simulator.url, mempool)).toEqual(await bodies(fresh.url, mempool));
  expect(await tipOf(simulator)).toBeUndefined();
});

describe("several replicas", () => {
  const LAGS: readonly ReplicaSpec[] = [{ kind: "newest" }, { kind: "lag", blocks: 3 }, { kind: "lag", blocks: 9 }];
  const tips = async (simulator: Simulator, count: number) => {
    const before = simulator.requests.length;
    for (let left = count; left > 0; left -= 1) await heightOf(simulator);
    return simulator.requests.slice(before).map(({ tip }) => simulator.chain.height - (tip ?? 0));
  };
  const shared = async (sharing: Sharing, count: number) => {
    const simulator = await start();
    simulator.replicas.use(LAGS, sharing);
    return tips(simulator, count);
  };

  test("serve round robin", async () => {
    expect(await shared({}, 6)).toEqual([0, 3, 9, 0, 3, 9]);
    expect(await shared({ every: 2 }, 6)).toEqual([0, 0, 3, 3, 9, 9]);
  });

  test("serve at random, the same for the same seed", async () => {
    const [one, other] = [await shared({ order: "random" }, 40), await shared({ order: "random" }, 40)];

    expect(one).toEqual(other);
    expect(new Set(one)).toEqual(new Set([0, 3, 9]));
    expect(one).not.toEqual(await shared({}, 40));
  });

  test("serve for some requests, some seconds, or until cleared", async () => {
    expect(await shared({ requests: 2 }, 4)).toEqual([0, 3, 0, 0]);
    const simulator = await start();
    simulator.replicas.use({ kind: "lag", blocks: 3 }, { seconds: 75 });
    simulator.advance(74);
    expect(await tips(simulator, 1)).toEqual([3]);
    simulator.advance(1);
    expect(await tips(simulator, 1)).toEqual([0]);
    simulator.replicas.use({ kind: "lag", blocks: 3 });
    simulator.replicas.clear();
    expect(await tips(simulator, 1)).toEqual([0]);
  });

  test("serve only for the requests of a path", async () => {
    const simulator = await start();
    simulator.replicas.use({ kind: "lag", blocks: 4 }, { path: "/extended/v2/blocks/{height_or_hash}" });
    await send(`${simulator.url}/extended/v2/blocks/latest`);
    await send(`${simulator.url}/extended/v2/blocks`);

    expect(simulator.requests.map(({ replica, tip }) => [replica, tip])).toEqual([
      ["lag", simulator.chain.height - 4],
      ["newest", simulator.chain.height],
    ]);
  });

  test("do not change the chain", async () => {
    const [one, other] = [await start(), await start()];
    one.replicas.use(["newest", "stuck", "empty", "other"].map((kind) => ({ kind }) as ReplicaSpec));
    for (let left = 8; left > 0; left -= 1) {
      await heightOf(one);
      one.advance(20);
      other.advance(20);
    }

    const content = ({ chain }: Simulator) =>
      chain.ledger.blocks.map(({ hash, txs }) => [hash, txs.map(({ id }) => id)]);
    expect(content(one)).toEqual(content(other));
  });
});

describe("by remote control", () => {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await stillSimulator({ seed: "replicas", history: 60 });
  });
  afterAll(() => simulator.close());
  const post = (command: string) => send(`${simulator.url}/_sim/${command}`, { method: "POST" });

  test("are used, reported, and cleared", async () => {
    const state = json<{ replicas: unknown }>(await post("replicas?use=newest,lag:blocks=3&every=2&seconds=60"));

    expect(state.replicas).toEqual({
      replicas: [{ kind: "newest" }, { kind: "lag", blocks: 3 }],
      sharing: { every: 2, seconds: 60 },
      served: 0,
    });
    for (let left = 2; left > 0; left -= 1) await heightOf(simulator);
    expect(await heightOf(simulator)).toBe(simulator.chain.height - 3);
    expect(json<{ replicas: unknown }>(await post("newest")).replicas).toBeNull();
    expect((await send(`${simulator.url}/_sim/`)).body).toContain("POST /_sim/replicas");
  });

  test.each([
    ["stuck:blocks=2", { kind: "stuck", blocks: 2 }],
    ["resync:from=0:perSecond=0.5", { kind: "resync", from: 0, perSecond: 0.5 }],
    ["ahead:blocks=4503599627370496:claims=height", { kind: "ahead", blocks: 2 ** 52, claims: "height" }],
    ["other:seed=x:blocks=3", { kind: "other", seed: "x", blocks: 3 }],
    ["empty", { kind: "empty" }],
  ])("%s", async (use, spec) => {
    await post(`replicas?use=${use}`);

    expect(simulator.replicas.state?.replicas).toEqual([spec]);
  });

  test.each([
    ["replicas", "a replica must be one of newest, lag"],
    ["replicas?use=behind", "a replica must be one of newest, lag"],
    ["replicas?use=lag", "lag needs blocks or seconds"],
    ["replicas?use=lag:blocks=1:seconds=2", "lag needs blocks or seconds"],
    ["replicas?use=lag:blocks=-1", 'blocks cannot be "-1"'],
    ["replicas?use=lag:height=3", "height is not a field of lag"],
    ["replicas?use=ahead", "ahead needs blocks"],
    ["replicas?use=empty&order=maybe", 'order cannot be "maybe"'],
    ["replicas?use=empty&colour=red", "colour is not a field of replicas"],
  ])("reports the error in %s", async (command, message) => {
    const response = await post(command);

    expect(response.status).toBe(400);
    expect(json<{ error: string }>(response).error).toContain(message);
  });
});

describe("several addresses of one chain", () => {
  test("have their own replicas, faults, keys and request logs", async () => {
    const simulator = await start();
    const backup = await simulator.listen({ gateway: { key: { header: "x-api-key", value: "secret" } } });
    const third = await simulator.listen();
    third.replicas.use({ kind: "lag", blocks: 7 });
    third.faults.add({ kind: "500", count: 1 });
    simulator.advance(100);
    const status = async (url: string, headers = {}) => (await send(`${url}/extended`, { headers })).status;

    expect(new Set([simulator.url, backup.url, third.url]).size).toBe(3);
    expect([await status(simulator.url), await status(backup.url), await status(third.url)]).toEqual([200, 401, 500]);
    expect(await status(backup.url, { "x-api-key": "secret" })).toBe(200);
    expect(await heightOf(third)).toBe(simulator.chain.height - 7);
    expect([simulator, backup, third].map(({ requests }) => requests.map(({ status }) => status))).toEqual([
      [200],
      [401, 200],
      [500, 200],
    ]);
    expect(backup.requests.map(({ tip }) => tip)).toEqual([undefined, simulator.chain.height]);
  });

  test("close and open separately, and all close with the simulator", async () => {
    const simulator = await start();
    const backup = await simulator.listen();
    const port = Number(new URL(backup.url).port);
    await backup.close();
    await expect(send(`${backup.url}/extended`)).rejects.toThrow();
    const again = await simulator.listen({ port });
    expect(again.url).toBe(backup.url);
    expect(await heightOf(again)).toBe(simulator.chain.height);
    await simulator.close();

    await expect(send(`${again.url}/extended`)).rejects.toThrow();
  });
});

test("no two blocks are closer than fastestBlockSeconds", async () => {
  const simulator = await start({ timeScale: 20, history: 200 });
  const { blocks } = simulator.chain.ledger;
  const seconds = blocks.slice(1).map((block, at) => (block.time - (blocks[at]?.time ?? 0)) / 20);

  expect(Math.min(...seconds)).toBe(simulator.fastestBlockSeconds);
});
