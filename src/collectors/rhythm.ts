// The longest pause between activities of a watched principal, to detect an unusual silence. Pure.
//
// Only the seven days before the newest activity matter, so that a long silence does not become usual while it lasts.

/** The pauses of an activity. Plain data. Unix times and durations in seconds. */
export interface Rhythm {
  /** The first and the newest known activity; undefined before the first one. */
  readonly known: { readonly first: number; readonly last: number } | undefined;
  /** By the day on which a pause ended, oldest first. */
  readonly days: readonly {
    readonly day: number;
    readonly pauses: number;
    readonly longest: number;
  }[];
}

/** Before the first activity. */
export const NO_RHYTHM: Rhythm = { known: undefined, days: [] };

const DAY = 86_400;
const DAYS = 7;
// Fewer pauses, or pauses of less than a day, do not show a rhythm: nights can be quiet.
const MIN_PAUSES = 10;
const MIN_SECONDS = DAY;
// A longer pause is an outage: it counts as this many times the longest one so far.
const MAX_GROWTH = 3;

/**
 * The rhythm after further activity.
 * @param times Unix times in seconds, in any order. Those before the newest known activity are ignored.
 * @param isComplete whether `times` has all activity since the newest known one; otherwise the first pause is unknown
 */
export function withActivity(before: Rhythm, times: readonly number[], isComplete = true): Rhythm {
  const later = times.filter((time) => time > (before.known?.last ?? 0)).sort((a, b) => a - b);
  let rhythm = before;
  for (const [index, time] of later.entries()) {
    const { known } = rhythm;
    if (known === undefined || (index === 0 && !isComplete)) {
      rhythm = { ...rhythm, known: { first: known?.first ?? time, last: time } };
    } else if (time > known.last) {
      const usual = longestPause(rhythm);
      const pause = Math.min(time - known.last, usual === undefined ? Number.POSITIVE_INFINITY : MAX_GROWTH * usual);
      rhythm = { known: { ...known, last: time }, days: withPause(rhythm.days, Math.floor(time / DAY), pause) };
    }
  }
  return rhythm;
}

/**
 * The longest pause in the seven days before the newest activity, in seconds; undefined while fewer than ten pauses, or
 * less than a day, are known.
 */
export function longestPause({ known, days }: Rhythm): number | undefined {
  const pauses = days.reduce((sum, day) => sum + day.pauses, 0);
  if (known === undefined || pauses < MIN_PAUSES || known.last - known.first < MIN_SECONDS) return undefined;
  return Math.max(...days.map(({ longest }) => longest));
}

function withPause(days: Rhythm["days"], day: number, pause: number): Rhythm["days"] {
  const kept = days.filter((one) => one.day > day - DAYS);
  const same = kept.find((one) => one.day === day) ?? { day, pauses: 0, longest: 0 };
  const next = { day, pauses: same.pauses + 1, longest: Math.max(same.longest, pause) };
  return [...kept.filter((one) => one.day !== day), next];
}
