// Freshness conditions prevent false alerts on old data. A gauge disappears when its collector has not succeeded for
// its maximum age, so most alerts cannot fire on old values. An alert that compares with the current time, or fires
// when a counter does not increase, also needs one of these conditions.
import type { Recording } from "./model.ts";
import { on, onNetwork, recorded, series } from "./series.ts";
import { FRESH_BELOW } from "./thresholds.ts";

/** Joins series of the same collector and exporter. */
export const onCollector = on("network", "collector");
const LAST_SUCCESS = series("stacks_exporter_collector_last_success_timestamp_seconds");

/** Age of the last success of a collector at the last scrape, in intervals: scrapes can be rarer than its polls. */
export const successAge: Recording = {
  record: "stacks:exporter_collector_last_success:intervals",
  about: "Time since the last success of a collector (of its oldest target), in intervals of the collector.",
  expr: `(timestamp(${LAST_SUCCESS}) - ${LAST_SUCCESS}) / ${onCollector} group_left () ${series("stacks_exporter_collector_interval_seconds")}`,
  labels: ["network", "collector"],
};

/** Until then, polls wait for the budget, and some of them fail. Unix time, seconds. */
export const FIRST_POLLS_END = series("stacks_exporter_first_polls_end_timestamp_seconds");

/** The collector has succeeded recently; one failed poll is tolerated. */
export const whileFresh = (name: string): string =>
  `and ${onNetwork} ${recorded(successAge, { collector: name })} < ${FRESH_BELOW}`;

/** At least one collector of the network succeeds. Otherwise StacksUpstreamDown fires. */
export const whileUp = `and ${onNetwork} ${series("stacks_up")} == 1`;

/**
 * Time since the oldest target of a collector was read, in seconds: from one interval to five, at which its gauges have
 * disappeared. What it shows can have ended since then.
 */
export const unreadFor = (collector: string): string =>
  `clamp(${recorded(successAge, { collector })}, 1, 5) * ${onCollector} ${series("stacks_exporter_collector_interval_seconds", { collector })}`;

/** The interval of a collector is at most this long. */
export const whilePolledWithin = (name: string, interval: number): string =>
  `and ${onNetwork} ${series("stacks_exporter_collector_interval_seconds", { collector: name })} <= ${interval}`;
