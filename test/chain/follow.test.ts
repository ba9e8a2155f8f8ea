import { describe, expect, test } from "@jest/globals";
import { ApiError, type Reason } from "../../src/api/errors.ts";
import { type Block, blockList, DIMENSIONS, mapDimensions } from "../../src/chain/block-source.ts";
import { branchOf, lowestOf, tipOf } from "../../src/chain/branch.ts";
import { type Followed, follow, heightSource, listSource, type Source } from "../../src/chain/follow.ts";
import { cannedApi } from "../support/canned-api.ts";
import { ModelWorld } from "../support/model-world.ts";

const TIME = 1_795_000_000;

/** Linked blocks from a height to another one, with other hashes from a height on. */
const run = (from: number, to: number, since = Number.POSITIVE_INFINITY): Block[] =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const height = from + index;
    const hashAt = (at: number) => `${at >= since ? "b" : "a"}${at}`;
    const rest = { burnHeight: 1, burnTime: undefined, transactions: 1, cost: mapDimensions(() => 1) };
    return { height, hash: hashAt(height), indexHash: undefined, parentHash: hashAt(height - 1), time: TIME, ...rest };
  });

/** A poll of a server with these blocks, of which the first request shows those from a height on. */
async function poll(
  before: Followed,
  has: readonly Block[],
  shown: number,
  {
    fails,
    more = {},
  }: {
    readonly fails?: Reason;
    readonly more?: { needed?: number; isConfirmed?: number; isShort?: boolean; isForeign?: boolean };
  } = {},
) {
  const found: string[] = [];
  let confirmations = 0;
  const api = cannedApi((url, operation) => {
    found.push(url.split("/").at(-1) ?? "");
    if (operation === "block_by_hash") {
      const block = has.find(({ hash }) => url.endsWith(`/${hash}`));
      return block === undefined ? { status: 404 } : { json: { canonical: true } };
    }
    if (more.isShort === true) throw new ApiError("budget", operation, "no request is left");
    const block = has.find(({ height }) => url.endsWith(`/${height}`));
    confirmations += 1;
    if (block === undefined || confirmations < (more.isConfirmed ?? 0)) return { status: 404 };
    const json = { canonical: true, height: block.height, hash: block.hash, parent_block_hash: block.parentHash };
    const costs = Object.fromEntries(DIMENSIONS.map((name) => [`execution_cost_${name}`, 1]));
    return { json: { ...json, block_time: 1, burn_block_time: 1, burn_block_height: 1, txs: [], ...costs } };
  });
  let [identities, newest] = [0, 0];
  const source: Source = {
    operation: "blocks",
    newest: async () => {
      newest += 1;
      return has.slice(shown - 1);
    },
    below: async ([oldest]) => {
      if (fails !== undefined) throw new ApiError(fails, "blocks", "failed");
      const older = has.filter(({ height }) => height < (oldest?.height ?? 0)).slice(-10);
      if (older.length === 0 || older.at(-1)?.hash === oldest?.parentHash) return older;
      throw new ApiError("behind", "blocks", "not linked");
    },
  };
  const checkIdentity = async () => {
    identities += 1;
    if (more.isForeign) throw new ApiError("wrong_chain", "block", "block 1 is another one");
  };
  const options = { catchUp: 20, needed: more.needed ?? 20, blocksPerMinute: 60, now: (TIME + 1e5) * 1000 };
  const result = await follow(api, source, before, { ...options, checkIdentity });
  return { ...result, found, identities, newest };
}

const known = { branch: branchOf(run(1, 100), TIME * 1000) };
const tipHash = ({ branch }: Followed) => branch && tipOf(branch).hash;

describe("the first poll", () => {
  test("reads as many blocks as are needed", async () => {
    const lowest = async (has: number, shown: number, needed: number) => {
      const { branch } = await poll({ branch: undefined }, run(1, has), shown, { more: { needed } });
      return branch && lowestOf(branch);
    };
    expect(
      await Promise.all([lowest(100, 96, 5), lowest(100, 96, 20), lowest(100, 96, 35), lowest(12, 11, 35)]),
    ).toEqual([96, 76, 66, 1]);
  });

  test.each<[Reason, boolean]>([
    ["budget", true],
    ["behind", true],
    ["network", false],
  ])("keeps what it has read after a failure below (%s: %p)", async (fails, isKept) => {
    const polled = poll({ branch: undefined }, run(1, 100), 96, { fails });
    if (isKept) expect((await polled).branch?.blocks[0]?.height).toBe(96);
    else await expect(polled).rejects.toMatchObject({ reason: fails });
  });

  test("confirms the blocks of the poll before if the budget ended between the two requests", async () => {
    const first = await poll({ branch: undefined }, run(1, 100), 100, { more: { isShort: true } });
    expect([first.branch, first.unlinked?.length]).toEqual([undefined, 1]);
    const second = await poll(first, run(1, 100), 91);
    expect([second.newest, tipHash(second), second.unlinked]).toEqual([0, "a100", undefined]);
    // The chain has left them.
    const other = await poll(first, run(1, 100, 95), 91);
    expect([other.newest, tipHash(other)]).toEqual([1, "b100"]);
  });

  test("asks twice for the block of its tip", async () => {
    expect(tipHash(await poll({ branch: undefined }, run(1, 100), 96, { more: { isConfirmed: 2 } }))).toBe("a100");
    const never = poll({ branch: undefined }, run(1, 100), 96, { more: { isConfirmed: 3 } });
    await expect(never).rejects.toMatchObject({ reason: "bad_body" });
    const far = poll(known, run(1, 200), 191, { more: { isConfirmed: 3 } });
    await expect(far).rejects.toThrow("200, 100 blocks above the known tip");
  });
});

describe("a later poll", () => {
  // What is not said is 0, and nothing is requested.
  test.each<[string, readonly Block[], number, object]>([
    ["connects new blocks", run(1, 110), 101, { tip: "a110", fresh: 10 }],
    ["has nothing new", run(1, 100), 91, { tip: "a100" }],
    ["reads older ones first", run(1, 120), 115, { tip: "a120", fresh: 20 }],
    ["asks for the replaced block", run(1, 101, 81), 81, { found: ["a81"], tip: "b101", fresh: 21, orphaned: 20 }],
    ["waits if it is canonical", [...run(1, 100), ...run(81, 101, 81)], 101, { found: ["a81"], tip: "a100" }],
    [
      "checks the chain after a deep fork",
      run(1, 101, 80),
      79,
      { found: ["a80"], identities: 1, tip: "b101", fresh: 22, orphaned: 21 },
    ],
    ["skips what is too far", run(1, 200), 191, { found: ["200"], identities: 1, tip: "a200", fresh: 20, unread: 80 }],
    [
      "takes another chain if it has the identity",
      run(1, 200, 1),
      191,
      { found: expect.anything(), identities: 1, tip: "b200", fresh: 20, unread: 80 },
    ],
  ])("%s", async (_, has, shown, expected) => {
    const { change, found, identities, ...followed } = await poll(known, has, shown);
    const { fresh = [], orphaned = [], unread } = change ?? {};
    const seen = { tip: tipHash(followed), fresh: fresh.length, orphaned: orphaned.length, unread };
    const none = { found: [], identities: 0, fresh: 0, orphaned: 0, unread: 0 };
    expect({ found, identities, ...seen }).toEqual({ ...none, ...expected });
  });

  test("checks the chain for a lower tip of another branch, and not for a known one", async () => {
    const foreign = { more: { isForeign: true } };
    await expect(poll(known, run(1, 99, 95), 90, foreign)).rejects.toMatchObject({ reason: "wrong_chain" });
    await expect(poll(known, run(1, 99), 90, foreign)).rejects.toMatchObject({
      reason: "behind",
      message: "blocks: the tip is 99, 1 blocks below the known tip 100",
    });
    const later = run(1, 99, 95).map((one) => ({ ...one, time: TIME + 200 }));
    expect(await poll(known, later, 90)).toMatchObject({ identities: 1, change: { orphaned: { length: 6 } } });
    const short = run(85, 99, 1).map((one) => ({ ...one, time: TIME + 200 }));
    expect(await poll(known, short, 1)).toMatchObject({ identities: 2, change: { orphaned: { length: 16 } } });
  });

  test("keeps blocks that the budget does not connect, and continues with them", async () => {
    const { unlinked, change, ...first } = await poll(known, run(1, 120), 111, { fails: "budget" });
    expect([unlinked?.length, change, tipHash(first)]).toEqual([10, undefined, "a100"]);
    const again = poll({ ...first, unlinked }, run(1, 120), 111, { fails: "budget" });
    await expect(again).rejects.toMatchObject({ reason: "budget" });
    const second = await poll({ ...first, unlinked }, run(1, 120), 111);
    expect([second.newest, tipHash(second), second.unlinked]).toEqual([0, "a120", undefined]);
  });

  test("drops them when the chain has left them", async () => {
    const unlinked = run(111, 120, 105);
    const { newest, ...followed } = await poll({ ...known, unlinked }, run(1, 103), 95);
    expect([newest, tipHash(followed)]).toEqual([1, "a103"]);
  });
});

describe("the list of blocks", () => {
  test.each([
    [300, 30],
    [301, 0],
  ])("of a server without cursors is read at an offset of %s: %s blocks", async (offset, blocks) => {
    const world = new ModelWorld();
    const mine = (count: number) => world.mine(new Array(count).fill(0));
    const source = listSource(
      cannedApi((url, operation) => world.respond(url.replace(/cursor=\w+&?/, ""), operation)),
      undefined,
    );
    mine(100);
    const newest = await source.newest();
    mine(offset - newest.length);

    expect(await source.below(newest)).toHaveLength(blocks);
  });

  test.each([
    [heightSource, 32],
    [listSource, 3],
  ])("is linked, and read to block 1, not below: %p", async (by, requests) => {
    const world = new ModelWorld();
    world.mine(new Array(31).fill(2));
    const api = cannedApi(world.respond);
    const source = by(api, undefined);
    const checkIdentity = async () => undefined;
    const options = { catchUp: 1, needed: 54, blocksPerMinute: 60, now: world.now, checkIdentity };
    const { branch } = await follow(api, source, { branch: undefined }, options);

    expect(branch?.blocks.map((block) => block.transactions)).toEqual(new Array(31).fill(2));
    expect(api.requests).toHaveLength(requests);
    const [tip] = (await source.newest()).slice(-1) as [Block];
    await expect(source.below([{ ...tip, parentHash: "0x1" }])).rejects.toMatchObject({ reason: "bad_body" });
  });

  test("has the tip on its newest page", () => {
    const page = { results: [{ height: 7 }] } as never;
    const queries = [{}, { offset: 30 }, { cursor: "0x1" }];

    expect(queries.map((query) => blockList.tipHeight?.(page, query))).toEqual([7, undefined, undefined]);
  });
});
