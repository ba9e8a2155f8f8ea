// StacksFeeSpike as a condition, with the percentiles and the limit of alerts/.
import { type Duration, LIMITS, seconds } from "../../alerts/thresholds.ts";
import type { Samples } from "./exporter.ts";
import { firing, type Span } from "./firing.ts";
import type { Column } from "./trace.ts";
import { EXPENSIVE } from "./truth.ts";

const spike = LIMITS.StacksFeeSpike;

const minutesOf = (duration: Duration) => seconds(duration) / 60;

/**
 * Whether the expression of the alert gives a result in a minute. Without a sample, which is NaN here, there is none;
 * of the window before it, those that there are count.
 */
export function holds({ mined, usual }: Samples, minute: number): boolean {
  const ratio = (at: number) => (mined[at] as number) / (usual[at] as number);
  if (!(ratio(minute) > spike.feeRatio)) return false;
  if (ratio(minute) > spike.highRatio) return true;
  // As in PromQL, the window begins with the sample of its first moment.
  const from = Math.max(0, minute - minutesOf(spike.window));
  for (let at = from; at < minute; at += 1) if (ratio(at) <= spike.feeRatio) return false;
  return true;
}

const fired = (minutes: number, is: (minute: number) => boolean, wait: number): readonly Span[] =>
  firing(minutes, is, { forMinutes: wait, keepMinutes: minutesOf(spike.keepFiringFor) });

/** The alarms. */
export const alarmsOf = (samples: Samples): readonly Span[] =>
  fired(samples.mined.length, (minute) => holds(samples, minute), minutesOf(spike.for));

/**
 * For comparison, the alarms of an alert that knows the price at each poll, and fires at once.
 * @param every minutes between two polls
 */
export const knowingAlarmsOf = (price: Column, every: number): readonly Span[] =>
  fired(price.length, (minute) => (price[minute - (minute % every)] as number) > EXPENSIVE, 0);
