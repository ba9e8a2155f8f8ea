// How well spans of firing match events: recall, precision, false alarms, time to detect.
import { joined, type Span } from "./truth.ts";

const WINDOW = 60;

/** What one detector did, summed over traces. */
export interface Score {
  readonly events: number;
  readonly detected: number;
  readonly alarms: number;
  readonly right: number;
  /** Minutes from the start of each detected event to the alarm; 0 when it was firing already. */
  readonly delays: readonly number[];
  readonly days: number;
}

const overlaps = (one: Span, from: number, until: number) => one.from < until && one.until > from;

/**
 * Scores the alarms of one trace from minute `from` on. An event is detected when an alarm fires between an hour before
 * its start and its end; an alarm is right when it fires within an hour of an event. An event that began before `from`
 * is not scored, but makes an alarm right.
 */
export function scoreTrace(alarms: readonly Span[], events: readonly Span[], from: number, minutes: number): Score {
  const scored = joined(
    alarms.filter(({ until }) => until > from),
    0,
  );
  const asked = events.filter((event) => event.from >= from);
  const delays = asked.flatMap((event) => {
    const first = scored.find((alarm) => overlaps(alarm, event.from - WINDOW, event.until));
    if (first === undefined) return [];
    // An alarm that ended before the event began detects it, but the delay is that of the next alarm.
    const present = scored.find((alarm) => overlaps(alarm, event.from, event.until));
    return [Math.max(0, (present ?? first).from - event.from)];
  });
  const right = scored.filter((alarm) =>
    events.some((event) => overlaps(alarm, event.from - WINDOW, event.until + WINDOW)),
  );
  return {
    events: asked.length,
    detected: delays.length,
    alarms: scored.length,
    right: right.length,
    delays,
    days: (minutes - from) / 1440,
  };
}

/** The sum of scores. */
export function total(scores: readonly Score[]): Score {
  const sum = (of: (score: Score) => number) => scores.reduce((before, score) => before + of(score), 0);
  return {
    events: sum(({ events }) => events),
    detected: sum(({ detected }) => detected),
    alarms: sum(({ alarms }) => alarms),
    right: sum(({ right }) => right),
    delays: scores.flatMap(({ delays }) => delays),
    days: sum(({ days }) => days),
  };
}

/** Share of the events that were detected; NaN without events. */
export const recall = ({ detected, events }: Score) => detected / events;
/** Share of the alarms that were right; NaN without alarms. */
export const precision = ({ right, alarms }: Score) => right / alarms;
/** Wrong alarms in thirty days. */
export const falseAlarms = ({ right, alarms, days }: Score) => ((alarms - right) / days) * 30;

/** Minutes within which `part` (0 to 1) of the detected events were detected; NaN without any. */
export function delay({ delays }: Score, part: number): number {
  const sorted = delays.toSorted((a, b) => a - b);
  return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
}
