// Compares alarms with events: recall, precision, false alarms and time to detect.
import { joined, type Span } from "./firing.ts";
import type { Truth } from "./truth.ts";

const WINDOW = 60;
// Transactions that were mined in a rise stay in the window of the fees for this time.
const AFTER_RISE = 10;

/** What an alarm was: neutral began with, during or shortly after a rise that was too short for an event. */
type Verdict = "right" | "neutral" | "wrong";

/** The results of one detector, summed over traces. */
export interface Score {
  readonly events: number;
  readonly alarms: readonly Verdict[];
  /** Minutes from the start of each detected event to the alarm; 0 if it was already firing. */
  readonly delays: readonly number[];
  readonly days: number;
}

const overlaps = (one: Span, from: number, until: number) => one.from < until && one.until > from;

/**
 * Scores the alarms of one trace from minute `from` to `until`. An event that begins in this time is detected when an
 * alarm fires between an hour before its start and its end. An alarm that fires in this time is right when it fires
 * within an hour of any event.
 */
export function scoreTrace(alarms: readonly Span[], { events, shortRises }: Truth, from: number, until: number): Score {
  const later = alarms.filter((alarm) => alarm.until > from);
  const fired = joined(later, 0);
  const begun = events.filter((event) => event.from >= from && event.from < until);
  const delays = begun.flatMap((event) => {
    const first = fired.find((alarm) => overlaps(alarm, event.from - WINDOW, event.until));
    if (first === undefined) return [];
    // An alarm that ended before the event began detects it, but the delay is that of the next alarm.
    const present = fired.find((alarm) => overlaps(alarm, event.from, event.until));
    return [Math.max(0, (present ?? first).from - event.from)];
  });
  const isRight = (alarm: Span) => events.some((event) => overlaps(alarm, event.from - WINDOW, event.until + WINDOW));
  const isNeutral = (alarm: Span) =>
    shortRises.some((rise) => alarm.from >= rise.from && alarm.from < rise.until + AFTER_RISE);
  const verdict = (alarm: Span) => (isRight(alarm) ? "right" : isNeutral(alarm) ? "neutral" : "wrong");
  const judged = fired.filter((alarm) => alarm.from < until).map(verdict);
  return { events: begun.length, alarms: judged, delays, days: (until - from) / 1440 };
}

/** The sum of scores. */
export const total = (scores: readonly Score[]): Score => ({
  events: scores.reduce((sum, { events }) => sum + events, 0),
  alarms: scores.flatMap(({ alarms }) => alarms),
  delays: scores.flatMap(({ delays }) => delays),
  days: scores.reduce((sum, { days }) => sum + days, 0),
});

const right = ({ alarms }: Score) => alarms.filter((alarm) => alarm === "right").length;
/** Share of the events that were detected; NaN without events. */
export const recall = ({ delays, events }: Score) => delays.length / events;
/** Share of the alarms that were right; NaN without alarms. */
export const precision = (score: Score) => right(score) / score.alarms.length;
/** Wrong alarms in thirty days. */
export const falseAlarms = (score: Score) => ((score.alarms.length - right(score)) / score.days) * 30;

/** The score without the alarms of short rises, which are neither right nor wrong. */
export const withoutShortRises = (score: Score): Score => ({
  ...score,
  alarms: score.alarms.filter((alarm) => alarm !== "neutral"),
});

/** Minutes within which `part` (0 to 1) of the detected events were detected; NaN without any. */
export function delay({ delays }: Score, part: number): number {
  const sorted = delays.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}
