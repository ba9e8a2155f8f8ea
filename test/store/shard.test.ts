import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { shardOf } from "../../src/store/shard.ts";

test("the shard of a principal is one of them, and moves only to a new one when shards are added", () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 20 }), fc.integer({ min: 0, max: 10 }), (one, count, more) => {
      const [before, after] = [shardOf(one, count), shardOf(one, count + more)];
      return before < count && (after === before || after >= count);
    }),
  );
});

test("it is each of them about equally often, and few move", () => {
  const many = Array.from({ length: 12_000 }, (_, index) => `SP${index}`);
  const counts = Object.values(Object.groupBy(many, (one) => String(shardOf(one, 4)))).map((own) => own?.length ?? 0);
  const moved = many.filter((one) => shardOf(one, 4) !== shardOf(one, 6)).length;

  expect(counts).toHaveLength(4);
  for (const count of counts) expect(Math.abs(count - 3000)).toBeLessThan(200);
  expect(moved / many.length).toBeCloseTo(1 / 3, 1);
});
