import { describe, expect, test } from "@jest/globals";
import { type Block, mapDimensions } from "../../../src/chain/block-source.ts";
import { recentUse } from "../../../src/collectors/blocks/tenures.ts";

const LIMITS = mapDimensions(() => 1000);

/** A block at the given time, with its cost in two dimensions. */
const block = (time: number | undefined, runtime: number, read_count = 0): Block => ({
  height: 1,
  hash: "0x1",
  indexHash: undefined,
  parentHash: "0x0",
  time,
  burnHeight: 1,
  burnTime: undefined,
  transactions: 1,
  cost: { ...mapDimensions(() => 0), runtime, read_count },
});

/** A block every ten seconds up to a time, with a cost. */
const blocks = (count: number, until: number, runtime: number) =>
  Array.from({ length: count }, (_, index) => block(until - 10 * (count - 1 - index), runtime));

describe("the use of blocks", () => {
  test("is the cost of ten minutes divided by the limit of a tenure", () => {
    // 60 blocks follow the one at the start of the ten minutes.
    expect(recentUse(blocks(200, 10_000, 10), LIMITS)).toBeCloseTo(0.6);
    expect(recentUse(blocks(200, 10_000, 40), LIMITS)).toBeCloseTo(2.4);
  });

  test("is the use of the fullest dimension", () => {
    const recent = [block(0, 1, 1), ...blocks(59, 590, 1), block(600, 1, 900)];

    expect(recentUse(recent, LIMITS)).toBeCloseTo(0.9);
  });

  test("is extrapolated from at least five minutes, and otherwise unknown", () => {
    expect(recentUse(blocks(31, 10_000, 10), LIMITS)).toBeCloseTo(0.6);
    expect(recentUse(blocks(30, 10_000, 10), LIMITS)).toBeUndefined();
  });

  test("is unknown while the times of blocks are unknown", () => {
    expect(recentUse([block(undefined, 1), block(undefined, 1)], LIMITS)).toBeUndefined();
    expect(recentUse([block(100, 1), block(undefined, 1)], LIMITS)).toBeUndefined();
    const recent = [block(undefined, 1), ...blocks(61, 10_000, 10)];
    expect(recentUse(recent, LIMITS)).toBeCloseTo(0.6);
  });
});
