// Polls collectors at start, and then on schedule: the targets of each in turn, and early when they are due early.
import { setImmediate } from "node:timers/promises";
import { createTask } from "node-cron";
import type { Client } from "../api/client.ts";
import type { Clock } from "../api/clock.ts";
import type { Task } from "../collectors/collector.ts";
import { isRoundRobin } from "./pacing.ts";
import { type Outcome, type PollKind, priorityOf } from "./poller.ts";
import type { RoundRobin, Turn } from "./round-robin.ts";

/** Dependencies of schedules. */
export interface ScheduleOptions {
  readonly clock: Clock;
  readonly stop: AbortSignal;
  readonly waitFor: Client["waitFor"];
  /** Polls a task, on schedule or early; never rejects. */
  readonly poll: (task: Task, kind: PollKind) => Promise<Outcome>;
}

/** Polls until `stop` is aborted; resolves when the last running poll has ended. */
export async function runSchedules(rounds: readonly RoundRobin[], options: ScheduleOptions): Promise<void> {
  const follower = rounds.find(({ settings }) => settings.collector.isFollower);
  const [followed] = follower?.tasks ?? [];
  let chain: Promise<unknown> | undefined;
  const follow: ScheduleOptions["poll"] = (task, kind) => {
    const polling = options.poll(task, kind);
    chain = polling;
    return polling;
  };
  // What is confirmed counts in this poll, and not an interval later.
  const afterChain: ScheduleOptions["poll"] = async (task, kind) => {
    await chain;
    return options.poll(task, kind);
  };
  if (followed) void follow(followed, "due");
  await Promise.all(
    rounds.map(async (round) => {
      const { collector } = round.settings;
      const startedAt = options.clock.elapsed();
      // What counts transactions begins at a height of the chain.
      const needsChain = collector.counts !== undefined || isRoundRobin(collector);
      if (round === follower || needsChain) await chain;
      const poll = round === follower ? follow : needsChain ? afterChain : options.poll;
      await runInTurn(round, { ...options, poll }, round === follower ? startedAt : undefined);
    }),
  );
}

// A list can change, and a target can become due early; a clock can be set.
const LOOK_AGAIN_MS = 1000;
// Concurrent polls of one collector.
const CONCURRENCY = 4;
// Slots that a slot can wait for. A round takes at most four times as long: the alert on stale collectors allows five.
const MAX_SLOTS = 3;
// Requests of an early poll: one for the list, and one for transfers. With only the first, the poll would be repeated.
const REQUESTS = 2;

/**
 * Polls the targets of a collector in turn, evenly over the interval: their data has the same age, and a slow or broken
 * target delays no other. When too many polls are running, the next one starts late; the slots after it keep their
 * distance, without a burst. A slot of a watched principal waits for the budget, at most for some slots, so that
 * targets that have moved are first, and the others are still polled. After that, one poll at a time waits in the queue
 * of the budget: more of them would take each other's requests until all reach their deadlines.
 * @param slot time of the last slot; undefined before the first one
 */
async function runInTurn(targets: RoundRobin, options: ScheduleOptions, slot?: number): Promise<void> {
  const { clock, stop, waitFor, poll } = options;
  const { collector, cron: expression } = targets.settings;
  const [maxSlots, lookAgainMs] = isRoundRobin(collector) ? [MAX_SLOTS, LOOK_AGAIN_MS] : [0, 10 * LOOK_AGAIN_MS];
  const cron = expression === undefined ? undefined : createTask(expression, () => undefined, { timezone: "UTC" });
  const running = new Set<Promise<void>>();
  const start = (turn: Turn, kind: PollKind) => {
    const polling: Promise<void> = poll(turn.task, kind)
      .then((outcome) => targets.ended(turn, outcome))
      .finally(() => running.delete(polling));
    running.add(polling);
  };
  const hasRoom = (kind: PollKind) => waitFor(priorityOf(collector, kind), REQUESTS * (running.size + 1)) === 0;
  // Unix time of the next run of a cron expression.
  const nextRun = () => cron?.getNextRuns(1)[0]?.getTime() ?? Number.POSITIVE_INFINITY;
  let runAt = nextRun();
  // Since when there are targets.
  let since = clock.elapsed();
  while (!stop.aborted) {
    // A poll can end without I/O: thousands in an outage must not delay what else the process does.
    await setImmediate();
    if (running.size >= CONCURRENCY) await Promise.race(running);
    if (stop.aborted) break;
    const now = clock.elapsed();
    // The clock can have been set back.
    runAt = Math.min(runAt, nextRun());
    const { slotMs } = targets;
    if (slotMs === Number.POSITIVE_INFINITY) [slot, since] = [undefined, now];
    const following = cron === undefined ? (slot ?? 0) + slotMs : now + runAt - clock.now();
    const at = slot === undefined ? since : following;
    const wait = waitFor(collector.priority);
    const isLate = now - at >= maxSlots * slotMs;
    const isOverdue = isLate && (maxSlots === 0 || running.size === 0 || hasRoom("overdue"));
    const turn = now >= at && (wait === 0 || isOverdue) ? targets.next(now) : undefined;
    const early = turn === undefined ? targets.nextEarly(now, hasRoom) : undefined;
    if (turn !== undefined) {
      // Makes up for the delay of a timer, and not for the delay of slow targets.
      slot = now - at > slotMs ? now : at;
      runAt = nextRun();
      // A cron expression has the times of rounds.
      if (cron !== undefined)
        for (const { target } of targets.tasks)
          if (target !== turn.task.target) targets.hint(target.key, "moved", true);
      start(turn, wait === 0 ? "due" : "overdue");
    } else if (early?.early !== undefined) start(early, early.early);
    else {
      const left = now < at ? at - now : wait;
      // A target that is behind is due again when its poll ends.
      const timer = new AbortController();
      const signal = AbortSignal.any([stop, timer.signal]);
      const slept = clock.sleep(Math.min(left || lookAgainMs, lookAgainMs), signal).catch(() => undefined); // aborted
      await Promise.race([slept, ...running]);
      timer.abort();
    }
  }
  await Promise.all(running);
}
