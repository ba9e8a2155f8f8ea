import { describe, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/collector.ts";
import type { RoundRobin, Turn } from "../../src/scheduler/round-robin.ts";
import { fakeTask, roundRobinOf } from "../support/fake-task.ts";

const times = { intervalMs: 12_000, configuredIntervalMs: 12_000, maxAgeMs: 36_000 };
const taskOf = (key: string): Task => fakeTask(async () => 1, { target: { key, confirmations: 6 }, ...times });
const order = (roundRobin: RoundRobin, count: number) =>
  Array.from({ length: count }, () => roundRobin.next(0)?.task.target.key ?? "-").join("");

test("polls targets in turn, within the interval", () => {
  const roundRobin = roundRobinOf([..."abc"].map(taskOf));

  expect(order(roundRobin, 7)).toBe("abcabca");
  expect(roundRobin.slotMs).toBe(4_000);
  expect(order(roundRobinOf([]), 2)).toBe("--");
});

test("with another list, targets keep their order, and new ones are first", () => {
  const [a, b, c, d] = [..."abcd"].map(taskOf) as [Task, Task, Task, Task];
  const roundRobin = roundRobinOf([a, b, c]);
  order(roundRobin, 1);
  roundRobin.hint("b", "moved");
  const after = { key: "b", watched: undefined as never, confirmations: 6 };
  roundRobin.update([a.target, after, d.target], times, 100);

  expect(roundRobin.tasks.map(({ target }) => target)).toEqual([d.target, after, a.target]);
  expect(roundRobin.nextEarly(1e6, (kind) => kind === "moved")?.task.target).toBe(after);
  expect(order(roundRobin, 6)).toBe("dabdab");
});

describe("a target that is due early", () => {
  // Polled at 0, in this order; a pause is a fifth of the interval.
  const roundRobin = () => {
    const made = roundRobinOf([..."abcd"].map(taskOf));
    order(made, 4);
    return made;
  };
  let turn: Turn | undefined;
  const early = (from: RoundRobin, now: number, hasSpare = true) => {
    turn = from.nextEarly(now, (kind) => hasSpare || kind === "moved");
    return turn?.task.target.key;
  };

  test("is polled once, and then moves to the end of the queue", () => {
    const made = roundRobin();
    for (const key of ["c", "c", "stranger"]) made.hint(key, "moved");

    expect(early(made, 2_399)).toBeUndefined();
    expect(early(made, 2_400)).toBe("c");
    expect(early(made, 2_400)).toBeUndefined();
    expect(order(made, 5)).toBe("abdca");
  });

  // Polled early at 5 s.
  test.each([
    ["ok", undefined],
    ["failed", 17_000],
    ["none", 7_400],
  ] as const)("after the outcome %s is due again at %s", (outcome, at) => {
    const made = roundRobin();
    made.hint("c", "moved");
    early(made, 5_000);
    made.ended(turn as Turn, outcome);

    if (at !== undefined) expect(early(made, at - 1)).toBeUndefined();
    expect(early(made, at ?? 1e9)).toBe(at === undefined ? undefined : "c");
  });

  test("stays so when it has moved while it was polled, and not when it was polled on schedule since", () => {
    const made = roundRobin();
    for (const key of ["a", "c"]) made.hint(key, "moved");
    early(made, 5_000);
    made.hint("a", "moved");
    made.ended(turn as Turn, "failed");
    made.next(0);
    made.ended(made.next(0) as Turn, "ok");

    expect(early(made, 7_399)).toBeUndefined();
    expect(early(made, 7_400)).toBe("a");
    made.ended(turn as Turn, "ok");
    expect(early(made, 1e9)).toBeUndefined();
  });

  test.each([
    [100, 20],
    [300, 60],
    [3_600, 60],
  ])("is polled %d s after its last poll with an interval of %d s, or at once", (interval, pause) => {
    const made = roundRobin();
    made.update(
      made.tasks.map(({ target }) => target),
      { ...times, configuredIntervalMs: interval * 1000 },
      0,
    );
    made.hint("a", "moved");
    made.hint("b", "spare", true);

    expect(early(made, 0)).toBe("b");
    expect(early(made, pause * 1000 - 1)).toBeUndefined();
    expect(early(made, pause * 1000)).toBe("a");
  });

  test("is the first one if it has moved, and the only one without a remaining budget", () => {
    const made = roundRobin();
    made.hint("b", "spare", true);
    made.hint("c", "moved");
    made.hint("d", "spare");
    made.hint("d", "moved");
    made.hint("d", "spare", true);

    expect(early(made, 5_000, false)).toBe("c");
    expect(early(made, 5_000)).toBe("d");
    expect(early(made, 5_000, false)).toBeUndefined();
    expect(early(made, 5_000)).toBe("b");
  });
});

test("a target whose poll fails for the first time is due again after five minutes, and then in its turn", () => {
  const hour = { intervalMs: 3_600_000, configuredIntervalMs: 3_600_000, maxAgeMs: 10_800_000 };
  const made = roundRobinOf([fakeTask(async () => 1, { target: { key: "a", confirmations: 1 }, ...hour })]);
  made.ended(made.next(0) as Turn, "failed");

  expect(made.nextEarly(299_999, () => true)).toBeUndefined();
  const again = made.nextEarly(300_000, (kind) => kind === "spare") as Turn;
  expect(again.task.target.key).toBe("a");
  made.ended(again, "failed");
  expect(made.nextEarly(36_000_000, () => true)).toBeUndefined();
});
