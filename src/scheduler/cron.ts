// Cron expressions with seconds. node-cron validates and runs them, and reads their fields, from which the longest gap
// is computed.
import { parse, validate } from "node-cron";

const DAY_MS = 86_400_000;
// After 28 years every date falls on the same weekday again (until 2100, which is not a leap year).
const CYCLE_START = Date.UTC(2000, 0, 1);
const CYCLE_DAYS = 28 * 365 + 7;

/**
 * Longest time between two runs of an expression, in UTC. Milliseconds. A day has to match day of month, month and
 * weekday. Undefined when the text is not an expression, or never runs.
 */
export function longestGapOf(expression: string): number | undefined {
  if (expression.split(" ").length !== 6 || !validate(expression)) return undefined;
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = parse(expression);
  const times = hour
    .flatMap((hours) => minute.flatMap((minutes) => second.map((seconds) => (hours * 60 + minutes) * 60 + seconds)))
    .toSorted((a, b) => a - b);
  const days: number[] = [];
  for (let day = 0; day < CYCLE_DAYS; day += 1) {
    const date = new Date(CYCLE_START + day * DAY_MS);
    const has = (values: readonly unknown[], value: number) => values.includes(value);
    if (has(month, date.getUTCMonth() + 1) && has(dayOfMonth, date.getUTCDate()) && has(dayOfWeek, date.getUTCDay()))
      days.push(day);
  }
  const [firstDay, first = 0] = [days[0], times[0]];
  // The letters L and W, and #, mean days that are not a list of numbers.
  if (firstDay === undefined) return undefined;
  const overnight = longestStep([...days, firstDay + CYCLE_DAYS]) * DAY_MS - ((times.at(-1) ?? 0) - first) * 1000;
  return Math.max(longestStep(times) * 1000, overnight);
}

const longestStep = (values: readonly number[]): number =>
  values.reduce((longest, value, index) => Math.max(longest, value - (values[index - 1] ?? value)), 0);
