import { describe, expect, test } from "@jest/globals";
import type { Draft } from "../../src/collectors/counters.ts";
import { type Met, meet, noSlots, type Room, type Slots, trim } from "../../src/collectors/slots.ts";

const nothing = () => noSlots() as Draft<Slots>;
const roomFor = (most: number, named: readonly string[] = [], spare = 1000): Room => ({
  most,
  named: new Set(named),
  spare,
});

function meetTimes(slots: Draft<Slots>, label: string, times: number, room: Room): Met[] {
  return Array.from({ length: times }, () => meet(slots, label, room));
}

const isOwn = (met: readonly Met[]) => met.map((one) => one.isOwn);

describe("without a slot left", () => {
  test("a label takes the slot of the least met one when it was met more than twice as often", () => {
    const [slots, room] = [nothing(), roomFor(2)];
    meetTimes(slots, "much", 9, room);
    meetTimes(slots, "little", 2, room);

    const met = meetTimes(slots, "new", 5, room);

    expect(isOwn(met)).toEqual([false, false, false, false, true]);
    expect(met.at(-1)?.evicted).toBe("little");
    expect(slots.own).toEqual({ much: 9, new: 5 });
    expect(slots.waiting).toEqual({ little: 2 });
  });

  test("a label that lost its slot comes back by the same rule, so that two labels swap only when counts have doubled", () => {
    const [slots, room] = [nothing(), roomFor(1)];
    let evictions = 0;
    let total = 0;
    while (total < 100_000) {
      const label = "a" in slots.own ? "b" : "a";
      total += 1;
      if (meet(slots, label, room).evicted !== undefined) evictions += 1;
    }

    expect(evictions).toBeGreaterThan(5);
    expect(evictions).toBeLessThanOrEqual(Math.log2(total));
  });

  test("labels that are met equally often stay where they are", () => {
    const [slots, room] = [nothing(), roomFor(3)];
    const evicted: unknown[] = [];
    for (let round = 0; round < 1000; round += 1) {
      for (const label of ["a", "b", "c", "d", "e"]) evicted.push(meet(slots, label, room).evicted);
    }

    expect(evicted.filter((label) => label !== undefined)).toEqual([]);
    expect(Object.keys(slots.own)).toEqual(["a", "b", "c"]);
  });

  test("a label that makes up a thirtieth of a stream of new ones gets its slot", () => {
    const [slots, room] = [nothing(), roomFor(2)];
    for (const label of ["x", "y"]) meetTimes(slots, label, 3, room);
    let junk = 0;
    let rounds = 0;
    while (!("real" in slots.own) && rounds < 100) {
      rounds += 1;
      for (let each = 0; each < 29; each += 1) meet(slots, `junk-${junk++}`, room);
      meet(slots, "real", room);
    }

    expect(rounds).toBeLessThan(20);
    expect(Object.keys(slots.own).filter((label) => label.startsWith("junk"))).toEqual([]);
    expect(Object.keys(slots.waiting).length).toBeLessThanOrEqual(64);
  });
});

describe("named labels", () => {
  test("take the slot of the least met one that is not named", () => {
    const [slots, room] = [nothing(), roomFor(2, ["named"])];
    meetTimes(slots, "a", 9, room);
    meetTimes(slots, "b", 8, room);

    expect(meet(slots, "named", room)).toEqual({ isOwn: true, evicted: "b" });
    meetTimes(slots, "c", 100, room);
    expect(Object.keys(slots.own)).toEqual(["named", "c"]);
  });

  test("have slots beyond the limit when all are named", () => {
    const named = ["a", "b", "c"];
    const [slots, room] = [nothing(), roomFor(1, named, 0)];

    expect(named.map((label) => meet(slots, label, room))).toEqual(
      named.map(() => ({ isOwn: true, evicted: undefined })),
    );
    expect(isOwn(meetTimes(slots, "stranger", 100, room))).toEqual(Array(100).fill(false));
  });

  test("keep their slots when the limit is lowered", () => {
    const slots = nothing();
    for (const [label, times] of [
      ["a", 5],
      ["b", 1],
      ["c", 7],
      ["d", 3],
    ] as const) {
      meetTimes(slots, label, times, roomFor(10));
    }

    expect(trim(slots, roomFor(2, ["b"]))).toEqual(["d", "a"]);
    expect(slots.own).toEqual({ b: 1, c: 7 });
    expect(trim(slots, roomFor(0, ["b"]))).toEqual(["c"]);
  });
});

test("no slot is added when there is no room for more series", () => {
  const [slots, room] = [nothing(), roomFor(10, [], 2)];

  expect(["a", "b", "c", "d"].map((label) => meet(slots, label, room).isOwn)).toEqual([true, true, false, false]);
  expect(room.spare).toBe(0);
});

test("a limit of none gives none", () => {
  expect(isOwn(meetTimes(nothing(), "a", 10, roomFor(0)))).toEqual(Array(10).fill(false));
});
