import { describe, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/task.ts";
import { RoundRobin } from "../../src/scheduler/round-robin.ts";
import type { HintCause } from "../../src/telemetry/self-counters.ts";
import { fakeTask, roundRobinOf } from "../support/fake-task.ts";

const times = { intervalMs: 12_000, configuredIntervalMs: 12_000, maxAgeMs: 36_000 };
const taskOf = (key: string): Task => fakeTask(async () => 1, { target: { key } });
const order = (roundRobin: RoundRobin, count: number) =>
  Array.from({ length: count }, () => roundRobin.next(0)?.target.key ?? "-").join("");

test("polls targets in turn, within the interval", () => {
  const roundRobin = roundRobinOf([..."abc"].map(taskOf));

  expect(order(roundRobin, 7)).toBe("abcabca");
  expect(roundRobin.slotMs).toBe(10_000 / 3);
  expect(
    order(
      new RoundRobin(
        fakeTask(async () => 0),
        times,
      ),
      2,
    ),
  ).toBe("--");
});

describe("with another list,", () => {
  const [a, b, c, d] = [..."abcd"].map(taskOf) as [Task, Task, Task, Task];

  test("targets keep their order, and new ones are first", () => {
    const roundRobin = roundRobinOf([a, b, c]);
    order(roundRobin, 1);

    expect(roundRobin.update([a, b, c, d], times)).toEqual({ removed: [], replaced: [] });
    expect(order(roundRobin, 8)).toBe("dbcadbca");
    expect(roundRobin.slotMs).toBe(3_000);
  });
});

describe("a target with a hint", () => {
  // Polled at 0, in this order.
  const roundRobin = () => {
    const made = roundRobinOf([..."abcd"].map(taskOf));
    order(made, 4);
    return made;
  };
  const early = (from: RoundRobin, now: number, hasSpare = true) => from.nextEarly(now, hasSpare)?.task.target.key;

  test("is polled early, and then moves to the end of the queue", () => {
    const made = roundRobin();

    expect(made.hint("c", "moved", 4_000)).toBe(true);
    expect(made.hint("c", "moved", 4_500)).toBe(false);
    expect(made.hint("stranger", "moved", 4_500)).toBe(false);
    expect(early(made, 5_000)).toBe("c");
    expect(early(made, 5_000)).toBeUndefined();
    expect(order(made, 5)).toBe("abdca");
  });

  test("is polled early again when the poll fails, and not after one that has succeeded", () => {
    const made = roundRobin();
    made.hint("c", "moved", 4_000);
    early(made, 5_000);

    expect(early(made, 6_999)).toBeUndefined();
    expect(early(made, 7_000)).toBe("c");
    made.succeeded("c");
    expect(early(made, 1e9)).toBeUndefined();
  });

  test("keeps a hint that it gets while it is polled", () => {
    const made = roundRobin();
    made.hint("c", "moved", 4_000);
    early(made, 5_000);
    expect(made.hint("c", "moved", 6_000)).toBe(true);
    made.succeeded("c");

    expect(early(made, 6_999)).toBeUndefined();
    expect(early(made, 7_000)).toBe("c");
  });

  test("is not polled early if it has been polled on schedule since the hint", () => {
    const made = roundRobin();
    made.hint("a", "moved", 1);
    made.next(2);
    made.succeeded("a");

    expect(early(made, 1e9)).toBeUndefined();
  });

  test("is polled early a minute after its last poll, or a fifth of a shorter interval, and at once if it is behind", () => {
    const of = (seconds: number, cause: HintCause) => {
      const made = roundRobin();
      made.update(made.tasks, { ...times, configuredIntervalMs: seconds * 1000 });
      made.hint("a", cause, 1);
      return [...Array(100).keys()].find((second) => early(made, second * 1000) === "a");
    };

    expect([100, 300, 3_600].map((seconds) => of(seconds, "moved"))).toEqual([20, 60, 60]);
    expect([100, 300, 3_600].map((seconds) => of(seconds, "waiting"))).toEqual([20, 60, 60]);
    expect([100, 300, 3_600].map((seconds) => of(seconds, "behind"))).toEqual([0, 0, 0]);
  });

  test("that has moved is first, and the only one without a remaining budget", () => {
    const made = roundRobin();
    made.hint("b", "behind", 1);
    made.hint("c", "moved", 1);
    made.hint("d", "waiting", 1);
    expect(made.hint("d", "moved", 2)).toBe(true);
    expect(made.hint("d", "behind", 3)).toBe(false);

    expect(early(made, 5_000, false)).toBe("c");
    expect(early(made, 5_000)).toBe("d");
    expect(early(made, 5_000, false)).toBeUndefined();
    expect(early(made, 5_000)).toBe("b");
  });

  test("delays no other target, however many hints there are", () => {
    const made = roundRobinOf(Array.from({ length: 50 }, (_, index) => taskOf(String(index))));
    const last = new Map<string, number>();
    let longest = 0;
    let hinted = 0;
    const noted = (task: Task | undefined, now: number) => {
      if (task === undefined) return;
      longest = Math.max(longest, now - (last.get(task.target.key) ?? now));
      last.set(task.target.key, now);
      made.succeeded(task.target.key);
    };
    for (let turn = 0; turn < 1_000; turn += 1) {
      const now = turn * made.slotMs;
      noted(made.next(now), now);
      for (const key of ["1", "2", "3", String(turn % 50)]) made.hint(key, "moved", now);
      const next = made.nextEarly(now, false);
      hinted += next === undefined ? 0 : 1;
      noted(next?.task, now);
    }

    expect(hinted).toBeGreaterThan(300);
    expect(longest).toBeLessThanOrEqual(made.times.intervalMs);
    expect(last.size).toBe(50);
  });
});
