// Cron expressions with seconds, checked more strictly than the scheduler checks them: whatever is accepted here means what
// it seems to mean. `*/45` in the field of seconds is the classic: it runs at :00 and :45, not every 45 seconds.
import { ScheduleError } from "./schedule-error.ts";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

interface Field {
  readonly name: string;
  readonly first: number;
  readonly last: number;
  /** Values before the field starts again; undefined when that differs, as the days of months do. */
  readonly span: number | undefined;
  readonly names?: readonly string[];
  /** What to write instead of a step that does not fit. */
  readonly instead?: (step: number) => string;
}

const DAY_MS = 86_400_000;

const every = (unit: string, milliseconds: number) => (step: number) =>
  step * milliseconds <= DAY_MS ? ` ("every: ${step}${unit}" does what this seems to say)` : "";

const FIELDS = [
  { name: "second", first: 0, last: 59, span: 60, instead: every("s", 1000) },
  { name: "minute", first: 0, last: 59, span: 60, instead: every("m", 60_000) },
  { name: "hour", first: 0, last: 23, span: 24, instead: every("h", 3_600_000) },
  { name: "day of month", first: 1, last: 31, span: undefined },
  { name: "month", first: 1, last: 12, span: 12, names: MONTHS },
  // 7 is Sunday, as 0 is.
  { name: "weekday", first: 0, last: 7, span: 7, names: WEEKDAYS },
] as const satisfies readonly Field[];

/** The values at which each field of an expression is true. A day has to be right in all three: month, day and weekday. */
export interface Cron {
  readonly seconds: readonly number[];
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
}

/**
 * Reads six fields: second, minute, hour, day of month, month, weekday. A field is a list of values, ranges and steps. A step
 * over a whole field must divide it (60, 60, 24, 12 months, 7 weekdays; the days of a month allow none), because the time
 * between runs would be uneven where the field starts again; a step over a range shows where it ends.
 * @throws ScheduleError naming the field.
 */
export function parseCron(expression: string): Cron {
  const texts = expression.split(" ");
  if (texts.length !== FIELDS.length) {
    const hint = texts.length === 5 ? " (the first field is the second)" : "";
    throw new ScheduleError(`"every" with a duration, or a cron expression of six fields${hint}`);
  }
  const [second, minute, hour, day, month, weekday] = FIELDS;
  const [seconds = "", minutes = "", hours = "", days = "", months = "", weekdays = ""] = texts;
  const ascending = (values: ReadonlySet<number>) => [...values].sort((a, b) => a - b);
  return {
    seconds: ascending(parseField(seconds, second)),
    minutes: ascending(parseField(minutes, minute)),
    hours: ascending(parseField(hours, hour)),
    days: parseField(days, day),
    months: parseField(months, month),
    weekdays: new Set([...parseField(weekdays, weekday)].map((value) => value % 7)),
  };
}

function parseField(text: string, field: Field): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d{1,4}))?$/.exec(part) ?? refuse(field);
    const [from, to] = parseRange(range, field);
    const isWhole = to - from + 1 >= (field.span ?? field.last);
    if (step !== undefined) checkStep(Number(step), field, isWhole, to - from);
    if (step !== undefined && !range.includes("-") && range !== "*") refuse(field);
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

function parseRange(text: string, field: Field): [number, number] {
  if (text === "*") return [field.first, field.span === 7 ? 6 : field.last];
  const ends = text.split("-").map((end) => parseValue(end, field));
  const [from, to = from] = ends;
  if (from === undefined || to === undefined || ends.length > 2 || from > to) return refuse(field);
  return [from, to];
}

function parseValue(text: string, field: Field): number {
  const named = field.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + field.first;
  const value = /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= field.first && value <= field.last ? value : refuse(field);
}

function checkStep(step: number, field: Field, isWhole: boolean, length: number): void {
  if (!isWhole) {
    if (step < 1 || step > length) refuse(field);
    return;
  }
  if (field.span === undefined)
    throw new ScheduleError(`no step over all days of a month, which are not always as many`);
  if (step >= 1 && field.span % step === 0) return;
  const instead = step >= 1 ? (field.instead?.(step) ?? "") : "";
  throw new ScheduleError(`a step that divides the ${field.span} values of the ${field.name}${instead}`);
}

function refuse({ name, first, last, names }: Field): never {
  const named = names === undefined ? "" : ` or names such as ${names[1]}`;
  throw new ScheduleError(`a cron ${name} of "*", values from ${first} to ${last}${named}, ranges, lists and steps`);
}

// After 28 years every date falls on the same weekday again (until 2100, which is no leap year).
const CYCLE_START = Date.UTC(2000, 0, 1);
const CYCLE_DAYS = 28 * 365 + 7;

/**
 * Longest time between two runs, in UTC. Milliseconds.
 * @throws ScheduleError when the expression never comes true.
 */
export function longestGapOf(cron: Cron): number {
  const times = cron.hours.flatMap((hour) =>
    cron.minutes.flatMap((minute) => cron.seconds.map((second) => (hour * 3600 + minute * 60 + second) * 1000)),
  );
  const first = times[0] ?? 0;
  const last = times[times.length - 1] ?? 0;
  let longest = longestDayGapOf(cron) * DAY_MS - last + first;
  let previous = first;
  for (const time of times) {
    longest = Math.max(longest, time - previous);
    previous = time;
  }
  return longest;
}

// Most days from one day that fits to the next.
function longestDayGapOf({ days, months, weekdays }: Cron): number {
  if (days.size === 31 && months.size === 12 && weekdays.size === 7) return 1;
  const fitting: number[] = [];
  for (let day = 0; day < CYCLE_DAYS; day += 1) {
    const date = new Date(CYCLE_START + day * DAY_MS);
    const isFitting =
      days.has(date.getUTCDate()) && months.has(date.getUTCMonth() + 1) && weekdays.has(date.getUTCDay());
    if (isFitting) fitting.push(day);
  }
  const first = fitting[0];
  if (first === undefined) throw new ScheduleError("a cron expression that comes true on some day");
  let longest = 0;
  let previous = (fitting[fitting.length - 1] ?? first) - CYCLE_DAYS;
  for (const day of fitting) {
    longest = Math.max(longest, day - previous);
    previous = day;
  }
  return longest;
}
