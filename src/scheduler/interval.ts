// Schedules as text: `every 45s`, or a cron expression with seconds. `schedule.ts` runs them.
import type { Schedule } from "../collectors/task.ts";
import { longestGapOf, ScheduleError } from "./cron.ts";
import { formatDuration, parseDuration } from "./duration.ts";

/** Shortest time between two polls; milliseconds. */
export const SHORTEST_INTERVAL_MS = 1000;

/** Longest time between two polls of `every`; milliseconds. */
export const LONGEST_INTERVAL_MS = 24 * 3_600_000;

/** What `every` accepts, in words. */
export const EVERY_EXPECTATION = `a duration with its unit from ${formatDuration(SHORTEST_INTERVAL_MS)} to ${formatDuration(LONGEST_INTERVAL_MS)}, such as 45s or 1h30m`;

/**
 * Reads a schedule: `every 45s` (from 1 second to 24 hours) or six cron fields, of which the first is the second.
 * @throws ScheduleError when it is neither.
 */
export function parseSchedule(text: string): Schedule {
  const every = /^every\s+(\S+)$/.exec(text.trim())?.[1];
  return every === undefined ? parseCronSchedule(text) : parseEvery(every);
}

/**
 * Reads the duration of an `every`.
 * @throws ScheduleError when it is no duration, or out of range.
 */
export function parseEvery(text: string): Schedule {
  const milliseconds = parseDuration(text);
  if (milliseconds === undefined || milliseconds < SHORTEST_INTERVAL_MS || milliseconds > LONGEST_INTERVAL_MS) {
    throw new ScheduleError(EVERY_EXPECTATION);
  }
  return { kind: "every", milliseconds };
}

/**
 * Reads a cron expression with seconds.
 * @throws ScheduleError when it is no cron expression, or never runs.
 */
export function parseCronSchedule(text: string): Schedule {
  const expression = text.trim().split(/\s+/).join(" ");
  return { kind: "cron", expression, longestGapMilliseconds: longestGapOf(expression) };
}

/** Time between two polls, for a cron expression the longest. Milliseconds. */
export function intervalOf(schedule: Schedule): number {
  return schedule.kind === "every" ? schedule.milliseconds : schedule.longestGapMilliseconds;
}

/** The schedule as `parseSchedule` reads it. */
export function formatSchedule(schedule: Schedule): string {
  return schedule.kind === "every" ? `every ${formatDuration(schedule.milliseconds)}` : schedule.expression;
}
