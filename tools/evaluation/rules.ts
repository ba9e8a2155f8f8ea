// The fee rules as conditions on signals, with the thresholds of alerts/. test/evaluation/rules.long.test.ts compares
// them with the PromQL of the rules in a real Prometheus.

import { FEES } from "../../alerts/thresholds.ts";
import { firing, joined, type Span } from "./firing.ts";
import { type FeeThresholds, minutesOf, type Signals } from "./signals.ts";

/** The rules that are evaluated. */
export const RULES = ["spike", "backlog"] as const;
export type Rule = (typeof RULES)[number];

/** Each rule, and both as one notification. */
export const DETECTORS = [...RULES, "either"] as const;
export type Detector = (typeof DETECTORS)[number];

/** Whether the expression of an alert gives a result in a minute. */
export type Condition = (minute: number) => boolean;

/** The conditions of all rules. Comparisons with NaN are false, like comparisons with an empty result in PromQL. */
export function conditionsOf(signals: Signals, fees: FeeThresholds = FEES): Readonly<Record<Rule, Condition>> {
  const { minedRatio, waitingRatio, backlog: tenures, usage } = signals;
  const { spike, backlog } = fees;
  const at = (column: Float64Array, minute: number) => column[minute] as number;
  const ratio = (minute: number) => {
    const mined = at(minedRatio, minute);
    return Number.isNaN(mined) ? at(waitingRatio, minute) : mined;
  };
  return {
    spike: (minute) =>
      ratio(minute) > spike.feeRatio && at(usage, minute) > spike.blockUsage && !(at(tenures, minute) <= spike.tenures),
    backlog: (minute) => at(tenures, minute) >= backlog.tenures && at(usage, minute) > backlog.blockUsage,
  };
}

/** The alarms of each rule, and of any of them. */
export function alarmsOf(signals: Signals, fees: FeeThresholds = FEES): Readonly<Record<Detector, readonly Span[]>> {
  const conditions = conditionsOf(signals, fees);
  const of = (rule: Rule) =>
    firing(signals.minutes, conditions[rule], {
      forMinutes: minutesOf(fees[rule].for),
      keepMinutes: minutesOf(fees[rule].keepFiringFor),
    });
  const [spike, backlog] = [of("spike"), of("backlog")];
  return { spike, backlog, either: joined([...spike, ...backlog], 0) };
}
