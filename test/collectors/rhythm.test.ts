import { expect, test } from "@jest/globals";
import { longestPause, NO_RHYTHM, withActivity } from "../../src/collectors/rhythm.ts";

const HOUR = 3600;
const START = 1_795_219_200;
/** Times from the start, in hours. */
const at = (...hours: readonly number[]) => hours.map((hour) => START + hour * HOUR);
const hourly = (from: number, to: number) => at(...Array.from({ length: to - from + 1 }, (_, hour) => from + hour));

test("the longest pause is known after ten pauses and a day", () => {
  expect(longestPause(NO_RHYTHM)).toBeUndefined();
  expect(longestPause(withActivity(NO_RHYTHM, hourly(0, 23)))).toBeUndefined();
  expect(longestPause(withActivity(NO_RHYTHM, hourly(0, 24)))).toBe(HOUR);
  expect(longestPause(withActivity(NO_RHYTHM, at(0, 3, 6, 9, 12, 15, 18, 21, 24)))).toBeUndefined();
  expect(longestPause(withActivity(NO_RHYTHM, at(0, 3, 6, 9, 12, 14, 16, 18, 20, 22, 25)))).toBe(3 * HOUR);
});

test("activity of several polls adds up, regardless of the order of times within a poll", () => {
  const once = withActivity(NO_RHYTHM, hourly(0, 30));
  const twice = withActivity(withActivity(NO_RHYTHM, hourly(0, 9).toReversed()), hourly(10, 30).toReversed());

  expect(twice).toEqual(once);
});

test("times that are not newer are ignored, and activity in the same second is not a pause", () => {
  const rhythm = withActivity(NO_RHYTHM, hourly(0, 30));

  expect(withActivity(rhythm, at(3, 30, 30))).toEqual(rhythm);
  expect(withActivity(rhythm, [])).toBe(rhythm);
});

test("only pauses of the week before the newest activity count, so a long silence does not become usual", () => {
  const rhythm = withActivity(withActivity(NO_RHYTHM, at(0, 5)), hourly(6, 6 + 24 * 7));

  expect(longestPause(rhythm)).toBe(HOUR);
});

test("an outage counts as at most three times the longest pause before it", () => {
  const rhythm = withActivity(NO_RHYTHM, hourly(0, 30));

  expect(longestPause(withActivity(rhythm, at(32)))).toBe(2 * HOUR);
  expect(longestPause(withActivity(rhythm, at(30 + 48)))).toBe(3 * HOUR);
});

test("the pause before activity is unknown while older activity has not been read", () => {
  const rhythm = withActivity(NO_RHYTHM, hourly(0, 30));

  expect(longestPause(withActivity(rhythm, at(40, 41), false))).toBe(HOUR);
});
