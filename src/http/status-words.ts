// Times, spans and numbers as the page says them. Times are UTC, as in the logs.
import { type Html, html } from "./html.ts";

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** A span in its two largest units: `3 d 4 h`, `12 min 5 s`, `0 s`. */
export function spanText(seconds: number): string {
  const whole = Math.floor(Math.max(0, seconds));
  const first = UNITS.findIndex(([, size]) => whole >= size);
  const [large = "s", size = 1] = UNITS[first] ?? [];
  const [small, part = 1] = UNITS[first + 1] ?? [];
  const rest = Math.floor((whole % size) / part);
  return `${Math.floor(whole / size)} ${large}${small === undefined || rest === 0 ? "" : ` ${rest} ${small}`}`;
}

const NUMBER = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });

/** A number with its thousands apart. */
export const numberText = (value: number): string => NUMBER.format(value);

const secondsBetween = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 1000;

const marked = (time: string, text: string): Html => html`<time datetime="${time}" title="${time}">${text}</time>`;

/** The time of day, with the date when that is another one than `now`'s. */
export function clockTime(time: string, now: string): Html {
  const [day = "", clock = ""] = time.split("T");
  return marked(time, `${now.startsWith(day) ? "" : `${day} `}${clock.slice(0, 8)} UTC`);
}

/** `12:04:31 UTC (19 min)`: since when, and for how long. */
export const sinceText = (time: string, now: string): Html =>
  html`${clockTime(time, now)} (${spanText(secondsBetween(time, now))})`;

/** `12:04:31 UTC (in 19 min)`. */
export const untilText = (time: string, now: string): Html =>
  html`${clockTime(time, now)} (in ${spanText(secondsBetween(now, time))})`;

/** `19 min ago`. */
export const agoText = (time: string, now: string): Html => marked(time, `${spanText(secondsBetween(time, now))} ago`);

// A turn that comes a little late is no news.
const LATE_SECONDS = 5;

/** `in 19 min`, `now`, or `due 19 min ago`. */
export function nextText(time: string, now: string): Html {
  const seconds = secondsBetween(now, time);
  if (seconds >= 1) return marked(time, `in ${spanText(seconds)}`);
  return marked(time, seconds > -LATE_SECONDS ? "now" : `due ${spanText(-seconds)} ago`);
}
