// A cron schedule runs at the times of node-cron, on the (faked) clock of the machine.
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import type { Clock } from "../../src/api/clock.ts";
import type { Task } from "../../src/collectors/collector.ts";
import { runSchedules } from "../../src/scheduler/schedule.ts";
import { settle } from "../support/fake-clock.ts";
import { fakeTask, roundRobinOf } from "../support/fake-task.ts";

beforeEach(() => {
  jest.useFakeTimers({
    now: Date.UTC(2026, 10, 21, 12, 0, 3),
    doNotFake: ["setImmediate", "nextTick", "queueMicrotask"],
  });
});
afterEach(() => {
  jest.useRealTimers();
});

const clock: Clock = {
  now: () => Date.now(),
  elapsed: () => Date.now(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      setTimeout(resolve, milliseconds);
      signal?.addEventListener("abort", () => resolve());
    }),
};

const waitFor = () => 0;

async function pass(seconds: number) {
  for (let second = 0; second < seconds; second += 1) {
    await settle();
    await jest.advanceTimersByTimeAsync(1000);
  }
}

test("polls at once, and then at the times of the expression, except those during a poll", async () => {
  const task = fakeTask(async () => 1, {
    cron: "*/10 * * * * *",
  });
  const stop = new AbortController();
  const polled: number[] = [];
  const third = Promise.withResolvers<void>();
  let isPolling = false;
  const poll = async () => {
    if (isPolling) return "none" as const;
    polled.push(new Date().getUTCSeconds());
    isPolling = true;
    if (polled.length === 3) await third.promise;
    isPolling = false;
    return "ok" as const;
  };
  const running = runSchedules([roundRobinOf([task])], { clock, stop: stop.signal, waitFor, poll });
  await pass(35);
  expect(polled).toEqual([3, 10, 20]);
  third.resolve();
  await pass(10);
  stop.abort();
  await running;

  expect(polled).toEqual([3, 10, 20, 40]);
});

test("polls every target at each time", async () => {
  const cron = "0 * * * * *";
  const tasks = ["a", "b", "c"].map((key) => fakeTask(async () => 1, { cron, target: { key, confirmations: 6 } }));
  const stop = new AbortController();
  const polled: string[] = [];
  const poll = async ({ target }: Task) => {
    polled.push(`${target.key} ${new Date().getUTCMinutes()}`);
    return "ok" as const;
  };
  const running = runSchedules([roundRobinOf(tasks)], { clock, stop: stop.signal, waitFor, poll });
  await pass(60);
  polled.length = 0;
  await pass(120);
  stop.abort();
  await running;

  expect(polled.toSorted()).toEqual(["a 2", "a 3", "b 2", "b 3", "c 2", "c 3"]);
});

test("polls at the times of the expression after the clock was set back by a day", async () => {
  let setBack = 0;
  const elapsed = () => Date.now() + setBack;
  const task = fakeTask(async () => 1, {
    cron: "0 * * * * *",
  });
  const stop = new AbortController();
  let polls = 0;
  const poll = async () => {
    polls += 1;
    return "ok" as const;
  };
  const running = runSchedules([roundRobinOf([task])], {
    clock: { ...clock, elapsed },
    stop: stop.signal,
    waitFor,
    poll,
  });
  await pass(30);
  expect(polls).toBe(1);
  setBack = 86_400_000;
  jest.setSystemTime(Date.now() - setBack);
  await pass(300);
  stop.abort();
  await running;
  expect(polls).toBe(6);
});
