// The fee rules as conditions on signals, with the thresholds of alerts/. test/evaluation/rules.long.test.ts compares
// them with the PromQL of the rules in a real Prometheus.
import { FEES } from "../../alerts/thresholds.ts";
import { firing } from "./firing.ts";
import { minutesOf, type Signals } from "./signals.ts";
import type { FeeThresholds } from "./thresholds.ts";
import { joined, type Span } from "./truth.ts";

/** The rules that are judged by the price to get in. */
export const PRICE_RULES = ["spike", "elevated", "backlog"] as const;
/** The rules that explain a strange percentile. */
export const EXPLANATIONS = ["topHeavy", "stuckCluster"] as const;
export type PriceRule = (typeof PRICE_RULES)[number];
export type Explanation = (typeof EXPLANATIONS)[number];
export type Rule = PriceRule | Explanation;

/** Whether the expression of an alert gives a result in a minute. */
export type Condition = (minute: number) => boolean;

/** The conditions of all rules. Comparisons with NaN are false, as comparisons with nothing are in PromQL. */
export function conditionsOf(signals: Signals, fees: FeeThresholds = FEES): Readonly<Record<Rule, Condition>> {
  const { feeRatio, feeRatioSlow, waiting, backlogRatio, spread, usage, usageSlow } = signals;
  const at = (column: Float64Array, minute: number) => column[minute] as number;
  const { spike, elevated, backlog, topHeavy, stuckCluster, blockUsage } = fees;
  const hasRoom = (minute: number) => at(usage, minute) <= blockUsage.roomUpTo.fast;
  const hasRoomSlow = (minute: number) => at(usageSlow, minute) <= blockUsage.roomUpTo.slow;
  const isIdle = (minute: number) => at(usage, minute) < blockUsage.idleBelow;
  const isUnknown = (minute: number) => Number.isNaN(at(usage, minute));
  return {
    spike: (minute) =>
      at(feeRatio, minute) > spike.feeRatio &&
      at(backlogRatio, minute) > spike.backlogRatio &&
      at(waiting, minute) >= spike.leastWaiting &&
      !hasRoom(minute),
    elevated: (minute) =>
      at(feeRatioSlow, minute) > elevated.feeRatio &&
      at(backlogRatio, minute) > elevated.backlogRatio &&
      at(waiting, minute) >= elevated.leastWaiting &&
      !hasRoomSlow(minute),
    backlog: (minute) =>
      at(backlogRatio, minute) > backlog.backlogRatio &&
      at(waiting, minute) >= backlog.leastWaiting &&
      !hasRoomSlow(minute),
    topHeavy: (minute) =>
      at(spread, minute) > topHeavy.spreadRatio &&
      at(feeRatio, minute) < topHeavy.feeRatioBelow &&
      at(waiting, minute) >= topHeavy.leastWaiting,
    stuckCluster: (minute) =>
      at(feeRatio, minute) > stuckCluster.feeRatio &&
      at(waiting, minute) >= stuckCluster.leastWaiting &&
      (isIdle(minute) || (isUnknown(minute) && at(backlogRatio, minute) < stuckCluster.backlogRatioBelow)),
  };
}

/** The signals as they are where block costs are unknown. */
export function withoutUsage(signals: Signals): Signals {
  const unknown = new Float64Array(signals.minutes).fill(Number.NaN);
  return { ...signals, usage: unknown, usageSlow: unknown };
}

/** When each rule fires. */
export function alarmsOf(signals: Signals, fees: FeeThresholds = FEES): Readonly<Record<Rule, readonly Span[]>> {
  const conditions = conditionsOf(signals, fees);
  const of = (rule: Rule) =>
    firing(signals.minutes, conditions[rule], {
      forMinutes: minutesOf(fees[rule].for),
      keepMinutes: minutesOf(fees[rule].keepFiringFor),
    });
  return {
    spike: of("spike"),
    elevated: of("elevated"),
    backlog: of("backlog"),
    topHeavy: of("topHeavy"),
    stuckCluster: of("stuckCluster"),
  };
}

/** The three fee alerts as one notification. */
export function unionOf(alarms: Readonly<Record<PriceRule, readonly Span[]>>): Span[] {
  return joined(
    PRICE_RULES.flatMap((rule) => alarms[rule]),
    0,
  );
}
