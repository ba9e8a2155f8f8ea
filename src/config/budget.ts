// The preset whose default schedules fit the budget of a network.
import { MINUTES_PER_MONTH } from "../api/budget-limits.ts";
import { PRESETS, type Preset } from "../api/budget-presets.ts";
import { entriesOf, valueAt } from "./paths.ts";
import { presetOf } from "./upstream-settings.ts";

/** With fewer requests a month than this, the default schedules are those of `free_key`. */
export const KEYLESS_MONTH = PRESETS.keyless.perMinute * MINUTES_PER_MONTH;

/** The preset whose default schedules fit this number of requests in a month; undefined stands for no limit. */
export const schedulesFor = (perMonth: number | undefined): Preset =>
  perMonth !== undefined && perMonth < KEYLESS_MONTH ? "free_key" : "keyless";

/** The preset whose default schedules fit a network: its preferred upstream counts. It need not be valid. */
export function schedulesOf(network: unknown): Preset {
  const [preferred = network] = entriesOf(valueAt(network, ["upstreams"]));
  const perMonth = valueAt(preferred, ["budget", "per_month"]);
  return perMonth === undefined
    ? presetOf(Object(preferred))
    : schedulesFor(typeof perMonth === "number" ? perMonth : undefined);
}
