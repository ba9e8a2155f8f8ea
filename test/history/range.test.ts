import { expect, test } from "@jest/globals";
import { readRange, readStep, timeText } from "../../src/history/range.ts";

const NOW = Date.parse("2026-11-22T12:34:56Z") / 1000;
const at = (text: string) => Date.parse(text) / 1000;

test.each([
  ["90d", undefined, "2026-08-24T12:34:00Z", "2026-11-22T09:34:00Z"],
  ["12h", undefined, "2026-11-22T00:34:00Z", "2026-11-22T09:34:00Z"],
  ["2w", "7d", "2026-11-08T12:34:00Z", "2026-11-15T12:34:00Z"],
  ["2026-08-24", "2026-08-25T06:30Z", "2026-08-24T00:00:00Z", "2026-08-25T06:30:00Z"],
  ["2026-08-24T06:30:59Z", "3h", "2026-08-24T06:30:00Z", "2026-11-22T09:34:00Z"],
])("--since %s --until %s", (since, until, from, to) => {
  expect(readRange(since, until, NOW)).toEqual({ since: at(from), until: at(to) });
});

test.each([
  ["90", undefined, "--since: expected a time before now"],
  ["30m", undefined, "--since: expected a time before now in hours, days or weeks"],
  ["", undefined, "--since: expected a time before now"],
  ["-1d", undefined, "--since: expected a time before now"],
  ["1.5d", undefined, "--since: expected a time before now"],
  ["2026-02-30", undefined, "--since: expected a time before now"],
  ["2026-13-01", undefined, "--since: expected a time before now"],
  ["2026-08-24T06:30", undefined, "--since: expected a time before now"],
  ["90d", "2h", "--until: expected a time at least three hours ago, at most 2026-11-22T09:34Z"],
  ["90d", "2027-01-01", "--until: expected a time at least three hours ago"],
  ["90d", "soon", "--until: expected a time before now"],
  ["3h", undefined, "--since: expected a time at least one hour before the end"],
  ["7d", "14d", "--since: expected a time at least one hour before the end"],
  ["1001d", undefined, "--since: expected at most 1000 days before the end"],
])("--since %s --until %s is refused", (since, until, message) => {
  expect(readRange(since, until, NOW)).toEqual([expect.stringContaining(message)]);
});

test("all errors are reported at once", () => {
  expect(readRange("x", "y", NOW)).toHaveLength(2);
});

test.each([
  ["4m", 240],
  ["15s", 15],
  ["270s", 270],
])("--step %s", (text, seconds) => {
  expect(readStep(text)).toBe(seconds);
});

test.each(["5m", "14s", "1h", "4", "", "0s"])("--step %s is refused", (text) => {
  expect(readStep(text)).toContain("--step: expected a duration from 15s to 270s");
});

test("a time is printed as it can be given", () => {
  const time = at("2026-08-24T06:30:00Z");

  expect(readRange(timeText(time), "7d", NOW)).toMatchObject({ since: time });
});
