// The preset whose default schedules fit the budget of a network.
import { MINUTES_PER_MONTH } from "../api/budget-limits.ts";
import { PRESETS, type Preset } from "../api/budget-presets.ts";

/** With fewer requests a month than this, the default schedules are those of `free_key`. */
export const KEYLESS_MONTH = PRESETS.keyless.perMinute * MINUTES_PER_MONTH;

/** The preset whose default schedules fit this number of requests in a month; undefined stands for no limit. */
export const schedulesFor = (perMonth: number | undefined): Preset =>
  perMonth !== undefined && perMonth < KEYLESS_MONTH ? "free_key" : "keyless";
