import { describe, expect, test } from "@jest/globals";
import {
  delay,
  falseAlarms,
  precision,
  recall,
  scoreTrace,
  total,
  withoutShortRises,
} from "../../tools/evaluation/score.ts";
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

  test("that is too short is a short rise", () => {
    expect(truthOf(price([14, 3.1], [36, 0], [50, 3.1]))).toEqual({
      events: [span(50, 100)],
      shortRises: [span(0, 14)],
    });
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

  test("counts one alarm over two events once, and both events", () => {
    const events: Pairs = [
      [100, 150],
      [300, 350],
    ];
    const { alarms, detected } = score([[100, 400]], events);

    expect([alarms, detected]).toEqual([1, 2]);
  });

  test("leaves out events before its first minute, and alarms that ended before it", () => {
    const alarms: Pairs = [
      [10, 20],
      [500, 520],
      [990, 1010],
    ];
    const trained = score(alarms, [[980, 1005]], [], 1000);

    expect([trained.events, trained.alarms, trained.right]).toEqual([0, 1, 1]);
  });

  test("an alarm in a short rise, or within ten minutes after it, is wrong or neutral; a true alarm is not", () => {
    const alarms: Pairs = [
      [105, 160],
      [305, 310],
      [420, 430],
      [615, 640],
    ];
    const rises: Pairs = [
      [100, 110],
      [290, 296],
      [400, 405],
      [610, 620],
    ];
    const one = score(alarms, [[630, 700]], rises);

    expect([one.alarms, one.right, one.neutral]).toEqual([4, 1, 2]);
    expect([precision(one), falseAlarms(one)]).toEqual([0.25, 3]);
    expect(falseAlarms(withoutShortRises(one))).toBe(1);
  });

  test("adds up over traces; false alarms are per thirty days, delays by their share", () => {
    const sum = total([score([[10, 20]], []), score([[100, 160]], [[100, 150]])]);

    expect([sum.events, sum.detected, sum.alarms, sum.right, sum.days]).toEqual([1, 1, 2, 1, 60]);
    expect(falseAlarms(sum)).toBe(0.5);
    const some = { ...sum, delays: [9, 1, 2, 3, 4, 5, 6, 7, 8, 40] };
    expect([delay(some, 0.5), delay(some, 0.9), delay(some, 1)]).toEqual([5, 9, 40]);
  });
});
