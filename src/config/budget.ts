// Defaults that depend on the budget of an upstream: missing limits, and the schedules of collectors.
import { MINUTES_PER_MONTH } from "../api/budget-limits.ts";
import { PRESETS, type Preset } from "../api/budget-presets.ts";
import { scheduleOf } from "../collectors/collector.ts";
import { SCHEDULES } from "./collector-settings.ts";
import type { ConfigurableCollector } from "./config.ts";
import { entriesOf, isMapping, valueAt } from "./normalize.ts";
import { presetOf } from "./upstream-settings.ts";

/** With fewer requests a month than this, the default schedules are those of `free_key`. */
export const KEYLESS_MONTH = PRESETS.keyless.perMinute * MINUTES_PER_MONTH;

/** The preset whose default schedules fit this number of requests in a month; undefined stands for no limit. */
export const schedulesFor = (perMonth: number | undefined): Preset =>
  perMonth !== undefined && perMonth < KEYLESS_MONTH ? "free_key" : "keyless";

function schedulesOf(network: unknown): Preset {
  const [preferred = network] = entriesOf(valueAt(network, ["upstreams"]));
  const perMonth = valueAt(preferred, ["budget", "per_month"]);
  return perMonth === undefined
    ? presetOf(Object(preferred))
    : schedulesFor(typeof perMonth === "number" ? perMonth : undefined);
}

/**
 * The settings, which need not be valid, with the default schedules that depend on the budget of a network. Those of
 * `keyless` are the defaults of the settings.
 */
export function withDefaultSchedules(root: unknown, collectors: readonly ConfigurableCollector[]): unknown {
  if (!isMapping(root) || !Array.isArray(root.networks)) return root;
  const networks = root.networks.map((network: unknown) => {
    const preset = schedulesOf(network);
    if (!isMapping(network) || !isMapping(network.collectors) || preset === "keyless") return network;
    const scheduled = collectors.flatMap(({ name, schedule }) => {
      const settings = valueAt(network.collectors, [name]) ?? {};
      if (!isMapping(settings) || isScheduled(network, name)) return [];
      const [, every, cron] = /^(?:every (\S+)|(.*))$/.exec(scheduleOf(schedule, preset)) ?? [];
      return [[name, { ...settings, ...(every === undefined ? { schedule: cron } : { every }) }]];
    });
    return { ...network, collectors: { ...network.collectors, ...Object.fromEntries(scheduled) } };
  });
  return { ...root, networks };
}

/** Whether a collector has a schedule on a network, or for all of them. The settings need not be valid. */
export function isScheduled(network: unknown, collector: string): boolean {
  return SCHEDULES.some((key) => valueAt(network, ["collectors", collector, key]) !== undefined);
}
