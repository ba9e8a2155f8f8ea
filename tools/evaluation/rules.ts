// StacksFeeSpike as a condition, with the percentiles and the limit of alerts/.
import { type Duration, LIMITS, seconds } from "../../alerts/thresholds.ts";
import type { Samples } from "./exporter.ts";
import { firing, type Span } from "./firing.ts";
import type { Column } from "./trace.ts";
import { EXPENSIVE } from "./truth.ts";

const spike = LIMITS.StacksFeeSpike;

/** Whether the expression of the alert gives a result in a minute: comparisons with NaN are false, as in PromQL. */
export const holds = ({ mined, usual }: Samples, minute: number): boolean =>
  (mined[minute] as number) / (usual[minute] as number) > spike.feeRatio;

const minutesOf = (duration: Duration) => seconds(duration) / 60;

const fired = (minutes: number, is: (minute: number) => boolean, wait: number): readonly Span[] =>
  firing(minutes, is, { forMinutes: wait, keepMinutes: minutesOf(spike.keepFiringFor) });

/** The alarms. */
export const alarmsOf = (samples: Samples): readonly Span[] =>
  fired(samples.mined.length, (minute) => holds(samples, minute), minutesOf(spike.for));

/**
 * The alarms of an alert that knows the price at each poll, and fires at once: what no rule can do better.
 * @param every minutes between two polls
 */
export const knowingAlarmsOf = (price: Column, every: number): readonly Span[] =>
  fired(price.length, (minute) => (price[minute - (minute % every)] as number) > EXPENSIVE, 0);
