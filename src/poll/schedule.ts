// When tasks are polled: at once, and then on their schedule. The only file that knows node-cron.
import type { Clock } from "../api/clock.ts";
import type { Task } from "./task.ts";

interface Parts {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Polls a task; never rejects. */
  readonly poll: (task: Task) => Promise<void>;
  /** Told, whenever it changes, when the next poll of a task is due: Unix time, milliseconds. @default nobody is told */
  readonly onDue?: (task: Task, at: number) => void;
  readonly log: { warn(fields: object, message: string): void; debug(fields: object, message: string): void };
}

/** Polls every task until `stop` is aborted; resolves when the last running poll has ended. */
export async function runSchedules(tasks: readonly Task[], parts: Parts): Promise<void> {
  const groups = Map.groupBy(tasks, ({ network, collector }) => `${network}/${collector.name}`);
  await Promise.all(
    [...groups.values()].map((group) => {
      const [task] = group;
      if (task === undefined) return undefined;
      if (task.collector.targets !== undefined) return runSweep(group, task.intervalMs, parts);
      return task.schedule.kind === "every"
        ? runEvery(task, task.schedule.milliseconds, parts)
        : runCron(task, task.schedule.expression, parts);
    }),
  );
}

// So many targets of one collector may be slow before the others have to wait.
const SWEEP_CONCURRENCY = 4;

/**
 * Polls many targets in turn, evenly over the interval, for ever: each is as old as any other, and a slow or broken one
 * holds up nobody. When there is no room for the next one, its time is made up by a later start, never by a burst.
 */
async function runSweep(
  group: readonly Task[],
  intervalMs: number,
  { clock, stop, poll, onDue }: Parts,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const spacing = intervalMs / group.length;
  let due = clock.now();
  for (const [turn, task] of group.entries()) onDue?.(task, due + turn * spacing);
  for (let turn = 0; !stop.aborted; turn += 1) {
    if (running.size >= SWEEP_CONCURRENCY) await Promise.race(running);
    if (stop.aborted) break;
    const task = group[turn % group.length] as Task;
    onDue?.(task, clock.now() + intervalMs);
    const polling: Promise<void> = poll(task).finally(() => running.delete(polling));
    running.add(polling);
    // What a timer was late by is made up for; what the targets were late by is not.
    due = (clock.now() - due > spacing ? clock.now() : due) + spacing;
    try {
      await clock.sleep(due - clock.now(), stop);
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  }
  await Promise.all(running);
}

/**
 * Polls on a grid that begins now: the load of many exporters is spread by when they started, which a cron expression
 * cannot do. After a poll that took too long the next one waits for the grid; slots in between are dropped, never made up.
 */
async function runEvery(task: Task, milliseconds: number, parts: Parts): Promise<void> {
  const { clock, stop, poll, onDue } = parts;
  const start = clock.now();
  const slot = () => start + (Math.floor((clock.now() - start) / milliseconds) + 1) * milliseconds;
  while (!stop.aborted) {
    onDue?.(task, slot());
    await poll(task);
    const next = slot();
    onDue?.(task, next);
    try {
      await clock.sleep(next - clock.now(), stop);
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  }
}

async function runCron(task: Task, expression: string, { stop, poll, onDue, log }: Parts): Promise<void> {
  // Only whoever writes cron expressions pays for loading it.
  const { schedule } = await import("node-cron");
  let running = poll(task);
  await running;
  if (stop.aborted) return;
  const say = (level: "warn" | "debug") => (message: string | Error) =>
    log[level]({ network: task.network, collector: task.collector.name, cron: String(message) }, "cron");
  const job = schedule(
    expression,
    () => {
      tell();
      running = poll(task);
      return running;
    },
    {
      timezone: "UTC",
      // A run that is late because the event loop was busy is still wanted, unless the next one is due.
      missedExecutionTolerance: Math.max(1000, task.intervalMs - 100),
      logger: { info: say("debug"), debug: say("debug"), warn: say("warn"), error: say("warn") },
    },
  );
  const tell = () => {
    const [next] = job.getNextRuns(1);
    if (next !== undefined) onDue?.(task, next.getTime());
  };
  tell();
  await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
  await job.destroy();
  await running;
}
