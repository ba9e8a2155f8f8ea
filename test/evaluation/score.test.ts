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
import { eventsOf, shortRisesOf } from "../../tools/evaluation/truth.ts";

const span = (from: number, until: number) => ({ from, until });
const DAY = 1440;
type Pairs = [from: number, until: number][];
const spans = (pairs: Pairs) => pairs.map((pair) => span(...pair));
/** Scores alarms against events over thirty days. */
const score = (alarms: Pairs, events: Pairs, from = 0, shortRises: Pairs = []) =>
  scoreTrace(spans(alarms), { events: spans(events), shortRises: spans(shortRises) }, from, from + 30 * DAY);

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
    expect(eventsOf(column)).toEqual(expected);
  });
});

test("what is too short for an event is a short rise", () => {
  const price = Float64Array.from({ length: 100 }, (_, minute) => (minute < 14 || minute >= 50 ? 3.1 : 0));

  expect(shortRisesOf(price)).toEqual([span(0, 14)]);
  expect(eventsOf(price)).toEqual([span(50, 100)]);
});

describe("a score", () => {
  test("counts an alarm during the event as its detection, from the start of the event", () => {
    const one = score([[107, 160]], [[100, 150]]);

    expect([recall(one), precision(one), falseAlarms(one)]).toEqual([1, 1, 0]);
    expect(one.delays).toEqual([7]);
  });

  test("counts an alarm that fires already as no delay", () => {
    expect(score([[90, 130]], [[100, 150]]).delays).toEqual([0]);
  });

  test("an alarm after the end is right for an hour, but detects nothing", () => {
    const late = score([[160, 170]], [[100, 150]]);

    expect([recall(late), precision(late)]).toEqual([0, 1]);
    expect(precision(score([[210, 220]], [[100, 150]]))).toBe(0);
  });

  test("an alarm up to an hour ahead counts", () => {
    expect(recall(score([[41, 42]], [[100, 150]]))).toBe(1);
    expect(recall(score([[39, 40]], [[100, 150]]))).toBe(0);
  });

  test("counts one alarm over two events once, and both events", () => {
    const both = score(
      [[100, 400]],
      [
        [100, 150],
        [300, 350],
      ],
    );

    expect([both.alarms, both.detected]).toEqual([1, 2]);
  });

  test("leaves the training out: neither its events nor its alarms count", () => {
    const trained = score(
      [
        [10, 20],
        [500, 520],
        [990, 1010],
      ],
      [[980, 1005]],
      1000,
    );

    expect([trained.events, trained.alarms, trained.right]).toEqual([0, 1, 1]);
  });

  test("adds up over traces; false alarms are per thirty days", () => {
    const sum = total([score([[10, 20]], []), score([[100, 160]], [[100, 150]])]);

    expect([sum.events, sum.detected, sum.alarms, sum.right, sum.days]).toEqual([1, 1, 2, 1, 60]);
    expect(falseAlarms(sum)).toBe(0.5);
  });

  test("an alarm in a short rise, or soon after it, is wrong or neutral", () => {
    const one = score(
      [
        [105, 160],
        [305, 310],
        [420, 430],
      ],
      [],
      0,
      [
        [100, 110],
        [290, 296],
        [400, 405],
      ],
    );

    expect([one.alarms, one.right, one.neutral]).toEqual([3, 0, 2]);
    expect(precision(one)).toBe(0);
    expect(falseAlarms(one)).toBe(3);
    expect(falseAlarms(withoutShortRises(one))).toBe(1);
  });

  test("a true alarm is not neutral", () => {
    const one = score([[105, 160]], [[150, 200]], 0, [[100, 110]]);

    expect([one.right, one.neutral]).toEqual([1, 0]);
    expect(withoutShortRises(one)).toEqual(one);
  });

  test("ends: a later event is not scored, nor is a later alarm, which can detect an earlier event", () => {
    const one = scoreTrace(
      spans([[1445, 1460]]),
      {
        events: spans([
          [1435, 1500],
          [1600, 1700],
        ]),
        shortRises: [],
      },
      0,
      DAY,
    );

    expect([one.events, one.detected, one.alarms, one.days]).toEqual([1, 1, 0, 1]);
  });

  test("returns the delay within which a share of the detections was", () => {
    const some = { ...score([], []), delays: [9, 1, 2, 3, 4, 5, 6, 7, 8, 40] };

    expect([delay(some, 0.5), delay(some, 0.9), delay(some, 1)]).toEqual([5, 9, 40]);
  });
});
