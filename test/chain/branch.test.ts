import { describe, expect, test } from "@jest/globals";
import type { ApiResponse, StacksApi } from "../../src/api/operation.ts";
import { type Block, blockByHeight, DIMENSIONS, mapDimensions, readBlock } from "../../src/chain/block-source.ts";
import {
  type Branch,
  blockAt,
  branchOf,
  chainView,
  checkPace,
  deepened,
  extended,
  forkOf,
  lowestOf,
  neededBlocks,
  standing,
  tipOf,
  viewOf,
} from "../../src/chain/branch.ts";
import { heightSource, listSource } from "../../src/chain/follow.ts";
import { BOTTOM, ledgerFrom, ledgerFromNow, taken } from "../../src/ledger/ledger.ts";
import { type Canned, cannedApi } from "../support/canned-api.ts";

const START = 1_795_000_000;

/** Linked blocks from a height to another one, ten seconds apart. A branch has its own hashes from a height on. */
const run = (from: number, to: number, name = "a", since = 0): Block[] =>
  Array.from({ length: to - from + 1 }, (_, index) => {
    const height = from + index;
    const hashAt = (at: number) => `${at >= since ? name : "a"}${at}`;
    return {
      height,
      hash: hashAt(height),
      indexHash: `${hashAt(height)}i`,
      parentHash: hashAt(height - 1),
      time: START + height * 10,
      burnHeight: 1,
      burnTime: undefined,
      transactions: 1,
      cost: mapDimensions(() => 1),
    };
  });
const at = (height: number) => (START + height * 10) * 1000;
const branch = branchOf(run(1, 100), at(100));
const heights = (blocks: readonly Pick<Block, "hash">[]) => blocks.map(({ hash }) => hash).join(" ");

test.each<[string, readonly Block[], number | undefined]>([
  ["follow the tip", run(101, 103), 100],
  ["overlap the tip", run(90, 103), 100],
  ["are known", run(90, 95), 95],
  ["replace the tip", run(100, 103, "b", 100), 99],
  ["replace blocks within", run(90, 103, "b", 95), 94],
  ["begin above the tip", run(102, 103), undefined],
  ["replace blocks below their first one", run(90, 103, "b", 80), undefined],
  ["are none", [], undefined],
])("the fork of blocks that %s", (_, blocks, fork) => {
  expect(forkOf(branch, blocks)).toBe(fork);
});

describe("a branch", () => {
  test("remembers what a fork replaces, and does not have it twice when it returns", () => {
    const forked = extended(branch, run(99, 101, "b", 99), 98, 7);
    expect([heights(forked.fresh), heights(forked.orphaned)]).toEqual(["b99 b100 b101", "a99 a100"]);
    const back = extended(forked.branch, run(99, 102), 98, 8);
    expect([heights(back.fresh), heights(back.orphaned)]).toEqual(["a101 a102", "b99 b100 b101"]);
    const again = extended(back.branch, run(99, 103, "b", 99), 98, 9);
    expect(heights(again.fresh)).toBe("b102 b103");
    expect(heights(again.branch.replaced)).toBe("a99 a100 b99 b100 b101 a101 a102");
    expect([lowestOf(again.branch), again.branch.blocks.length]).toEqual([1, 103]);
  });

  test("begins above a gap, and is read down from there", () => {
    const { branch: above, unread, orphaned } = extended(branch, run(110, 120), undefined, 7);
    expect([lowestOf(above), unread, orphaned, above.blocks.length]).toEqual([110, 9, [], 11]);
    expect([blockAt(above, 100), blockAt(above, 115)?.hash]).toEqual([undefined, "a115"]);
    expect(deepened(above, run(104, 109))).toEqual(branchOf(run(104, 120), 7));
    const { orphaned: replaced, fresh } = extended(branch, run(90, 120, "b"), undefined, 7);
    expect([heights(replaced), fresh.length]).toEqual([heights(run(90, 100)), 31]);
    // What is below the known blocks was counted, or skipped.
    expect(heights(extended(above, run(90, 121, "b"), undefined, 8).fresh)).toBe(heights(run(110, 121, "b")));
  });

  test("has at most 1,000 blocks", () => {
    const long = branchOf(run(1, 1100), 0);
    expect([lowestOf(long), long.blocks.length]).toEqual([101, 1000]);
  });
});

const withTip = (time: number | undefined, acceptedAt = at(100)): Branch => {
  const blocks = branch.blocks.map((one) => ({
    ...one,
    time: one.height < 100 && time !== undefined ? one.time : time,
  }));
  return { ...branch, blocks, acceptedAt };
};
test.each<[string, Branch, number, number, number]>([
  ["at once, 30 blocks", branch, 0, 60, 30],
  ["and one for each second", branch, 50, 60, 80],
  ["or at the configured rate", branch, 50, 600, 530],
  ["after a day, as many", branch, 86_400, 60, 86_430],
  ["since the acceptance, if the clock is behind", withTip(START + 1e9), 20, 60, 50],
  ["since the newest block, if that was accepted late", withTip(START + 1000, at(150)), 60, 60, 90],
  ["since the acceptance, if no time is known", withTip(undefined), 10, 60, 40],
  ["with a clock that was set back", branch, -1000, 60, 30],
])("the pace allows %s", (_, known, seconds, perMinute, most) => {
  const check = (jump: number) => {
    const tip = { ...tipOf(known), height: 100 + jump };
    checkPace(known, tip, "blocks", perMinute, at(100) + seconds * 1000);
  };
  expect(() => check(most)).not.toThrow();
  expect(() => check(most + 1)).toThrow(`the tip ${101 + most} is ${most + 1} blocks above the known tip, more than`);
});

const tip = (height: number, name: string, later: number): Block => ({
  ...(run(height, height, name)[0] as Block),
  time: START + 1000 + later,
});
const forked = extended(branch, run(99, 100, "b", 99), 98, at(100)).branch;
const dated = (time: number | undefined): Branch => {
  const blocks = run(101, 110).map((one) => ({ ...one, time }));
  return extended(branch, blocks, 100, at(100)).branch;
};
const [lied, undated] = [dated(START + 1e9), dated(undefined)];
test.each<[string, Branch, Block, ReturnType<typeof standing>]>([
  ["above the known one is used", branch, tip(101, "b", 0), undefined],
  ["that is the known one, too", branch, tip(100, "a", 0), undefined],
  ["that replaces the known one, too", branch, tip(100, "b", 0), undefined],
  ["below it is behind", branch, tip(99, "a", 1000), "behind"],
  ["that was replaced is behind", forked, tip(100, "a", 1000), "behind"],
  ["below it that was replaced, too", forked, tip(99, "a", 1000), "behind"],
  ["on another branch is lower", branch, tip(99, "b", 120), "lower"],
  ["without a time, too", branch, { ...tip(99, "b", 0), time: undefined }, "lower"],
  ["much later than the known one replaces it", branch, tip(99, "b", 121), "later"],
  ["later than the acceptance of a lie, too", lied, tip(101, "b", 121), "later"],
  ["not much later than that does not", lied, tip(101, "b", 120), "lower"],
  ["later than the acceptance of an undated one does", undated, tip(101, "b", 121), "later"],
])("a tip %s", (_, known, of, expected) => {
  expect(standing(known, of)).toBe(expected);
});

describe("the view of a ledger", () => {
  const viewFrom = (lowest: number, confirmations: number) =>
    viewOf(chainView(branchOf(run(lowest, 100), at(100)), { seenAt: 1 }), confirmations);
  test.each([
    [6, 54],
    [1, 17],
    [3, 27],
    [1000, 1000],
  ])("with %i confirmations needs %i blocks", (confirmations, blocks) => {
    expect(neededBlocks(confirmations)).toBe(blocks);
    if (blocks > 100) return;
    const [enough, missing] = [viewFrom(101 - blocks, confirmations), viewFrom(102 - blocks, confirmations)];
    const depth = 101 - confirmations;
    expect(enough).toMatchObject({ tip: 100, depth, start: depth, window: blocks - confirmations });
    expect(missing).toMatchObject({ tip: 100, depth: -1, start: depth, window: Infinity });
  });

  test("has every block of a short chain", () => {
    expect(viewFrom(1, 20).depth).toBe(81);
    expect(viewFrom(2, 20).depth).toBe(-1);
  });

  test("knows which blocks are replaced", () => {
    const { isReplaced } = viewFrom(1, 6);
    const row = (height: number, hash: string) => isReplaced({ height, hash });
    expect([row(50, "a50"), row(50, "a50i"), row(50, "b50"), row(1, "b1")]).toEqual([false, false, true, true]);
    expect([row(101, "a101"), row(0, "a0")]).toEqual([undefined, undefined]);
  });

  test("without a chain counts nothing, and forgets nothing", () => {
    const rows = [{ id: "t", index: 0, height: 70, hash: "a70" }];
    const page = { rows, isTop: true, isLast: true };
    const view = viewOf(undefined, 6);
    const row = { id: "old", index: 0, height: 1, hash: "a1" };
    const ledger = { ...ledgerFrom(BOTTOM), recent: [row] };

    const { counted, ledger: after } = taken(page, ledger, view);

    expect(counted).toEqual([]);
    expect(after.recent).toEqual([row]);
    // What is listed at the first poll is old.
    expect(ledgerFromNow(rows, view)).toMatchObject({ floor: { height: 70 }, recent: [{ id: "t", isOld: true }] });
  });

  test("has the tip and its time", () => {
    const chain = chainView(branch, { seenAt: 5 });
    expect(chain).toMatchObject({ tipHeight: 100, tipAt: at(100), seenAt: 5, lowest: 1 });
    const undated = { ...branch, blocks: branch.blocks.map((one) => ({ ...one, time: undefined })) };
    expect(chainView(undated, { seenAt: 5 }).tipAt).toBe(5);
  });
});

const json = ({ height, hash, indexHash, parentHash, time }: Block, more: object = {}) => ({
  canonical: true,
  height,
  hash,
  index_block_hash: indexHash,
  parent_block_hash: parentHash,
  block_time: time,
  burn_block_time: 1,
  burn_block_height: 1,
  tx_count: 1,
  ...Object.fromEntries(DIMENSIONS.map((name) => [`execution_cost_${name}`, 1])),
  ...more,
});

const reading = (ahead: number, servedAt: number | undefined, receivedAt: number, more: object = {}) => {
  const times = { block_time: START + 1000 + ahead, ...more };
  const body = blockByHeight.body.parse(json(run(100, 100)[0] as Block, { ...times, txs: ["0x1", "0x2"] }));
  const response: ApiResponse<typeof body> = { body, receivedAt, servedAt };
  const find = async () => response;
  return readBlock({ ...cannedApi(() => ({ status: 404 })), find } as unknown as StacksApi, 100);
};
const NOW = at(100);
test.each<[number | undefined, number, number]>([
  [undefined, NOW, 120],
  [NOW - 50_000, NOW, 120],
  [NOW + 50_000, NOW, 170],
  [NOW, NOW - 1e9, 120],
])(
  "the date of a block is at most two minutes after the server's (%p) and the local clock (%p)",
  async (servedAt, receivedAt, most) => {
    expect((await reading(most, servedAt, receivedAt))?.time).toBe(START + 1000 + most);
    await expect(reading(most + 1, servedAt, receivedAt)).rejects.toMatchObject({
      reason: "bad_body",
      message: "block_by_height: block 100 is dated 1 s too late",
    });
  },
);

test("a block has the number of its transactions, and times that are not negative and that their text confirms", async () => {
  const block = await reading(0, undefined, NOW, { block_time: 0, burn_block_time: -1 });
  const texts = ["", new Date(NOW).toISOString(), new Date(NOW * 10).toISOString()];
  const times = texts.map(async (text) => (await reading(0, undefined, NOW, { block_time_iso: text }))?.time);

  expect([block?.transactions, block?.time, block?.burnTime]).toEqual([2, 0, undefined]);
  expect(await Promise.all(times)).toEqual([NOW / 1000, NOW / 1000, undefined]);
});

describe("the list of blocks", () => {
  const all = run(1, 700);
  /** A server of the list; an older one ignores cursors and accepts any offset. */
  const listing = (isOld: boolean, more: (url: string) => Canned | undefined = () => undefined) =>
    cannedApi((url) => {
      const canned = more(url);
      if (canned !== undefined) return canned;
      const { searchParams } = new URL(url, "http://api");
      const [cursor, offset] = [searchParams.get("cursor"), Number(searchParams.get("offset") ?? 0)];
      const newest = cursor === null || isOld ? 700 : Number(/\d+/.exec(cursor)?.[0]);
      const top = newest - offset;
      const page = all.slice(Math.max(0, top - 30), top).toReversed();
      return { json: { results: page.map((one) => json(one)) } };
    });
  const below = async (api: StacksApi, from: number, more: Partial<Block> = {}) => {
    const [oldest, ...rest] = run(from, 690) as [Block, ...Block[]];
    return heights(await listSource(api, 700).below([{ ...oldest, ...more }, ...rest]));
  };
  const lacking = cannedApi(() => ({ status: 404 }));
  const listed = (blocks: readonly Block[]) => cannedApi(() => ({ json: { results: blocks.map((one) => json(one)) } }));

  test("of a backend that does not have the block is requested twice", async () => {
    const first = [{ status: 404 }];
    const once = listing(false, () => first.pop());
    expect(await below(once, 300)).toBe(heights(run(271, 299)));
    await expect(below(lacking, 300)).rejects.toMatchObject({ reason: "behind" });
    expect(lacking.requests).toHaveLength(2);
    expect(await heightSource(lacking, 700).below(run(300, 300))).toHaveLength(0);
  });

  test("of an older server is read by offset, from its newer tip", async () => {
    expect(await below(listing(true), 450)).toBe(heights(run(420, 449)));
    expect(await below(listing(false), 450, { indexHash: undefined })).toBe(heights(run(420, 449)));
    expect(await below(listed([]), 450)).toBe("");
  });

  test.each<[string, () => Promise<unknown>, string]>([
    ["is not linked to what is read", () => below(listing(false), 300, { parentHash: "b299" }), "bad_body"],
    ["is not linked", () => listSource(listed([...run(5, 5), ...run(3, 3)]), 1).newest(), "bad_body"],
    ["is not offered", () => listSource(lacking, 9).newest(), "not_found"],
    ["is empty at first", () => listSource(listed([]), undefined).newest(), "empty"],
    [
      "is empty, by height",
      () =>
        heightSource(
          cannedApi(() => ({ json: {} })),
          9,
        ).newest(),
      "behind",
    ],
    ["is empty later", () => listSource(listed([]), 9).newest(), "behind"],
  ])("that %s fails", async (_, read, reason) => {
    await expect(read()).rejects.toMatchObject({ reason });
  });
});
