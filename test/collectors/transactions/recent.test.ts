import { describe, expect, test } from "@jest/globals";
import { pruned, type RecentBlock, rowsOf, withRead } from "../../../src/collectors/transactions/recent.ts";
import type { ChainTransaction } from "../../../src/collectors/transactions/source.ts";
import { chainOf } from "../../support/known-chain.ts";

const NOW = 1_795_000_000;

/** A listed transaction of a block; blocks are ten seconds apart, and the tip is 100. */
const row = (height: number, index: number, hash = `h${height}`, id = `${hash}-${index}`): ChainTransaction => ({
  ...{ id, height, index, hash, type: "token_transfer", status: "success", fee: 100 },
  ...{
    at: NOW - (100 - height) * 10,
    sender: "SP1",
    nonce: 1,
    sponsor: undefined,
    recipient: "SP2",
    called: undefined,
  },
});
const ids = (blocks: readonly RecentBlock[]) => rowsOf(blocks).map(({ id }) => id);
const fromTop = (rows: readonly ChainTransaction[]) => ({ rows, isFromTop: true });
const resumed = (rows: readonly ChainTransaction[]) => ({ rows, isFromTop: false });
const read = (...rows: readonly ChainTransaction[]) => withRead([], fromTop(rows), undefined, NOW);

describe("a read", () => {
  test("adds the new blocks, and completes one that was cut at the end of a page", () => {
    const before = read(row(100, 2), row(100, 1));

    const blocks = withRead(
      before,
      fromTop([row(101, 0), row(100, 2), row(100, 1), row(100, 0), row(99, 1)]),
      undefined,
      NOW,
    );

    expect(ids(blocks)).toEqual(["h101-0", "h100-2", "h100-1", "h100-0", "h99-1"]);
  });

  test("continues below what is known", () => {
    const before = read(row(100, 1), row(99, 2));

    expect(ids(withRead(before, resumed([row(99, 1), row(99, 0), row(98, 0)]), undefined, NOW))).toEqual([
      ...["h100-1", "h99-2", "h99-1", "h99-0", "h98-0"],
    ]);
  });

  test("replaces the blocks of its heights, also those that no longer have transactions", () => {
    const before = read(row(100, 0), row(99, 0), row(98, 0), row(97, 0));

    const blocks = withRead(before, fromTop([row(100, 0, "new"), row(98, 0, "new"), row(97, 0)]), undefined, NOW);

    expect(ids(blocks)).toEqual(["new-0", "new-0", "h97-0"]);
    expect(blocks.map(({ height }) => height)).toEqual([100, 98, 97]);
  });

  test("from a server that is behind keeps what is above its tip", () => {
    const before = read(row(100, 0), row(99, 0));

    expect(ids(withRead(before, fromTop([row(99, 0), row(98, 0)]), undefined, NOW))).toEqual([
      ...["h100-0", "h99-0", "h98-0"],
    ]);
  });

  test("moves a transaction that is mined again in another block", () => {
    const before = read(row(100, 0, "h100", "moved"), row(98, 0));

    const blocks = withRead(before, fromTop([row(99, 0, "h99", "moved"), row(98, 0)]), undefined, NOW);

    expect(ids(blocks)).toEqual(["moved", "h98-0"]);
  });
});

test("blocks that the chain has replaced leave", () => {
  const chain = chainOf(100, [
    [100, { hash: "other" }],
    [99, { hash: "h99" }],
  ]);

  expect(ids(pruned(read(row(100, 0), row(99, 0)), chain, NOW))).toEqual(["h99-0"]);
});

test("blocks older than 15 minutes leave, and those far ahead of the clock are not taken", () => {
  const rows = [row(200, 0), row(100, 0), row(11, 0), row(10, 0)];

  expect(ids(withRead([], fromTop(rows), undefined, NOW))).toEqual(["h100-0", "h11-0"]);
});

test("transactions are limited, the newest ones first", () => {
  const rows = Array.from({ length: 80 }, (_, place) => row(100 - place, 0)).flatMap((one) =>
    Array.from({ length: 50 }, (_, index) => ({ ...one, index: 49 - index, id: `${one.hash}-${index}` })),
  );

  expect(rowsOf(withRead([], fromTop(rows), undefined, NOW))).toHaveLength(3000);
});
