// A cron schedule runs by node-cron, on the (faked) clock of the machine.
import { afterEach, beforeEach, expect, jest, test } from "@jest/globals";
import { systemClock } from "../../src/api/clock.ts";
import type { Task } from "../../src/collectors/task.ts";
import { runSchedules } from "../../src/scheduler/schedule.ts";
import { settle } from "../support/fake-clock.ts";
import { fakeTask } from "../support/fake-task.ts";

beforeEach(() => {
  jest.useFakeTimers({
    now: Date.UTC(2026, 10, 21, 12, 0, 3),
    doNotFake: ["setImmediate", "nextTick", "queueMicrotask"],
  });
});
afterEach(() => {
  jest.useRealTimers();
});

const everyTenSeconds = (): Task =>
  fakeTask(async () => 1, {
    schedule: { kind: "cron", expression: "*/10 * * * * *", longestGapMilliseconds: 10_000 },
    intervalMs: 10_000,
  });

async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await jest.advanceTimersByTimeAsync(1000);
    await settle();
  }
}

function start(poll: (task: Task) => Promise<void>) {
  const stop = new AbortController();
  const said: string[] = [];
  const log = { warn: (_: object, message: string) => said.push(message), debug: () => undefined };
  const due: number[] = [];
  const onDue = (_: Task, at: number) => due.push(new Date(at).getUTCSeconds());
  const running = runSchedules([everyTenSeconds()], [], { clock: systemClock, stop: stop.signal, poll, onDue, log });
  return { stop, said, due, running };
}

test("polls at once, and then at the times of the expression", async () => {
  const seconds: number[] = [];
  const { stop, running, said, due } = start(async () => {
    seconds.push(new Date().getUTCSeconds());
  });
  // node-cron is loaded in the meantime, however many turns that takes.
  while (jest.getTimerCount() === 0) await settle();
  await pass(35);
  stop.abort();
  await running;
  await pass(20);

  expect(seconds).toEqual([3, 10, 20, 30]);
  expect(due).toEqual([10, 20, 30, 40]);
  expect(said).toEqual([]);
});

test("continues after a poll longer than the interval, and ends only when the running poll has ended", async () => {
  const seconds: number[] = [];
  const second = Promise.withResolvers<void>();
  const { stop, running } = start(async () => {
    seconds.push(new Date().getUTCSeconds());
    // The second poll hangs. The poller, not the schedule, does not start another one.
    if (seconds.length === 2) await second.promise;
  });
  while (jest.getTimerCount() === 0) await settle();
  await pass(30);
  expect(seconds).toEqual([3, 10, 20, 30]);
  second.resolve();
  stop.abort();
  await running;
});
