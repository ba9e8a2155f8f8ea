// StacksFeeSpike as a condition on signals, with the thresholds of alerts/. test/evaluation/rules.long.test.ts compares
// it with the PromQL of the rule in a real Prometheus.
import { FEES } from "../../alerts/thresholds.ts";
import { firing, type Span } from "./firing.ts";
import { type FeeThresholds, minutesOf, type Signals } from "./signals.ts";

/** Whether the expression of the alert gives a result in a minute. */
export type Condition = (minute: number) => boolean;

/** The condition. Comparisons with NaN are false, like comparisons with an empty result in PromQL. */
export const conditionOf =
  ({ ratio, backlog }: Signals, { spike }: FeeThresholds = FEES): Condition =>
  (minute) =>
    (ratio[minute] as number) > spike.feeRatio && !((backlog[minute] as number) <= spike.budgets);

/** The alarms. */
export const alarmsOf = (signals: Signals, fees: FeeThresholds = FEES): readonly Span[] =>
  firing(signals.minutes, conditionOf(signals, fees), {
    forMinutes: minutesOf(fees.spike.for),
    keepMinutes: minutesOf(fees.spike.keepFiringFor),
  });
