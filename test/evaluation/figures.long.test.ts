// Bounds on a few other seeds, which a worse rule, threshold or market breaks. Published figures: docs/fee-alerts.md.
import { beforeAll, expect, test } from "@jest/globals";
import { FEES } from "../../alerts/thresholds.ts";
import { evaluate } from "../../tools/evaluation/evaluate.ts";
import { delay, falseAlarms, precision, recall, withoutShortRises } from "../../tools/evaluation/score.ts";
import { seedsOf } from "../../tools/evaluation/seeds.ts";
import type { FeeThresholds } from "../../tools/evaluation/signals.ts";
import type { Scores, View } from "../../tools/evaluation/trace-scores.ts";
import { BASE } from "../../tools/evaluation/worlds.ts";

const scoresOf = (views: readonly View[], fees: FeeThresholds = FEES) =>
  evaluate({ setting: BASE, seeds: seedsOf("checking"), views, fees }) as Record<View, Scores>;

let now: Record<View, Scores>;
beforeAll(() => {
  now = scoresOf(["paid", "needed", "firstDay", "unlisted"]);
});

test("nearly all events are detected, and nearly all alarms are right", () => {
  const { either } = now.paid;

  expect(either.events).toBeGreaterThan(25);
  expect(either.days).toBe(80);
  expect(recall(either)).toBeGreaterThanOrEqual(0.88);
  expect(precision(withoutShortRises(either))).toBeGreaterThanOrEqual(0.9);
  expect(falseAlarms(withoutShortRises(either))).toBeLessThanOrEqual(1.2);
  expect(delay(either, 0.5)).toBeLessThanOrEqual(6);
});

test("mined transactions detect earlier, the backlog detects more", () => {
  const { spike, backlog, either } = now.paid;

  expect(spike.detected).toBeLessThan(backlog.detected);
  expect(backlog.detected).toBeLessThanOrEqual(either.detected);
  expect(delay(spike, 0.5)).toBeLessThanOrEqual(delay(backlog, 0.5));
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
  expect(now.unlisted.backlog).toEqual(now.paid.backlog);
  expect(now.unlisted.spike.detected).toBeLessThan(now.paid.spike.detected);
  expect(recall(now.unlisted.either)).toBeGreaterThanOrEqual(0.85);
});

test.each([
  [
    "any backlog, and blocks that never have room",
    {
      spike: { ...FEES.spike, blockUsage: 0, tenures: Number.NEGATIVE_INFINITY },
      backlog: { ...FEES.backlog, tenures: 0.02, blockUsage: 0 },
    },
    precision,
  ],
  [
    "a gate that hardly opens",
    { spike: { ...FEES.spike, blockUsage: 1.6 }, backlog: { ...FEES.backlog, blockUsage: 1.6 } },
    recall,
  ],
  ["a backlog that takes an hour", { backlog: { ...FEES.backlog, for: "1h" } }, recall],
] as const)("is worse with %s", (_, change, figure) => {
  const { paid } = scoresOf(["paid"], { ...FEES, ...change });

  expect(figure(paid.either)).toBeLessThan(figure(now.paid.either) - 0.03);
});
