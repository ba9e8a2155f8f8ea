// Durations and schedules as text: `1h30m`, `every 45s`, or a cron expression with seconds. `schedule.ts` runs them.
import type { Schedule } from "../collectors/task.ts";
import { longestGapOf } from "./cron.ts";

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

/** The longest time of `every`. Milliseconds. */
export const LONGEST = 24 * 3_600_000;

/**
 * Reads the default schedule of a collector: `every 45s`, or six cron fields, of which the first is the second.
 * @throws Error when it is neither
 */
export function parseSchedule(text: string): Schedule {
  const milliseconds = parseDuration(/^every\s+(\S+)$/.exec(text)?.[1] ?? "");
  const schedule: Schedule | undefined =
    milliseconds === undefined ? parseCronSchedule(text) : { kind: "every", milliseconds };
  if (schedule === undefined) throw new Error(`${text} is not a schedule`);
  return schedule;
}

/** Reads a cron expression with seconds; undefined when the text is none, or never runs. */
export function parseCronSchedule(text: string): Schedule | undefined {
  const expression = text.trim().split(/\s+/).join(" ");
  const longestGapMilliseconds = longestGapOf(expression);
  return longestGapMilliseconds === undefined ? undefined : { kind: "cron", expression, longestGapMilliseconds };
}

/** Time between two polls, for a cron expression the longest. Milliseconds. */
export function intervalOf(schedule: Schedule): number {
  return schedule.kind === "every" ? schedule.milliseconds : schedule.longestGapMilliseconds;
}

/** The schedule as `parseSchedule` reads it. */
export function formatSchedule(schedule: Schedule): string {
  return schedule.kind === "every" ? `every ${formatDuration(schedule.milliseconds)}` : schedule.expression;
}
