// What keeps alerts from crying wolf. A gauge disappears when its collector has not succeeded for its maximum age, so most
// alerts fall silent by themselves when nothing is known. Where an alert compares with the present time, or reads a counter
// (which stays), one of these says in addition that what it reads is current.
import type { Recording } from "./model.ts";
import { onNetwork, recorded, series } from "./series.ts";
import { EXPORTER } from "./thresholds.ts";

const collector = "on (network, collector, job, instance)";

/** How long ago a collector succeeded, in intervals of its own: independent of how often it is polled. */
export const successAge: Recording = {
  record: "stacks:exporter_collector_last_success:intervals",
  about: "Time since the last success of a collector, of many targets the oldest, in intervals of the collector.",
  expr: `(time() - ${series("stacks_exporter_collector_last_success_timestamp_seconds")}) / ${collector} ${series("stacks_exporter_collector_interval_seconds")}`,
  labels: ["network", "collector"],
};

/** The collector has succeeded lately: one failed poll does not count against it. */
export const whileFresh = (name: string): string =>
  `and ${onNetwork} ${recorded(successAge, { collector: name })} < ${EXPORTER.freshBelow}`;

/** At least one collector of the network gets answers: a dead API is one alert of its own. */
export const whileUp = `and ${onNetwork} ${series("stacks_up")} == 1`;

/** At least one target of the collector was polled with success; the others disappear one by one. */
export const whileActive = (name: string): string =>
  `and ${onNetwork} ${series("stacks_exporter_collector_targets", { collector: name, state: "active" })} > 0`;
