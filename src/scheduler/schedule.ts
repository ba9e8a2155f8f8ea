// When tasks are polled: at once, and then on their schedule. The only file that knows node-cron.
import { SPARE_PRIORITY } from "../api/budget.ts";
import type { Clock } from "../api/clock.ts";
import type { Task } from "../collectors/task.ts";
import type { Sweep } from "./round-robin.ts";

interface Parts {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Polls a task, in its turn or before; never rejects. */
  readonly poll: (task: Task, isEarly: boolean) => Promise<void>;
  /** Told, whenever it changes, when the next poll of a task is due: Unix time, milliseconds. @default nobody is told */
  readonly onDue?: (task: Task, at: number) => void;
  readonly log: { warn(fields: object, message: string): void; debug(fields: object, message: string): void };
}

/** What is polled: tasks on a schedule of their own, and lists of targets that take turns. */
export interface Rota {
  readonly tasks: readonly Task[];
  readonly sweeps: readonly Sweep[];
}

/** Polls until `stop` is aborted; resolves when the last running poll has ended. */
export async function runSchedules({ tasks, sweeps }: Rota, parts: Parts): Promise<void> {
  const guided = new Map<string, Promise<unknown>>();
  const schedules = tasks.map((task) => {
    const first = parts.poll(task, false);
    if (task.collector.chainView !== undefined) {
      guided.set(task.network, Promise.all([guided.get(task.network), first]));
    }
    return task.schedule.kind === "every"
      ? runEvery(task, task.schedule.milliseconds, first, parts)
      : runCron(task, task.schedule.expression, first, parts);
  });
  // What is swept is counted by the depth of the chain, so it begins when that was looked at.
  const swept = sweeps.map(async (sweep) => {
    await guided.get(sweep.network);
    await Promise.all([runSweep(sweep, parts), runEarly(sweep, parts)]);
  });
  await Promise.all([...schedules, ...swept]);
}

// So many targets of one collector may be slow before the others have to wait.
const SWEEP_CONCURRENCY = 4;
// A list can be changed while its next turn is far away.
const LOOK_AGAIN_MS = 10_000;

/**
 * Polls many targets in turn, evenly over the interval, for ever: each is as old as any other, and a slow or broken one
 * holds up nobody. When there is no room for the next one, its time is made up by a later start, never by a burst.
 */
async function runSweep(sweep: Sweep, { clock, stop, poll, onDue }: Parts): Promise<void> {
  const running = new Set<Promise<void>>();
  let due = clock.elapsed();
  for (const [turn, task] of [...sweep.order].entries()) onDue?.(task, clock.now() + turn * sweep.spacingMs);
  while (!stop.aborted) {
    if (running.size >= SWEEP_CONCURRENCY) await Promise.race(running);
    if (stop.aborted) break;
    const task = sweep.take(clock.elapsed());
    if (task === undefined) {
      await sleep(clock, LOOK_AGAIN_MS, stop);
      due = clock.elapsed();
      continue;
    }
    onDue?.(task, clock.now() + sweep.pace.intervalMs);
    const polling: Promise<void> = poll(task, false).finally(() => running.delete(polling));
    running.add(polling);
    // What a timer was late by is made up for; what the targets were late by is not.
    const from = clock.elapsed() - due > sweep.spacingMs ? clock.elapsed() : due;
    const left = () => from + sweep.spacingMs - clock.elapsed();
    do await sleep(clock, Math.min(left(), LOOK_AGAIN_MS), stop);
    while (!stop.aborted && left() > 0);
    due = Math.min(from + sweep.spacingMs, clock.elapsed());
  }
  await Promise.all(running);
}

const LOOK_FOR_HINTS_MS = 1000;

/** Polls who was hinted at, whenever the budget has something left. */
async function runEarly(sweep: Sweep, { clock, stop, poll, onDue }: Parts): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!stop.aborted) {
    if (running.size >= SWEEP_CONCURRENCY) await Promise.race(running);
    const wait = sweep.tasks[0]?.client.waitFor?.(SPARE_PRIORITY) ?? 0;
    const task = wait > 0 || stop.aborted ? undefined : sweep.takeEarly(clock.elapsed());
    if (task === undefined) {
      // Who is behind is hinted at again when its poll ends.
      const timer = new AbortController();
      const slept = sleep(clock, LOOK_FOR_HINTS_MS, AbortSignal.any([stop, timer.signal]));
      await Promise.race([slept, ...(wait > 0 ? [] : running)]);
      timer.abort();
      continue;
    }
    onDue?.(task, clock.now() + sweep.pace.intervalMs);
    const polling: Promise<void> = poll(task, true).finally(() => running.delete(polling));
    running.add(polling);
  }
  await Promise.all(running);
}

async function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(milliseconds, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/**
 * Polls on a grid that begins now: the load of many exporters is spread by when they started, which a cron expression
 * cannot do. After a poll that took too long the next one waits for the grid; slots in between are dropped, never made up.
 */
async function runEvery(task: Task, milliseconds: number, first: Promise<void>, parts: Parts): Promise<void> {
  const { clock, stop, poll, onDue } = parts;
  const start = clock.now();
  const slot = () => start + (Math.floor((clock.now() - start) / milliseconds) + 1) * milliseconds;
  for (let running = first; ; running = poll(task, false)) {
    onDue?.(task, slot());
    await running;
    if (stop.aborted) return;
    const next = slot();
    onDue?.(task, next);
    await sleep(clock, next - clock.now(), stop);
    if (stop.aborted) return;
  }
}

async function runCron(task: Task, expression: string, first: Promise<void>, parts: Parts): Promise<void> {
  const { stop, poll, onDue, log } = parts;
  // Only whoever writes cron expressions pays for loading it.
  const { schedule } = await import("node-cron");
  let running = first;
  await running;
  if (stop.aborted) return;
  const say = (level: "warn" | "debug") => (message: string | Error) =>
    log[level]({ network: task.network, collector: task.collector.name, cron: String(message) }, "cron");
  const job = schedule(
    expression,
    () => {
      tell();
      running = poll(task, false);
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
