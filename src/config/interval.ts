// Durations and schedules as text: `1h30m`, `every 45s`, or a cron expression with seconds, which node-cron validates.
// `src/scheduler/schedule.ts` runs schedules.
import { parse, validate } from "node-cron";

/** Start times of polls: at an interval from the start of the process, or at the times of a cron expression (UTC). */
export interface Schedule {
  /** Time between two polls, for a cron expression the longest. Milliseconds. */
  readonly intervalMs: number;
  readonly cron?: string | undefined;
}

const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Whole numbers with units, the largest first, each unit at most once. */
const DURATION = /^(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/**
 * Milliseconds of a duration such as `45s`, `1h30m` or `500ms`; undefined when the text is not a duration. A number
 * needs a unit: readers of a file cannot see whether it means seconds or milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  const counts = DURATION.exec(text)?.slice(1);
  const sizes = Object.values(UNITS);
  return counts?.reduce((total, count = "0", index) => total + Number(count) * (sizes[index] ?? 0), 0);
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

/** Reads the default schedule of a collector, such as `every 45s`. @throws Error when it is none */
export function parseSchedule(text: string): Schedule {
  const intervalMs = parseDuration(text.replace(/^every /, ""));
  if (intervalMs === undefined) throw new Error(`${text} is not a schedule`);
  return { intervalMs };
}

/** Reads a cron expression with seconds; undefined when the text is none, or never runs. */
export function parseCronSchedule(text: string): Schedule | undefined {
  const cron = text.trim().split(/\s+/).join(" ");
  const intervalMs = longestGapOf(cron);
  return intervalMs === undefined ? undefined : { intervalMs, cron };
}

const DAY_MS = 86_400_000;
// After 28 years every date falls on the same weekday again (until 2100, which is not a leap year).
const CYCLE_START = Date.UTC(2000, 0, 1);
const CYCLE_DAYS = 28 * 365 + 7;

/**
 * Longest time between two runs of an expression, in UTC. Milliseconds. A day has to match day of month, month and
 * weekday. Undefined when the text is not an expression, or never runs.
 */
function longestGapOf(expression: string): number | undefined {
  if (expression.split(" ").length !== 6 || !validate(expression)) return undefined;
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(expression);
  const times = hour
    .flatMap((hours) => minute.flatMap((minutes) => second.map((seconds) => (hours * 60 + minutes) * 60 + seconds)))
    .toSorted((a, b) => a - b);
  const days = Array.from({ length: CYCLE_DAYS }, (_, day) => day).filter((day) => {
    const date = new Date(CYCLE_START + day * DAY_MS);
    const isInMonth = month.includes(date.getUTCMonth() + 1) && dayOfMonth.includes(date.getUTCDate());
    return isInMonth && dayOfWeek.includes(date.getUTCDay());
  });
  const [firstDay, first = 0] = [days[0], times[0]];
  // The letters L and W, and #, mean days that are not a list of numbers.
  if (firstDay === undefined) return undefined;
  const overnight = longestStep([...days, firstDay + CYCLE_DAYS]) * DAY_MS - ((times.at(-1) ?? 0) - first) * 1000;
  return Math.max(longestStep(times) * 1000, overnight);
}

const longestStep = (values: readonly number[]): number =>
  values.reduce((longest, value, index) => Math.max(longest, value - (values[index - 1] ?? value)), 0);
