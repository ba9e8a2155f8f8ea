// Cron expressions with seconds. node-cron runs them; croner reads their fields, from which the longest gap is
// computed.
import { CronPattern } from "croner";
import { validate } from "node-cron";

/** The text is not a schedule. The message is the expected value, to follow the word "expected". */
export class ScheduleError extends Error {
  override readonly name = "ScheduleError";
}

const FIELDS = [
  ["second", "0 to 59"],
  ["minute", "0 to 59"],
  ["hour", "0 to 23"],
  ["day of month", "1 to 31"],
  ["month", "1 to 12 or names such as feb"],
  ["weekday", "0 to 7 or names such as mon"],
] as const;

/**
 * Longest time between two runs of an expression, in UTC. Milliseconds. A day has to match day of month, month and
 * weekday.
 * @throws ScheduleError when the text is not an expression, or never runs.
 */
export function longestGapOf(expression: string): number {
  const fields = expression.split(" ");
  if (fields.length !== FIELDS.length) {
    const hint = fields.length === 5 ? " (the first field is the second)" : "";
    throw new ScheduleError(`"every" with a duration, or a cron expression of six fields${hint}`);
  }
  for (const [index, [name, values]] of FIELDS.entries()) {
    const alone = FIELDS.map((_, at) => (at === index ? fields[index] : "*")).join(" ");
    if (!isValid(alone)) {
      throw new ScheduleError(`a cron ${name} of "*", values from ${values}, ranges, lists and steps`);
    }
  }
  const pattern = new CronPattern(expression, undefined, { mode: "6-part" });
  const times = indexesOf(pattern.hour).flatMap((hour) =>
    indexesOf(pattern.minute).flatMap((minute) =>
      indexesOf(pattern.second).map((second) => ((hour * 60 + minute) * 60 + second) * 1000),
    ),
  );
  const [first = 0] = times;
  const last = times[times.length - 1] ?? first;
  return Math.max(longestStep(times), longestDayGapOf(pattern) * DAY_MS - last + first);
}

// Both packages have to accept it. The letters L and W, ? and # are understood by one of them only, or not alike.
function isValid(expression: string): boolean {
  if (/[lw?#]/i.test(expression.replaceAll(/[a-z]{3}/gi, ""))) return false;
  try {
    new CronPattern(expression, undefined, { mode: "6-part" });
    return validate(expression);
  } catch {
    return false;
  }
}

const indexesOf = (flags: readonly number[]): number[] => flags.flatMap((flag, index) => (flag === 0 ? [] : [index]));

const longestStep = (ascending: readonly number[]): number =>
  ascending.reduce((longest, value, index) => Math.max(longest, value - (ascending[index - 1] ?? value)), 0);

const DAY_MS = 86_400_000;
// After 28 years every date falls on the same weekday again (until 2100, which is not a leap year).
const CYCLE_START = Date.UTC(2000, 0, 1);
const CYCLE_DAYS = 28 * 365 + 7;

// Most days from one day that matches to the next.
function longestDayGapOf({ day, month, dayOfWeek }: CronPattern): number {
  const matching: number[] = [];
  for (let at = 0; at < CYCLE_DAYS; at += 1) {
    const date = new Date(CYCLE_START + at * DAY_MS);
    if (day[date.getUTCDate() - 1] && month[date.getUTCMonth()] && dayOfWeek[date.getUTCDay()]) matching.push(at);
  }
  const [first] = matching;
  if (first === undefined) throw new ScheduleError("a cron expression that matches some day");
  return longestStep([...matching, first + CYCLE_DAYS]);
}
