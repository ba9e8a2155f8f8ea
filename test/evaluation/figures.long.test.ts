// Bounds on a few other seeds, which a worse rule, threshold or market breaks. Published figures: docs/fee-alerts.md.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { FEES } from "../../alerts/thresholds.ts";
import { delay, falseAlarms, precision, recall, total } from "../../tools/evaluation/score.ts";
import { seedsOf } from "../../tools/evaluation/seeds.ts";
import type { FeeThresholds } from "../../tools/evaluation/thresholds.ts";
import { playTrace, type Trace } from "../../tools/evaluation/trace.ts";
import { tune } from "../../tools/evaluation/tune.ts";
import { judgeTrace, together, type Verdict, type View } from "../../tools/evaluation/verdict.ts";

describe("on four traces of four weeks", () => {
  let traces: readonly Trace[];
  let now: Readonly<Record<View, Verdict>>;
  const judged = (fees: FeeThresholds = FEES) => {
    const verdicts = traces.map((trace) => judgeTrace(trace, fees));
    return {
      gated: together(verdicts.map(({ gated }) => gated)),
      ungated: together(verdicts.map(({ ungated }) => ungated)),
    };
  };
  beforeAll(() => {
    traces = seedsOf("checking").flatMap((seed) => [playTrace(seed, "small"), playTrace(seed, "large")]);
    now = judged();
  });

  test("enough happens to say anything", () => {
    const { events, days } = now.gated.scores.union;

    expect(events).toBeGreaterThan(25);
    expect(days).toBe(80);
  });

  test("nearly all events are detected, and nearly all alarms are right", () => {
    const { union } = now.gated.scores;

    expect(recall(union)).toBeGreaterThanOrEqual(0.85);
    expect(precision(union)).toBeGreaterThanOrEqual(0.85);
    expect(falseAlarms(union)).toBeLessThanOrEqual(2);
    expect(delay(union, 0.5)).toBeLessThanOrEqual(8);
  });

  test("without the use of blocks there are no fewer detections, and no fewer false alarms, within bounds", () => {
    const known = now.gated.scores.union;
    const unknown = now.ungated.scores.union;

    expect(falseAlarms(unknown)).toBeGreaterThanOrEqual(falseAlarms(known));
    expect(falseAlarms(unknown)).toBeLessThanOrEqual(2);
    expect(recall(unknown)).toBeGreaterThanOrEqual(recall(known));
  });

  test("fees are earlier, the backlog detects more", () => {
    const { spike, backlog, union } = now.gated.scores;

    expect(spike.detected).toBeLessThan(backlog.detected);
    expect(backlog.detected).toBeLessThanOrEqual(union.detected);
    expect(delay(spike, 0.5)).toBeLessThan(delay(backlog, 0.5));
  });

  test("the alert for stuck clusters is nearly always right, and fires while the price is low", () => {
    const { alarms, caused, misleading } = now.gated.explained.stuckCluster;

    expect(alarms).toBeGreaterThan(3);
    expect(caused / alarms).toBeGreaterThan(0.6);
    expect(misleading).toBe(0);
  });

  test("every mistake is counted", () => {
    for (const { scores, mistakes } of [now.gated, now.ungated]) {
      const { events, detected, alarms, right } = scores.union;
      const counted = [...mistakes.values()].reduce(
        (sum, { missed, wrong }) => ({ missed: sum.missed + missed, wrong: sum.wrong + wrong }),
        { missed: 0, wrong: 0 },
      );

      expect(counted).toEqual({ missed: events - detected, wrong: alarms - right });
    }
  });

  test.each([
    [
      "any backlog, and blocks that never have room",
      {
        spike: { ...FEES.spike, leastWaiting: 20 },
        backlog: { ...FEES.backlog, leastWaiting: 20 },
        blockUsage: { ...FEES.blockUsage, roomUpTo: { fast: 0, slow: 0 } },
      },
      "precision",
    ],
    ["a gate that hardly opens", { blockUsage: { ...FEES.blockUsage, roomUpTo: { fast: 1.2, slow: 1.2 } } }, "recall"],
    ["a backlog that takes an hour", { backlog: { ...FEES.backlog, for: "1h" } }, "recall"],
  ] as const)("is worse with %s", (_, change, in_) => {
    const figure = { precision, recall }[in_];

    expect(figure(judged({ ...FEES, ...change }).gated.scores.union)).toBeLessThan(
      figure(now.gated.scores.union) - 0.03,
    );
  });

  test("adds up", () => {
    expect(total(traces.map((trace) => judgeTrace(trace).gated.scores.union))).toEqual(now.gated.scores.union);
  });
});

test("the search varies one number at a time around the present ones", () => {
  const lines: string[] = [];
  tune(seedsOf("checking").slice(0, 1), (line) => lines.push(line));
  const figures = (line: string) => line.slice(35);
  const present = lines.find((line) => line.startsWith("as in")) ?? "";
  const marked = lines.filter((line) => line.includes(" * "));

  expect(marked.length).toBeGreaterThan(12);
  expect(marked.map(figures)).toEqual(marked.map(() => figures(present)));
  expect(new Set(lines.map(figures)).size).toBeGreaterThan(15);
});
