// Durations such as `1h30m`. Every setting has the same format.

const UNITS = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const;

/** Whole numbers with units, the biggest first, each unit at most once. */
export const DURATION = /^(?=\d)(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9})s)?(?:(\d{1,9})ms)?$/;

/**
 * Milliseconds of a duration such as `45s`, `1h30m` or `500ms`; undefined when the text is no duration. A number needs
 * a unit: readers of a file cannot see whether it means seconds or milliseconds.
 */
export function parseDuration(text: string): number | undefined {
  const match = DURATION.exec(text);
  if (match === null) return undefined;
  const [, hours = "0", minutes = "0", seconds = "0", milliseconds = "0"] = match;
  return (
    Number(hours) * UNITS.h + Number(minutes) * UNITS.m + Number(seconds) * UNITS.s + Number(milliseconds) * UNITS.ms
  );
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
