// Bounds on a few other seeds, which a worse rule, threshold or market breaks. Published figures: docs/fee-alerts.md.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { FEES } from "../../alerts/thresholds.ts";
import { marketsOf } from "../../tools/evaluation/evaluate.ts";
import { delay, falseAlarms, precision, recall, withoutShortRises } from "../../tools/evaluation/score.ts";
import { seedsOf } from "../../tools/evaluation/seeds.ts";
import type { FeeThresholds } from "../../tools/evaluation/thresholds.ts";
import { playTrace, type Trace } from "../../tools/evaluation/trace.ts";
import { evaluateTrace, scorePolls, type TraceScores, together } from "../../tools/evaluation/trace-scores.ts";
import { tune } from "../../tools/evaluation/tune.ts";
import { BASE, OTHERS, POLLS } from "../../tools/evaluation/worlds.ts";

describe("on four traces of four weeks", () => {
  let traces: readonly Trace[];
  let now: TraceScores;
  const scored = (fees: FeeThresholds = FEES) => together(traces.map((trace) => evaluateTrace(trace, BASE, fees)));
  beforeAll(() => {
    traces = marketsOf(seedsOf("checking"), BASE).map(({ seed, regime }) => playTrace(seed, regime));
    now = scored();
  });

  test("there are enough events for significant results", () => {
    const { events, days } = now.paid.either;

    expect(events).toBeGreaterThan(25);
    expect(days).toBe(80);
  });

  test("nearly all events are detected, and nearly all alarms are right", () => {
    const { either } = now.paid;

    expect(recall(either)).toBeGreaterThanOrEqual(0.88);
    expect(precision(withoutShortRises(either))).toBeGreaterThanOrEqual(0.9);
    expect(falseAlarms(withoutShortRises(either))).toBeLessThanOrEqual(1.2);
    expect(delay(either, 0.5)).toBeLessThanOrEqual(6);
  });

  test("by the second definition the precision is worse, but not the recall", () => {
    expect(recall(now.needed.either)).toBeGreaterThanOrEqual(0.88);
    expect(now.needed.either.events).toBeLessThan(now.paid.either.events);
    expect(precision(now.needed.either)).toBeLessThan(precision(now.paid.either));
  });

  test("on the first day most events are detected", () => {
    expect(now.firstDay.either.days).toBe(80);
    expect(recall(now.firstDay.either)).toBeGreaterThanOrEqual(0.8);
    expect(falseAlarms(withoutShortRises(now.firstDay.either))).toBeLessThanOrEqual(3);
  });

  test("without the list of mined transactions, the backlog detects the most", () => {
    const { spike, either } = now.unlisted;

    expect(now.unlisted.backlog).toEqual(now.paid.backlog);
    expect(spike.detected).toBeLessThan(now.paid.spike.detected);
    expect(recall(either)).toBeGreaterThanOrEqual(0.85);
  });

  test("mined transactions detect earlier, the backlog detects more", () => {
    const { spike, backlog, either } = now.paid;

    expect(spike.detected).toBeLessThan(backlog.detected);
    expect(backlog.detected).toBeLessThanOrEqual(either.detected);
    expect(delay(spike, 0.5)).toBeLessThanOrEqual(delay(backlog, 0.5));
  });

  test("every mistake is counted", () => {
    const { events, detected, alarms, right, neutral } = now.paid.either;
    const counted = [...now.mistakes.values()].reduce(
      (sum, { missed, wrong, short }) => ({
        missed: sum.missed + missed,
        wrong: sum.wrong + wrong,
        short: sum.short + short,
      }),
      { missed: 0, wrong: 0, short: 0 },
    );

    expect(counted).toEqual({ missed: events - detected, wrong: alarms - right - neutral, short: neutral });
  });

  test("polls by default are the base, and rarer ones are later", () => {
    const [trace] = traces as [Trace];
    const scores = evaluateTrace(trace, BASE);
    const rare = { fees: 30, mempool: 30, blocks: 30, transactions: 30 };
    const mean = ({ delays }: { delays: readonly number[] }) =>
      delays.reduce((sum, one) => sum + one, 0) / delays.length;

    expect(scorePolls(trace, POLLS.freeKey)).toEqual(scores.paid.either);
    expect(mean(scorePolls(trace, rare))).toBeGreaterThan(mean(scores.paid.either) + 3);
  });

  test.each([
    [
      "any backlog, and blocks that never have room",
      {
        spike: { ...FEES.spike, blockUsage: 0, tenures: Number.NEGATIVE_INFINITY },
        backlog: { ...FEES.backlog, tenures: 0.02, blockUsage: 0 },
      },
      "precision",
    ],
    [
      "a gate that hardly opens",
      { spike: { ...FEES.spike, blockUsage: 1.6 }, backlog: { ...FEES.backlog, blockUsage: 1.6 } },
      "recall",
    ],
    ["a backlog that takes an hour", { backlog: { ...FEES.backlog, for: "1h" } }, "recall"],
  ] as const)("is worse with %s", (_, change, in_) => {
    const figure = { precision, recall }[in_];

    expect(figure(scored({ ...FEES, ...change }).paid.either)).toBeLessThan(figure(now.paid.either) - 0.03);
  });
});

test("the search varies one number at a time around the current ones", () => {
  const lines: string[] = [];
  const settings = [BASE, OTHERS.find(({ what }) => what.startsWith("72")) ?? BASE];
  tune(seedsOf("checking").slice(0, 1), settings, (line) => lines.push(line));
  const figures = (line: string) => line.slice(33);
  const present = lines.find((line) => line.startsWith("as in")) ?? "";
  const marked = lines.filter((line) => line.includes(" * "));

  expect(marked.length).toBe(12);
  expect(marked.map(figures)).toEqual(marked.map(() => figures(present)));
  expect(new Set(lines.map(figures)).size).toBeGreaterThan(12);
});
