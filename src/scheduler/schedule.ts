// Polls tasks at start, and then on their schedule.
import { MOVED_PRIORITY, SPARE_PRIORITY } from "../api/budget.ts";
import type { Clock } from "../api/clock.ts";
import type { Task } from "../collectors/task.ts";
import type { PollLog } from "../telemetry/incidents.ts";
import type { PollKind } from "./poller.ts";
import type { RoundRobin } from "./round-robin.ts";

/** Dependencies of schedules. */
export interface ScheduleOptions {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Polls a task, on schedule or early; never rejects. */
  readonly poll: (task: Task, kind: PollKind) => Promise<void>;
  /** Called with the time of the next poll of a task, whenever it changes: Unix time, milliseconds. */
  readonly onDue: (task: Task, at: number) => void;
  readonly log: Pick<PollLog, "warn" | "debug">;
}

/** Polls until `stop` is aborted; resolves when the last running poll has ended. */
export async function runSchedules(
  tasks: readonly Task[],
  roundRobins: readonly RoundRobin[],
  options: ScheduleOptions,
): Promise<void> {
  const chainViews = new Map<string, Promise<unknown>>();
  const schedules = tasks.map((task) => {
    const first = options.poll(task, "due");
    if (task.collector.chainView !== undefined) {
      chainViews.set(task.network, Promise.all([chainViews.get(task.network), first]));
    }
    return task.schedule.kind === "every"
      ? runEvery(task, task.schedule.milliseconds, first, options)
      : runCron(task, task.schedule.expression, first, options);
  });
  // Round robins need the height of the chain, so they start after its first poll.
  const rounds = roundRobins.map(async (roundRobin) => {
    await chainViews.get(roundRobin.settings.network);
    await Promise.all([runRoundRobin(roundRobin, options), runEarly(roundRobin, options)]);
  });
  await Promise.all([...schedules, ...rounds]);
}

// Concurrent polls of one round robin.
const CONCURRENCY = 4;
// A list can change while its next slot is far away.
const LOOK_AGAIN_MS = 10_000;

/**
 * Polls many targets in turn, evenly over the interval: their data has the same age, and a slow or broken target
 * delays no other. When too many polls are running, the next one starts late; the slots after it keep their distance,
 * without a burst.
 */
async function runRoundRobin(roundRobin: RoundRobin, options: ScheduleOptions): Promise<void> {
  const { clock, stop, poll, onDue } = options;
  const running = new Set<Promise<void>>();
  let due = clock.elapsed();
  for (const [slot, task] of [...roundRobin.queue].entries()) onDue(task, clock.now() + slot * roundRobin.slotMs);
  while (!stop.aborted) {
    if (running.size >= CONCURRENCY) await Promise.race(running);
    const kind = (await hasBudget(roundRobin, options)) ? "due" : "overdue";
    if (stop.aborted) break;
    const task = roundRobin.next(clock.elapsed());
    if (task === undefined) {
      await sleep(clock, LOOK_AGAIN_MS, stop);
      due = clock.elapsed();
      continue;
    }
    onDue(task, clock.now() + roundRobin.times.intervalMs);
    const polling: Promise<void> = poll(task, kind).finally(() => running.delete(polling));
    running.add(polling);
    // Makes up for the delay of a timer, and not for the delay of slow targets.
    const isLate = kind === "overdue" || clock.elapsed() - due > roundRobin.slotMs;
    const from = isLate ? clock.elapsed() : due;
    const left = () => from + roundRobin.slotMs - clock.elapsed();
    do await sleep(clock, Math.min(left(), LOOK_AGAIN_MS), stop);
    while (!stop.aborted && left() > 0);
    due = Math.min(from + roundRobin.slotMs, clock.elapsed());
  }
  await Promise.all(running);
}

// Slots that a slot can wait for. A round takes at most four times as long: the alert on stale collectors allows five.
const MAX_SLOTS = 3;

/**
 * Waits until the budget allows the next slot, at most for some slots. So targets that have moved are first, and the
 * others are still polled.
 */
async function hasBudget(roundRobin: RoundRobin, { clock, stop }: ScheduleOptions): Promise<boolean> {
  const { client, collector } = roundRobin.settings;
  const since = clock.elapsed();
  while (!stop.aborted) {
    const wait = client.waitFor(collector.priority);
    if (wait === 0) return true;
    const left = since + MAX_SLOTS * roundRobin.slotMs - clock.elapsed();
    if (!(left > 0)) break;
    await sleep(clock, Math.min(wait, left, LOOK_AGAIN_MS), stop);
  }
  return false;
}

const LOOK_FOR_HINTS_MS = 1000;
// Requests of an early poll: one for the list, and one for transfers. With only the first, the poll would be repeated.
const REQUESTS = 2;

/** Polls targets early: those that have moved first, and others when the budget has something to spare. */
async function runEarly(roundRobin: RoundRobin, { clock, stop, poll, onDue }: ScheduleOptions): Promise<void> {
  const running = new Set<Promise<void>>();
  while (!stop.aborted) {
    if (running.size >= CONCURRENCY) await Promise.race(running);
    const { client } = roundRobin.settings;
    const requests = REQUESTS * (running.size + 1);
    const hasBudget = !stop.aborted && client.waitFor(MOVED_PRIORITY, requests) === 0;
    const hasSpare = hasBudget && client.waitFor(SPARE_PRIORITY, requests) === 0;
    const next = hasBudget ? roundRobin.nextEarly(clock.elapsed(), hasSpare) : undefined;
    if (next === undefined) {
      // A target that is behind gets its next hint when its poll ends.
      const timer = new AbortController();
      const slept = sleep(clock, LOOK_FOR_HINTS_MS, AbortSignal.any([stop, timer.signal]));
      await Promise.race([slept, ...(hasBudget ? running : [])]);
      timer.abort();
      continue;
    }
    const { task, cause } = next;
    onDue(task, clock.now() + roundRobin.times.intervalMs);
    const kind = cause === "moved" ? "moved" : "spare";
    const polling: Promise<void> = poll(task, kind).finally(() => running.delete(polling));
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
 * Polls on a grid that begins now: exporters that start at different times spread their load. After a poll that took
 * too long, the next one waits for the grid; the slots in between are dropped.
 */
async function runEvery(
  task: Task,
  milliseconds: number,
  first: Promise<void>,
  options: ScheduleOptions,
): Promise<void> {
  const { clock, stop, poll, onDue } = options;
  const start = clock.now();
  const slot = () => start + (Math.floor((clock.now() - start) / milliseconds) + 1) * milliseconds;
  for (let running = first; ; running = poll(task, "due")) {
    onDue(task, slot());
    await running;
    if (stop.aborted) return;
    const next = slot();
    onDue(task, next);
    await sleep(clock, next - clock.now(), stop);
    if (stop.aborted) return;
  }
}

async function runCron(task: Task, expression: string, first: Promise<void>, options: ScheduleOptions): Promise<void> {
  const { stop, poll, onDue, log } = options;
  // Loaded only when a configuration has a cron expression.
  const { schedule } = await import("node-cron");
  let running = first;
  await running;
  if (stop.aborted) return;
  const logAt = (level: "warn" | "debug") => (message: string | Error) =>
    log[level]({ network: task.network, collector: task.collector.name, cron: String(message) }, "cron");
  const job = schedule(
    expression,
    () => {
      reportNext();
      running = poll(task, "due");
      return running;
    },
    {
      timezone: "UTC",
      // A run that is late because the event loop was busy still starts, unless the next one is due.
      missedExecutionTolerance: Math.max(1000, task.intervalMs - 100),
      logger: { info: logAt("debug"), debug: logAt("debug"), warn: logAt("warn"), error: logAt("warn") },
    },
  );
  const reportNext = () => {
    const [next] = job.getNextRuns(1);
    if (next !== undefined) onDue(task, next.getTime());
  };
  reportNext();
  await new Promise<void>((resolve) => stop.addEventListener("abort", () => resolve(), { once: true }));
  await job.destroy();
  await running;
}
