// Cron expressions with seconds. node-cron runs them, and reads their fields, from which the longest gap is computed.
import { parse, validate } from "node-cron";

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
  // It refuses a day that the month never has.
  if (!validate(expression)) throw new ScheduleError(NEVER);
  const pattern = parse(expression);
  const times = ascending(pattern.hour).flatMap((hour) =>
    ascending(pattern.minute).flatMap((minute) =>
      ascending(pattern.second).map((second) => ((hour * 60 + minute) * 60 + second) * 1000),
    ),
  );
  const [first = 0] = times;
  const last = times[times.length - 1] ?? first;
  return Math.max(longestStep(times), longestDayGapOf(pattern) * DAY_MS - last + first);
}

// The letters L and W, ? and # mean days that are not a list of numbers.
const isValid = (expression: string): boolean =>
  !/[lw?#]/i.test(expression.replaceAll(/[a-z]{3}/gi, "")) && !hasSlip(expression) && validate(expression);

// node-cron takes a step beyond the values for the first one, and lets a reversed range go on from the lowest.
const hasSlip = (expression: string): boolean =>
  expression.split(" ").some((field, index) => {
    const steps = [...field.matchAll(/\/(\d+)/g)].map(([, step]) => Number(step));
    const ranges = [...field.matchAll(/(\d+)-(\d+)/g)];
    return (
      steps.some((step) => step > (HIGHEST[index] ?? 0)) || ranges.some(([, from, to]) => Number(from) > Number(to))
    );
  });
const HIGHEST = [59, 59, 23, 31, 12, 7];

const ascending = (values: readonly number[]): readonly number[] => values.toSorted((a, b) => a - b);

const longestStep = (values: readonly number[]): number =>
  values.reduce((longest, value, index) => Math.max(longest, value - (values[index - 1] ?? value)), 0);

const NEVER = "a cron expression that matches some day";
const DAY_MS = 86_400_000;
// After 28 years every date falls on the same weekday again (until 2100, which is not a leap year).
const CYCLE_START = Date.UTC(2000, 0, 1);
const CYCLE_DAYS = 28 * 365 + 7;

// Most days from one day that matches to the next.
function longestDayGapOf({ dayOfMonth, month, dayOfWeek }: ReturnType<typeof parse>): number {
  const [days, months, weekdays] = [dayOfMonth, month, dayOfWeek].map((values) => new Set<unknown>(values));
  const matching: number[] = [];
  for (let at = 0; at < CYCLE_DAYS; at += 1) {
    const date = new Date(CYCLE_START + at * DAY_MS);
    const isMonth = months?.has(date.getUTCMonth() + 1);
    if (isMonth && days?.has(date.getUTCDate()) && weekdays?.has(date.getUTCDay())) matching.push(at);
  }
  const [first] = matching;
  if (first === undefined) throw new ScheduleError(NEVER);
  return longestStep([...matching, first + CYCLE_DAYS]);
}
