// The time that a history covers, from the flags of the command. Unix times in seconds.

/** A range of time with samples in even steps. */
export interface Range {
  /** Time of the first sample. */
  readonly since: number;
  /** Time after which there is no sample. */
  readonly until: number;
}

const HOUR = 3600;
const DAY = 24 * HOUR;
const UNITS: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY };

/**
 * The head of Prometheus holds up to three hours, which blocks from outside must not overlap. A block of this age is
 * no longer replaced either.
 */
export const MIN_AGE_SECONDS = 3 * HOUR;
const MIN_SECONDS = HOUR;
/** The longest history. */
export const MAX_DAYS = 1000;

/** Prometheus shows a sample for five minutes. Half a minute is left for scrapes that are late. */
export const LONGEST_STEP_SECONDS = 270;
const SHORTEST_STEP_SECONDS = 15;

/** A time in whole minutes: `90d` before now, or a date such as `2026-08-24` or `2026-08-24T06:00Z`. */
function parseTime(text: string, now: number): number | undefined {
  const [, count, unit = ""] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (count !== undefined) return floorTo(now - Number(count) * (UNITS[unit] ?? 0), 60);
  const [date, time = "T00:00Z"] = /^\d{4}-\d\d-\d\d(?=(T\d\d:\d\d(?::\d\d)?Z)?$)/.exec(text) ?? [];
  if (date === undefined) return undefined;
  const milliseconds = Date.parse(`${date}${time}`);
  // The 31st of a shorter month becomes a day of the next one.
  if (Number.isNaN(milliseconds) || !new Date(milliseconds).toISOString().startsWith(date)) return undefined;
  return floorTo(milliseconds / 1000, 60);
}

const floorTo = (value: number, step: number): number => Math.floor(value / step) * step;

/** The time as a text that `parseTime` reads, in minutes. */
export const timeText = (at: number): string =>
  new Date(Math.floor(at / 60) * 60_000).toISOString().replace(":00.000Z", "Z");

const found = (text: string): string => `found ${JSON.stringify(text)}`;

/**
 * The range of `--since` and `--until`, or everything that is wrong with them.
 * @param until three hours before now if it is undefined
 * @param now Unix time in seconds
 */
export function readRange(since: string, until: string | undefined, now: number): Range | readonly string[] {
  const latest = floorTo(now - MIN_AGE_SECONDS, 60);
  const from = parseTime(since, now);
  const to = until === undefined ? latest : parseTime(until, now);
  const grammar =
    "expected a time before now in hours, days or weeks such as 12h or 90d, " +
    "or a UTC date such as 2026-08-24 or 2026-08-24T06:00Z";
  const errors: string[] = [];
  if (from === undefined) errors.push(`--since: ${grammar}, ${found(since)}`);
  if (to === undefined) errors.push(`--until: ${grammar}, ${found(until ?? "")}`);
  else if (to > latest) {
    errors.push(
      `--until: expected a time at least three hours ago, at most ${timeText(latest)}, ${found(until ?? "")}`,
    );
  }
  if (from !== undefined && to !== undefined && errors.length === 0) {
    if (to - from < MIN_SECONDS) {
      errors.push(`--since: expected a time at least one hour before the end, ${timeText(to)}, ${found(since)}`);
    } else if (to - from > MAX_DAYS * DAY) {
      errors.push(`--since: expected at most ${MAX_DAYS} days before the end, ${timeText(to)}, ${found(since)}`);
    } else return { since: from, until: to };
  }
  return errors;
}

/** The seconds between two samples of `--step`; a text if it is wrong. */
export function readStep(text: string): number | string {
  const [, count, unit] = /^(\d{1,3})([sm])$/.exec(text) ?? [];
  const seconds = Number(count) * (unit === "m" ? 60 : 1);
  if (seconds >= SHORTEST_STEP_SECONDS && seconds <= LONGEST_STEP_SECONDS) return seconds;
  return `--step: expected a duration from ${SHORTEST_STEP_SECONDS}s to ${LONGEST_STEP_SECONDS}s, ${found(text)}`;
}
