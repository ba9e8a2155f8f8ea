import { describe, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/task.ts";
import { Sweep } from "../../src/scheduler/round-robin.ts";
import { fakeTask, sweepOf } from "../support/fake-task.ts";

const pace = { intervalMs: 12_000, wishedIntervalMs: 12_000, maxAgeMs: 36_000 };
const taskOf = (key: string): Task => fakeTask(async () => 1, { target: { key } });
const turns = (sweep: Sweep, count: number) =>
  Array.from({ length: count }, () => sweep.take(0)?.target.key ?? "-").join("");

test("takes turns, as often as the number of targets demands", () => {
  const sweep = sweepOf([..."abc"].map(taskOf));

  expect(turns(sweep, 7)).toBe("abcabca");
  expect(sweep.spacingMs).toBe(10_000 / 3);
  expect(turns(new Sweep("mainnet", "fake", pace), 2)).toBe("--");
});

describe("with another list,", () => {
  const [a, b, c, d] = [..."abcd"].map(taskOf) as [Task, Task, Task, Task];

  test("those who stay keep their turns, and new ones come first", () => {
    const sweep = sweepOf([a, b, c]);
    turns(sweep, 1);

    expect(sweep.renew([a, b, c, d], pace)).toEqual({ gone: [], replaced: [] });
    expect(turns(sweep, 8)).toBe("dbcadbca");
    expect(sweep.spacingMs).toBe(3_000);
  });

  test("those who leave have no more turns, and are named", () => {
    const sweep = sweepOf([a, b, c]);

    expect(sweep.renew([c], pace)).toEqual({ gone: [a, b], replaced: [] });
    expect(turns(sweep, 3)).toBe("ccc");
    expect(sweep.renew([], pace).gone).toEqual([c]);
    expect(turns(sweep, 1)).toBe("-");
    expect(sweep.spacingMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("another task for the same target takes its place", () => {
    const sweep = sweepOf([a, b, c]);
    const other = taskOf("b");

    expect(sweep.renew([a, other, c], pace)).toEqual({ gone: [], replaced: [{ before: b, after: other }] });
    expect([sweep.take(0), sweep.take(0)]).toEqual([a, other]);
  });
});

describe("who was seen elsewhere", () => {
  const sweep = () => {
    const made = sweepOf([..."abcd"].map(taskOf));
    turns(made, 4);
    return made;
  };
  const early = (from: Sweep, now: number) => from.takeEarly(now)?.target.key;

  test("is polled before its turn, once, and then waits behind all others", () => {
    const made = sweep();

    expect(made.hint("c", "seen")).toBe(true);
    expect(made.hint("c", "seen")).toBe(false);
    expect(made.hint("stranger", "seen")).toBe(false);
    expect(early(made, 5_000)).toBe("c");
    expect(early(made, 5_000)).toBeUndefined();
    expect(turns(made, 5)).toBe("abdca");
  });

  test("is left alone for a fifth of the interval after a poll, whoever makes it", () => {
    const made = sweep();
    made.hint("c", "seen");

    expect(early(made, 1_999)).toBeUndefined();
    expect(early(made, 2_000)).toBe("c");
    made.hint("c", "seen");
    expect(early(made, 3_999)).toBeUndefined();
    expect(early(made, 4_000)).toBe("c");
  });

  test("needs no hint any more when its turn has come first", () => {
    const made = sweep();
    made.hint("a", "seen");
    turns(made, 1);

    expect(early(made, 1e9)).toBeUndefined();
  });

  test("who is behind goes again at once", () => {
    const made = sweep();
    expect(made.hint("b", "behind")).toBe(true);

    expect(early(made, 0)).toBe("b");
  });

  test("delays nobody: however many hints there are, all have their turn within the interval", () => {
    const made = sweepOf(Array.from({ length: 50 }, (_, index) => taskOf(String(index))));
    const last = new Map<string, number>();
    let longest = 0;
    let hinted = 0;
    const noted = (task: Task | undefined, now: number) => {
      if (task === undefined) return;
      longest = Math.max(longest, now - (last.get(task.target.key) ?? now));
      last.set(task.target.key, now);
    };
    for (let turn = 0; turn < 1_000; turn += 1) {
      const now = turn * made.spacingMs;
      noted(made.take(now), now);
      for (const key of ["1", "2", "3", String(turn % 50)]) made.hint(key, "seen");
      const task = made.takeEarly(now);
      hinted += task === undefined ? 0 : 1;
      noted(task, now);
    }

    expect(hinted).toBeGreaterThan(300);
    expect(longest).toBeLessThanOrEqual(made.pace.intervalMs);
    expect(last.size).toBe(50);
  });

  test("the wish outlives another list only by being made again", () => {
    const made = sweep();
    made.hint("b", "behind");
    made.renew([], pace);

    expect(early(made, 1e9)).toBeUndefined();
  });
});
