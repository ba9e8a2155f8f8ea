import { expect, test } from "@jest/globals";
import { holds } from "../../tools/evaluation/rules.ts";

const LOW = 2.8;
const OVER = 2.81;
const ABSENT = Number.NaN;

/** Whether the alert has a reason to fire in the last minute of these ratios. */
const last = (...ratios: readonly number[]) =>
  holds({ mined: Float64Array.from(ratios), usual: new Float64Array(ratios.length).fill(1) }, ratios.length - 1);
const throughout = (minutes: number) => new Array<number>(minutes).fill(OVER);

test.each([
  ["above the limit for nine minutes", [LOW, ...throughout(10)], true],
  ["above the limit for eight minutes", [LOW, ...throughout(9)], false],
  ["just at the limit now", [...throughout(10), LOW], false],
  ["above the high limit", [LOW, 8.1], true],
  ["just at the high limit", [LOW, 8], false],
  ["absent now", [...throughout(10), ABSENT], false],
  ["absent before: what there is counts", [ABSENT, ABSENT, OVER], true],
  ["absent in between", [LOW, ...throughout(5), ABSENT, ...throughout(4)], true],
])("the alert has a reason to fire: %s", (_, ratios, expected) => {
  expect(last(...ratios)).toBe(expected);
});
