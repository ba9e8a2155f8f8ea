// The settings of a collector: those that every collector has, and its own.
import { z } from "zod";
import { MINUTES_PER_MONTH, PRESETS, type Preset } from "../api/budget-limits.ts";
import type { AnyCollector, DefaultSchedule } from "../collectors/collector.ts";
import type { Schedule } from "../collectors/task.ts";
import { intervalOf, parseSchedule } from "../scheduler/interval.ts";
import { cron, duration, either, every } from "./values.ts";

/** One collector on one network. */
export interface CollectorConfig {
  readonly name: string;
  readonly schedule: Schedule;
  /** Whether the schedule is the default, because the configuration has none. */
  readonly isDefault: boolean;
  /** Time between two polls, for a cron expression the longest. Milliseconds. */
  readonly intervalMs: number;
  /** Longest duration of one poll. Milliseconds. */
  readonly timeoutMs: number;
  /** Age at which values disappear. Milliseconds. */
  readonly maxAgeMs: number;
  /** The collector's own settings, parsed by its schema. */
  readonly options: unknown;
  /** Whether its samples are left out: another shard exposes them, or only others need it. @default false */
  readonly isHidden?: boolean | undefined;
}

/** The parts of a collector that the configuration needs. Collectors are passed in, never imported. */
export type ConfigurableCollector = Pick<AnyCollector, "name" | "about" | "schedule"> &
  Partial<Pick<AnyCollector, "timeout" | "options" | "targets" | "isShared" | "isOptIn" | "isFollower" | "needsChain">>;

/** With fewer requests a month than this, the default schedules are those of `free_key`. */
export const KEYLESS_MONTH = PRESETS.keyless.perMinute * MINUTES_PER_MONTH;

/** The preset whose default schedules fit this number of requests in a month; undefined stands for no limit. */
export const schedulesFor = (perMonth: number | undefined): Preset =>
  perMonth !== undefined && perMonth < KEYLESS_MONTH ? "free_key" : "keyless";

/** Intervals after which a value disappears: two polls may fail before it does. */
const MAX_AGE_INTERVALS = 3;
const DEFAULT_TIMEOUT = "10s";

/** The default schedules, in words. */
export const textOf = (schedule: DefaultSchedule): string =>
  Object.entries(schedule)
    .map(([preset, text]) => `${text} (\`${preset}\`)`)
    .join(", ");

/** The settings of the schedule of a collector, of which at most one is set. */
const SCHEDULES = ["every", "schedule"] as const;

/** The settings of a collector. */
export const collectorSettings = ({
  about,
  schedule,
  isOptIn = false,
  timeout = DEFAULT_TIMEOUT,
  options = z.object({}),
}: ConfigurableCollector) =>
  z
    .strictObject({
      enabled: z
        .boolean()
        .default(!isOptIn)
        .describe(
          "Whether it is polled. `blocks` is also polled without it, and not exposed, while another collector counts.",
        ),
      every: every.optional().meta({
        absent: textOf(schedule),
        description: "Time between two polls; the first one is made at start. Either this or `schedule`.",
      }),
      schedule: cron
        .optional()
        .describe("Times of the polls, in UTC: second, minute, hour, day of month, month, weekday."),
      timeout: duration("1ms", "5m")
        .prefault(timeout)
        .describe("Longest duration of one poll, with all its requests and retries. At most the interval counts."),
      ...options.shape,
    })
    .superRefine(...either(SCHEDULES))
    .prefault({})
    .meta({ description: about, exclusive: SCHEDULES });

/** A collector with checked settings. @param preset that of the network's budget, for a default schedule */
export function collectorConfig(
  { name, ...collector }: ConfigurableCollector,
  { every, schedule, timeout, enabled: _, ...options }: z.infer<ReturnType<typeof collectorSettings>>,
  preset: Preset,
): CollectorConfig {
  const chosen = every ?? schedule ?? parseSchedule(collector.schedule[preset]);
  const intervalMs = intervalOf(chosen);
  return {
    name,
    schedule: chosen,
    isDefault: every === undefined && schedule === undefined,
    intervalMs,
    timeoutMs: Math.min(timeout, intervalMs),
    maxAgeMs: MAX_AGE_INTERVALS * intervalMs,
    options,
  };
}
