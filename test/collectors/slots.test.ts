import { describe, expect, test } from "@jest/globals";
import type { Draft } from "../../src/collectors/counters.ts";
import { type Assignment, assignSlot, noSlots, type SlotLimits, type Slots, trim } from "../../src/collectors/slots.ts";

const nothing = () => noSlots() as Draft<Slots>;
const limitsOf = (max: number, named: readonly string[] = [], spare = 1000): SlotLimits => ({
  max,
  named: new Set(named),
  spare,
});

function assignTimes(slots: Draft<Slots>, label: string, times: number, limits: SlotLimits): Assignment[] {
  return Array.from({ length: times }, () => assignSlot(slots, label, limits));
}

const isOwn = (met: readonly Assignment[]) => met.map((one) => one.isOwn);

describe("without a free slot", () => {
  test("a label replaces the least frequent one when it has occurred more than twice as often", () => {
    const [slots, limits] = [nothing(), limitsOf(2)];
    assignTimes(slots, "much", 9, limits);
    assignTimes(slots, "little", 2, limits);

    const met = assignTimes(slots, "new", 5, limits);

    expect(isOwn(met)).toEqual([false, false, false, false, true]);
    expect(met.at(-1)?.evicted).toBe("little");
    expect(slots.own).toEqual({ much: 9, new: 5 });
    expect(slots.waiting).toEqual({ little: 2 });
  });

  test("two labels swap again only when their counts have doubled", () => {
    const [slots, limits] = [nothing(), limitsOf(1)];
    let evictions = 0;
    let total = 0;
    while (total < 100_000) {
      const label = "a" in slots.own ? "b" : "a";
      total += 1;
      if (assignSlot(slots, label, limits).evicted !== undefined) evictions += 1;
    }

    expect(evictions).toBeGreaterThan(5);
    expect(evictions).toBeLessThanOrEqual(Math.log2(total));
  });

  test("labels with equal counts keep their slots", () => {
    const [slots, limits] = [nothing(), limitsOf(3)];
    const evicted: unknown[] = [];
    for (let round = 0; round < 1000; round += 1) {
      for (const label of ["a", "b", "c", "d", "e"]) evicted.push(assignSlot(slots, label, limits).evicted);
    }

    expect(evicted.filter((label) => label !== undefined)).toEqual([]);
    expect(Object.keys(slots.own)).toEqual(["a", "b", "c"]);
  });

  test("a label that makes up one in thirty of a stream of new labels takes a slot", () => {
    const [slots, limits] = [nothing(), limitsOf(2)];
    for (const label of ["x", "y"]) assignTimes(slots, label, 3, limits);
    let junk = 0;
    let rounds = 0;
    while (!("real" in slots.own) && rounds < 100) {
      rounds += 1;
      for (let each = 0; each < 29; each += 1) assignSlot(slots, `junk-${junk++}`, limits);
      assignSlot(slots, "real", limits);
    }

    expect(rounds).toBeLessThan(20);
    expect(Object.keys(slots.own).filter((label) => label.startsWith("junk"))).toEqual([]);
    expect(Object.keys(slots.waiting).length).toBeLessThanOrEqual(64);
  });
});

describe("configured labels", () => {
  test("replace the least frequent label that is not configured", () => {
    const [slots, limits] = [nothing(), limitsOf(2, ["named"])];
    assignTimes(slots, "a", 9, limits);
    assignTimes(slots, "b", 8, limits);

    expect(assignSlot(slots, "named", limits)).toEqual({ isOwn: true, evicted: "b" });
    assignTimes(slots, "c", 100, limits);
    expect(Object.keys(slots.own)).toEqual(["named", "c"]);
  });

  test("can exceed the limit", () => {
    const named = ["a", "b", "c"];
    const [slots, limits] = [nothing(), limitsOf(1, named, 0)];

    expect(named.map((label) => assignSlot(slots, label, limits))).toEqual(
      named.map(() => ({ isOwn: true, evicted: undefined })),
    );
    expect(isOwn(assignTimes(slots, "stranger", 100, limits))).toEqual(Array(100).fill(false));
  });

  test("keep their slots when the limit is lowered", () => {
    const slots = nothing();
    for (const [label, times] of [
      ["a", 5],
      ["b", 1],
      ["c", 7],
      ["d", 3],
    ] as const) {
      assignTimes(slots, label, times, limitsOf(10));
    }

    expect(trim(slots, limitsOf(2, ["b"]))).toEqual(["d", "a"]);
    expect(slots.own).toEqual({ b: 1, c: 7 });
    expect(trim(slots, limitsOf(0, ["b"]))).toEqual(["c"]);
  });
});

test("no slot is added beyond the maximum number of series", () => {
  const [slots, limits] = [nothing(), limitsOf(10, [], 2)];

  expect(["a", "b", "c", "d"].map((label) => assignSlot(slots, label, limits).isOwn)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(limits.spare).toBe(0);
});

test("a limit of 0 allows no slots", () => {
  expect(isOwn(assignTimes(nothing(), "a", 10, limitsOf(0)))).toEqual(Array(10).fill(false));
});
