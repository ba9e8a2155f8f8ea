// StacksFeeSpike as a condition on signals, with the thresholds of alerts/. test/evaluation/rules.long.test.ts compares
// it with the PromQL of the rule in a real Prometheus.
import { LIMITS } from "../../alerts/thresholds.ts";
import { firing, type Span } from "./firing.ts";
import { minutesOf, type Signals } from "./signals.ts";

const spike = LIMITS.StacksFeeSpike;

/** Whether the expression of the alert gives a result in a minute: comparisons with NaN are false, as in PromQL. */
export const holds = ({ ratio, backlog }: Signals, minute: number): boolean =>
  (ratio[minute] as number) > spike.feeRatio && !((backlog[minute] as number) <= spike.budgets);

/** The alarms. */
export const alarmsOf = (signals: Signals): readonly Span[] =>
  firing(signals.ratio.length, (minute) => holds(signals, minute), {
    forMinutes: minutesOf(spike.for),
    keepMinutes: minutesOf(spike.keepFiringFor),
  });
