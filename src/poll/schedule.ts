// When tasks are polled: at once, and then on their schedule. The only file that knows node-cron.
import type { Clock } from "../api/clock.ts";
import type { Schedule } from "./interval.ts";
import type { Task } from "./task.ts";

interface Parts {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly poll: (task: Task) => Promise<void>;
}

/**
 * Polls every task until `stop` is aborted; resolves when the last running poll has ended. A poll that takes longer than
 * the interval makes the next one start late, on the same grid: slots in between are dropped, never made up.
 */
export async function runSchedules(tasks: readonly Task[], parts: Parts): Promise<void> {
  await Promise.all(tasks.map((task) => runSchedule(task, parts)));
}

async function runSchedule(task: Task, { clock, stop, poll }: Parts): Promise<void> {
  const nextAfter = await slots(task.schedule, clock.now());
  while (!stop.aborted) {
    await poll(task);
    try {
      await sleepUntil(nextAfter(clock.now()), clock, stop);
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  }
}

// In portions, so that a clock that was set, or a machine that slept, is noticed within a minute.
async function sleepUntil(at: number, clock: Clock, stop: AbortSignal): Promise<void> {
  for (let left = at - clock.now(); left > 0; left = at - clock.now()) await clock.sleep(Math.min(left, 60_000), stop);
}

/** When the next poll is due after a given time; Unix time in milliseconds. */
async function slots(schedule: Schedule, start: number): Promise<(now: number) => number> {
  if (schedule.kind === "every") {
    const { milliseconds } = schedule;
    return (now) => start + (Math.floor((now - start) / milliseconds) + 1) * milliseconds;
  }
  // Only whoever writes cron expressions pays for loading it. The task is never started: it only tells its next run.
  const { createTask } = await import("node-cron");
  const cron = createTask(schedule.expression, () => undefined, { timezone: "UTC" });
  await cron.start();
  return () => cron.getNextRun()?.getTime() ?? Number.POSITIVE_INFINITY;
}
