// Polls tasks at start, and then on their schedule; watched principals in turn, and early when they are due early.
import { createTask } from "node-cron";
import { MOVED_PRIORITY, SPARE_PRIORITY } from "../api/budget.ts";
import type { Clock } from "../api/clock.ts";
import type { Schedule, Task } from "../collectors/task.ts";
import type { Outcome } from "../telemetry/self-counters.ts";
import type { PollKind } from "./poller.ts";
import type { RoundRobin, Turn } from "./round-robin.ts";

/** Dependencies of schedules. */
export interface ScheduleOptions {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  /** Polls a task, on schedule or early; never rejects. Undefined: the poll was not made. */
  readonly poll: (task: Task, kind: PollKind) => Promise<Outcome | undefined>;
  /** Called with the time of the next poll of a task of the whole chain: Unix time, milliseconds. */
  readonly onDue: (task: Task, at: number) => void;
}

/** Polls until `stop` is aborted; resolves when the last running poll has ended. */
export async function runSchedules(
  tasks: readonly Task[],
  roundRobins: readonly RoundRobin[],
  options: ScheduleOptions,
): Promise<void> {
  const follower = tasks.find(({ collector }) => collector.chainView !== undefined);
  const chain = follower === undefined ? Promise.resolve(undefined) : options.poll(follower, "due");
  await Promise.all([
    ...tasks.map(async (task) => {
      const poll = () => (task === follower ? chain : options.poll(task, "due"));
      // What counts transactions begins at a height of the chain.
      await runTask(task, task.collector.counts === undefined ? poll() : chain.then(poll), options);
    }),
    ...roundRobins.map((roundRobin) => chain.then(() => runInTurn(roundRobin, options))),
  ]);
}

// A clock can be set, a list can change, and a target can become due early.
const LOOK_AGAIN_MS = 1000;

async function runTask(
  task: Task,
  first: Promise<unknown>,
  { clock, stop, poll, onDue }: ScheduleOptions,
): Promise<void> {
  const next = timesOf(task.schedule, clock);
  for (let running = first; ; running = poll(task, "due")) {
    await running;
    // After a poll that took too long, the times in between are dropped.
    const at = next();
    onDue(task, at);
    while (!stop.aborted && clock.now() < at) await sleep(clock, Math.min(at - clock.now(), 10 * LOOK_AGAIN_MS), stop);
    if (stop.aborted) return;
  }
}

/** The next time of a schedule, Unix time in milliseconds. A grid begins now: exporters spread their load. */
function timesOf(schedule: Schedule, clock: Clock): () => number {
  const start = clock.now();
  if (schedule.kind === "every") {
    const { milliseconds } = schedule;
    return () => start + (Math.floor((clock.now() - start) / milliseconds) + 1) * milliseconds;
  }
  const job = createTask(schedule.expression, () => undefined, { timezone: "UTC" });
  return () => job.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY;
}

// Concurrent polls of one round robin.
const CONCURRENCY = 4;
// Slots that a slot can wait for. A round takes at most four times as long: the alert on stale collectors allows five.
const MAX_SLOTS = 3;
// Requests of an early poll: one for the list, and one for transfers. With only the first, the poll would be repeated.
const REQUESTS = 2;

/**
 * Polls many targets in turn, evenly over the interval: their data has the same age, and a slow or broken target
 * delays no other. When too many polls are running, the next one starts late; the slots after it keep their distance,
 * without a burst. A slot waits for the budget, at most for some slots, so that targets that have moved are first, and
 * the others are still polled.
 */
async function runInTurn(targets: RoundRobin, { clock, stop, poll }: ScheduleOptions): Promise<void> {
  const { client, collector } = targets.settings;
  const running = new Set<Promise<void>>();
  const start = (turn: Turn, kind: PollKind) => {
    const polling: Promise<void> = poll(turn.task, kind)
      .then((outcome) => targets.ended(turn, outcome))
      .finally(() => running.delete(polling));
    running.add(polling);
  };
  // Time of the last slot, and since when there are targets.
  let slot: number | undefined;
  let since = clock.elapsed();
  while (!stop.aborted) {
    if (running.size >= CONCURRENCY) await Promise.race(running);
    if (stop.aborted) break;
    const now = clock.elapsed();
    const { slotMs } = targets;
    if (slotMs === Number.POSITIVE_INFINITY) [slot, since] = [undefined, now];
    const at = slot === undefined ? since : slot + slotMs;
    const wait = client.waitFor(collector.priority);
    const isOverdue = now - at >= MAX_SLOTS * slotMs;
    const turn = now >= at && (wait === 0 || isOverdue) ? targets.next(now) : undefined;
    if (turn !== undefined) {
      // Makes up for the delay of a timer, and not for the delay of slow targets.
      slot = now - at > slotMs ? now : at;
      start(turn, wait === 0 ? "due" : "overdue");
      continue;
    }
    const hasRoom = (priority: number) => client.waitFor(priority, REQUESTS * (running.size + 1)) === 0;
    const early = hasRoom(MOVED_PRIORITY) ? targets.nextEarly(now, hasRoom(SPARE_PRIORITY)) : undefined;
    if (early?.early !== undefined) start(early, early.early.kind);
    else {
      const left = now < at ? at - now : wait;
      // A target that is behind is due again when its poll ends.
      const timer = new AbortController();
      await Promise.race([
        sleep(clock, Math.min(left || LOOK_AGAIN_MS, LOOK_AGAIN_MS), AbortSignal.any([stop, timer.signal])),
        ...running,
      ]);
      timer.abort();
    }
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
