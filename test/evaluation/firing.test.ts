import { describe, expect, test } from "@jest/globals";
import { firing } from "../../tools/evaluation/firing.ts";

/** Spans of an alert whose condition holds where the text has a `#`. */
const fires = (text: string, forMinutes: number, keepMinutes: number) =>
  firing(text.length, (minute) => text[minute] === "#", { forMinutes, keepMinutes }).map(
    ({ from, until }) => `${from}-${until}`,
  );

describe("an alert", () => {
  test.each([
    ["fires when its condition has held for `for`", "..#####..", 3, 0, ["5-7"]],
    ["fires at once without `for`", "..##..", 0, 0, ["2-4"]],
    ["does not fire one evaluation too early", "..###..", 3, 0, []],
    ["restarts the wait after a gap", ".###.####.", 3, 0, ["8-9"]],
    ["keeps firing for `keep_firing_for` after its condition", ".##......", 1, 3, ["2-6"]],
    ["bridges a shorter gap, and counts `keep_firing_for` from the last end", ".##..##......", 1, 3, ["2-10"]],
    ["does not bridge a longer gap", ".##.....##...", 1, 3, ["2-6", "9-13"]],
    ["does not keep firing if it has never fired", ".#.......", 1, 3, []],
    ["fires until the last evaluation if its condition still holds", "...###", 1, 3, ["4-6"]],
  ])("%s", (_, text, forMinutes, keepMinutes, expected) => {
    expect(fires(text, forMinutes, keepMinutes)).toEqual(expected);
  });
});
