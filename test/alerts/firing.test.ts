import { describe, expect, test } from "@jest/globals";
import { firing } from "../../alerts/firing.ts";

/** Spans of an alert whose condition holds where the text has a `#`. */
const fires = (text: string, forMinutes: number, keepMinutes: number) =>
  firing(text.length, (minute) => text[minute] === "#", { forMinutes, keepMinutes }).map(
    ({ from, until }) => `${from}-${until}`,
  );

describe("an alert", () => {
  test.each([
    ["fires when its condition has held for that long", "..#####..", 3, 0, ["5-7"]],
    ["fires at once without `for`", "..##..", 0, 0, ["2-4"]],
    ["does not fire one evaluation too early", "..###..", 3, 0, []],
    ["restarts the wait after a gap", ".###.####.", 3, 0, ["8-9"]],
    ["goes on for a while when the condition is gone", ".##......", 1, 3, ["2-6"]],
    ["bridges a gap shorter than that, and counts the while from the end of the last", ".##..##......", 1, 3, ["2-10"]],
    ["does not bridge a longer one", ".##.....##...", 1, 3, ["2-6", "9-13"]],
    ["keeps nothing that never fired", ".#.......", 1, 3, []],
    ["fires until the end when nothing ends it", "...###", 1, 3, ["4-6"]],
  ])("%s", (_, text, forMinutes, keepMinutes, expected) => {
    expect(fires(text, forMinutes, keepMinutes)).toEqual(expected);
  });
});
