import { describe, expect, test } from "@jest/globals";
import { Sweep } from "../../src/poll/sweep.ts";
import type { Task } from "../../src/poll/task.ts";
import { fakeTask, sweepOf } from "../support/fake-task.ts";

const pace = { intervalMs: 12_000, wishedIntervalMs: 12_000, maxAgeMs: 36_000 };
const taskOf = (key: string): Task => fakeTask(async () => 1, { target: { key } });
const turns = (sweep: Sweep, count: number) =>
  Array.from({ length: count }, () => sweep.take()?.target.key ?? "-").join("");

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
    expect([sweep.take(), sweep.take()]).toEqual([a, other]);
  });
});
