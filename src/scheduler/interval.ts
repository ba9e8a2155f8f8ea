// Durations and schedules as text: `1h30m`, `every 45s`, or a cron expression with seconds. `schedule.ts` runs them.
import type { Schedule } from "../collectors/task.ts";
import { longestGapOf, ScheduleError } from "./cron.ts";

const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Whole numbers with units, the largest first, each unit at most once. */
const DURATION = /^(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/**
 * Milliseconds of a duration such as `45s`, `1h30m` or `500ms`; undefined when the text is not a duration. A number
 * needs a unit: readers of a file cannot see whether it means seconds or milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0", milliseconds = "0"] = match;
  return (
    Number(hours) * UNITS.h + Number(minutes) * UNITS.m + Number(seconds) * UNITS.s + Number(milliseconds) * UNITS.ms
  );
}

/** The shortest text that `parseDuration` reads as this many milliseconds (whole, not negative): `1h30m`. */
export function formatDuration(milliseconds: number): string {
  let rest = milliseconds;
  let text = "";
  for (const [unit, size] of Object.entries(UNITS)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) text += `${count}${unit}`;
  }
  return text === "" ? "0s" : text;
}

// Milliseconds of `every`.
const SHORTEST = 1000;
/** The longest time of `every`. Milliseconds. */
export const LONGEST = 24 * 3_600_000;

/**
 * Reads a schedule: `every 45s` (from 1 second to 24 hours) or six cron fields, of which the first is the second.
 * @throws ScheduleError when it is neither.
 */
export function parseSchedule(text: string): Schedule {
  const every = /^every\s+(\S+)$/.exec(text.trim())?.[1];
  if (every === undefined) return parseCronSchedule(text);
  const milliseconds = parseDuration(every);
  if (milliseconds !== undefined && milliseconds >= SHORTEST && milliseconds <= LONGEST) {
    return { kind: "every", milliseconds };
  }
  throw new ScheduleError("a duration with its unit from 1s to 24h, such as 45s or 1h30m");
}

/**
 * Reads a cron expression with seconds.
 * @throws ScheduleError when it is not a cron expression, or never runs.
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
