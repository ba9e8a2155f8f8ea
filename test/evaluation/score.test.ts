import { describe, expect, test } from "@jest/globals";
import { precision, recall, scoreTrace } from "../../tools/evaluation/score.ts";
import { truthOf } from "../../tools/evaluation/truth.ts";

const span = (from: number, until: number) => ({ from, until });
type Pairs = [from: number, until: number][];
const spans = (pairs: Pairs) => pairs.map((pair) => span(...pair));
/** Scores alarms against events over thirty days. */
const score = (alarms: Pairs, events: Pairs, shortRises: Pairs = [], from = 0) =>
  scoreTrace(spans(alarms), { events: spans(events), shortRises: spans(shortRises) }, from, from + 30 * 1440);

describe("an event", () => {
  const price = (...parts: [minutes: number, floors: number][]) =>
    Float64Array.from(parts.flatMap(([minutes, floors]) => new Array<number>(minutes).fill(floors)));

  test.each([
    ["is a quarter of an hour above three floors", price([10, 0], [15, 3.1], [10, 0]), [span(10, 25)]],
    ["is not a minute less", price([10, 0], [14, 3.1], [10, 0]), []],
    ["is not at three floors", price([10, 0], [60, 3], [10, 0]), []],
    ["continues over a short dip", price([8, 9], [5, 0], [8, 9]), [span(0, 21)]],
    ["does not over a longer one", price([8, 9], [6, 0], [8, 9]), []],
    ["continues when it returns within the hour", price([20, 9], [60, 0], [20, 9]), [span(0, 100)]],
    ["is another one after that", price([20, 9], [61, 0], [20, 9]), [span(0, 20), span(81, 101)]],
  ])("%s", (_, column, expected) => {
    expect(truthOf(column).events).toEqual(expected);
  });
});

describe("a score", () => {
  test.each<[what: string, alarm: [number, number], recall: number, precision: number, delays: number[]]>([
    ["an alarm during the event detects it, with the delay from its start", [107, 160], 1, 1, [7]],
    ["an alarm that fires already has no delay", [90, 130], 1, 1, [0]],
    ["an alarm an hour before the event detects it", [39, 41], 1, 1, [0]],
    ["an earlier alarm does not", [30, 40], 0, 0, []],
    ["an alarm after the end is right for an hour, but detects nothing", [160, 170], 0, 1, []],
    ["a later alarm is wrong", [210, 220], 0, 0, []],
  ])("%s", (_, alarm, found, right, delays) => {
    const one = score([alarm], [[100, 150]]);

    expect([recall(one), precision(one), one.delays]).toEqual([found, right, delays]);
  });
});
