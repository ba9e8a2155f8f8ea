import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Task } from "../../src/collectors/collector.ts";
import type { PollKind } from "../../src/scheduler/poller.ts";
import type { RoundRobin } from "../../src/scheduler/round-robin.ts";
import { runSchedules, type ScheduleOptions } from "../../src/scheduler/schedule.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { fakeTask, roundRobinOf } from "../support/fake-task.ts";

let clock: FakeClock;
let stop: AbortController;

beforeEach(() => {
  clock = new FakeClock();
  stop = new AbortController();
});

const run = (
  tasks: readonly Task[],
  roundRobins: readonly RoundRobin[],
  poll: (...of: Parameters<ScheduleOptions["poll"]>) => Promise<void>,
  waitFor: ScheduleOptions["waitFor"] = () => 0,
) => {
  const polled = new Set<Task>();
  // As a poller does: a task whose poll is running is not polled.
  const once = async (task: Task, kind: PollKind) => {
    if (polled.has(task)) return "none" as const;
    polled.add(task);
    await poll(task, kind);
    polled.delete(task);
    return "ok" as const;
  };
  const rounds = [...tasks.map((task) => roundRobinOf([task])), ...roundRobins];
  return runSchedules(rounds, { clock, stop: stop.signal, waitFor, poll: once });
};

/** Lets schedules run for a time, and stops them. */
async function stopAfter(milliseconds: number, running: Promise<void>): Promise<void> {
  await clock.advance(milliseconds);
  stop.abort();
  await running;
}

test("polls at start, and then at fixed times that slow polls do not shift", async () => {
  const start = clock.now();
  const times: number[] = [];
  const durations = [0, 4_000, 12_000, 0];
  const poll = async () => {
    times.push(clock.now() - start);
    await clock.sleep(durations.shift() ?? 0);
  };
  const running = run([fakeTask(async () => 1)], [], poll);
  await stopAfter(55_000, running);

  expect(times).toEqual([0, 10_000, 20_000, 40_000, 50_000]);
});

test("a task that hangs does not delay another", async () => {
  const hanging = fakeTask(async () => 1, {}, "hanging");
  const other = fakeTask(async () => 1, {}, "other");
  let count = 0;
  const poll = async ({ collector }: { collector: { name: string } }) => {
    if (collector.name === "hanging") await new Promise((resolve) => stop.signal.addEventListener("abort", resolve));
    else count += 1;
  };
  const running = run([hanging, other], [], poll);
  await stopAfter(35_000, running);

  expect(count).toBe(4);
});

test("polls that end at once leave turns of the event loop to what else the process does", async () => {
  const keys = Array.from({ length: 1000 }, (_, index) => String(index));
  const roundRobin = roundRobinOf(keys.map((key) => fakeTask(async () => 1, { target: { key, confirmations: 6 } })));
  for (const key of keys) roundRobin.hint(key, "moved", true);
  let count = 0;
  const running = run([], [roundRobin], async () => {
    count += 1;
  });
  await settle();
  const polled = count;
  stop.abort();
  await running;

  expect(polled).toBeGreaterThan(0);
  expect(polled).toBeLessThan(keys.length);
});

test("starts a round robin after the first poll of the collector that follows the chain", async () => {
  const order: string[] = [];
  const { collector } = fakeTask(async () => 1);
  const blocks = fakeTask(async () => 1, { collector: { ...collector, isFollower: true } });
  const poll = async ({ target }: Task) => {
    order.push(`begin ${target.key}`);
    await clock.sleep(2_000);
    order.push(`end ${target.key}`);
  };
  const roundRobin = roundRobinOf([fakeTask(async () => 1, { target: { key: "a", confirmations: 6 } })]);
  const running = run([blocks], [roundRobin], poll);
  await stopAfter(4_500, running);

  expect(order).toEqual(["begin ", "end ", "begin a", "end a"]);
});

test("uses a new interval at once, even if the next slot is far away", async () => {
  const polled: string[] = [];
  const start = clock.now();
  const [a, b] = ["a", "b"].map((key) => fakeTask(async () => 1, { target: { key, confirmations: 6 } })) as [
    Task,
    Task,
  ];
  const roundRobin = roundRobinOf([]);
  const poll = async ({ target }: Task) => {
    polled.push(`${target.key} ${(clock.now() - start) / 1000}`);
  };
  const running = run([], [roundRobin], poll);
  await clock.advance(25_000);
  roundRobin.update([a.target], { intervalMs: 3_600_000, configuredIntervalMs: 3_600_000, maxAgeMs: 1e9 }, 0);
  await clock.advance(25_000);
  roundRobin.update([a.target, b.target], { intervalMs: 20_000, configuredIntervalMs: 20_000, maxAgeMs: 1e9 }, 0);
  await stopAfter(25_000, running);

  expect(polled).toEqual(["a 26", "b 51", "a 61", "b 71"]);
});

describe("early polls:", () => {
  const start = () => {
    const polled: string[] = [];
    const from = clock.now();
    const waits: number[] = [];
    const waitFor = (priority: number) => Math.max(0, (waits[priority] ?? 0) - (clock.now() - from));
    const { collector } = fakeTask(async () => 1);
    const tasks = ["a", "b", "c"].map((key) =>
      fakeTask(async () => 1, {
        ...{ target: { key, confirmations: 6 }, collector: { ...collector, priority: 5 } },
        ...{ intervalMs: 60_000, configuredIntervalMs: 5_000 },
      }),
    );
    const roundRobin = roundRobinOf(tasks);
    const poll = async ({ target }: Task, kind: PollKind) => {
      polled.push(`${target.key} ${kind} ${(clock.now() - from) / 1000}`);
      await Promise.resolve();
      if (kind === "spare" && polled.length < 6) roundRobin.hint(target.key, "spare", true);
    };
    const running = run([], [roundRobin], poll, waitFor);
    return { polled, roundRobin, running, waits };
  };

  test("a target that is behind is polled again at once, and the slots stay as they were", async () => {
    const { polled, roundRobin, running } = start();
    await clock.advance(5_500);
    roundRobin.hint("c", "spare", true);
    await stopAfter(16_000, running);

    expect(polled).toEqual(["a due 0", ...Array(5).fill("c spare 6"), "b due 20"]);
  });

  test("a target that has moved needs less of the budget than one that is behind", async () => {
    const { polled, roundRobin, running, waits } = start();
    [waits[4], waits[9]] = [5_000, 15_000];
    roundRobin.hint("b", "spare", true);
    roundRobin.hint("c", "moved");
    await stopAfter(15_000, running);

    expect(polled.slice(0, 3)).toEqual(["a due 0", "c moved 5", "b spare 15"]);
  });

  test("a slot waits for the budget that early polls leave, at most for three slots", async () => {
    const { polled, running, waits } = start();
    waits[5] = 130_000;
    await stopAfter(151_000, running);

    expect(polled).toEqual(["a overdue 60", "b due 130", "c due 150"]);
  });
});

test("ends only when the running poll has ended", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  const running = run([fakeTask(async () => 1)], [], () => promise).then(() => {
    isOver = true;
  });
  await settle();
  stop.abort();
  await settle();
  expect(isOver).toBe(false);
  resolve();
  await running;
  expect(isOver).toBe(true);
});
