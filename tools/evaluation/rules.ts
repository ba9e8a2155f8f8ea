// StacksFeeSpike as a condition, with the percentiles and the limit of alerts/.
import { type Duration, LIMITS, seconds } from "../../alerts/thresholds.ts";
import type { Samples } from "./exporter.ts";
import { firing, type Span } from "./firing.ts";

const spike = LIMITS.StacksFeeSpike;

/** Whether the expression of the alert gives a result in a minute: comparisons with NaN are false, as in PromQL. */
export const holds = ({ mined, usual }: Samples, minute: number): boolean =>
  (mined[minute] as number) / (usual[minute] as number) > spike.feeRatio;

const minutesOf = (duration: Duration) => seconds(duration) / 60;

/** The alarms. */
export const alarmsOf = (samples: Samples): readonly Span[] =>
  firing(samples.mined.length, (minute) => holds(samples, minute), {
    forMinutes: minutesOf(spike.for),
    keepMinutes: minutesOf(spike.keepFiringFor),
  });
