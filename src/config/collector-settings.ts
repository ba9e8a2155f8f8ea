// The settings of a collector: those that every collector has, and its own.
import { z } from "zod";
import type { Preset } from "../api/budget-presets.ts";
import { type DefaultSchedule, scheduleOf } from "../collectors/collector.ts";
import type { Schedule } from "../collectors/task.ts";
import { formatDuration, intervalOf, parseDuration, parseSchedule } from "../scheduler/interval.ts";
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
  /** Whether its samples are left out, because another shard exposes them. @default false */
  readonly isHidden?: boolean | undefined;
}

/** The parts of a collector that the configuration needs. Collectors are passed in, never imported. */
export interface ConfigurableCollector {
  /** Key under `collectors`. */
  readonly name: string;
  readonly about: string;
  /** Default schedules, as `parseSchedule` reads them. */
  readonly schedule: DefaultSchedule;
  /** Default deadline of a poll, as a duration. @default 10s */
  readonly timeout?: string;
  /** An object schema of the collector's own settings, each with a default. */
  readonly options?: z.ZodType;
  /** Present if it polls watched principals. */
  readonly targets?: unknown;
  /** Whether counting of watched principals needs what it observes. @default false */
  readonly isShared?: boolean;
}

/** Intervals after which a value disappears by default: two polls may fail before it does. */
const MAX_AGE_INTERVALS = 3;
const DEFAULT_TIMEOUT = "10s";

/** The default schedule, in words: that of each preset if they differ. */
export const textOf = (schedule: DefaultSchedule): string =>
  typeof schedule === "string"
    ? schedule
    : Object.entries(schedule)
        .map(([preset, text]) => `${text} (\`${preset}\`)`)
        .join(", ");

const sharedShape = ({ schedule, timeout = DEFAULT_TIMEOUT }: ConfigurableCollector) => ({
  enabled: z.boolean().default(true).meta({ description: "Whether it is polled." }),
  every: every.optional().meta({
    absent: textOf(schedule),
    description: "Time between two polls; the first one is made at start. Either this or `schedule`.",
    sample: "45s",
  }),
  schedule: cron.optional().meta({
    description: "Times of the polls, in UTC: second, minute, hour, day of month, month, weekday.",
    sample: "*/30 * * * * *",
  }),
  timeout: duration("1ms", "5m").optional().meta({
    shownDefault: timeout,
    description: "Longest duration of one poll, with all its requests and retries. Not longer than the interval.",
  }),
  max_age: duration("1s", "8760h").optional().meta({
    description: "Age at which values disappear. Not shorter than the interval.",
    absent: "three intervals",
    sample: "6m",
  }),
});

const SHARED = new Set<PropertyKey>(["enabled", "every", "schedule", "timeout", "max_age"]);

/** The settings of the schedule of a collector, of which at most one is set. */
const SCHEDULES = ["every", "schedule"] as const;

/**
 * The settings of a collector, as a function that returns its configuration for the preset of a network's budget;
 * undefined if it is off.
 * @param presets those whose default schedule the other settings have to fit
 */
export function collectorSettings(collector: ConfigurableCollector, presets: readonly Preset[]) {
  const { name, about, timeout: defaultTimeout = DEFAULT_TIMEOUT, options = z.object({}) } = collector;
  if (!(options instanceof z.ZodObject))
    throw new TypeError(`the options of collector ${name} are not an object schema`);
  for (const key of Object.keys(options.shape)) {
    if (SHARED.has(key)) throw new TypeError(`the option ${key} of collector ${name} is a setting of every collector`);
  }
  const unlessSet = (preset: Preset) => parseSchedule(scheduleOf(collector.schedule, preset));
  return z
    .strictObject({ ...sharedShape(collector), ...options.shape })
    .superRefine(...either(SCHEDULES))
    .superRefine(
      ({ every, schedule, timeout = 0, max_age = Number.POSITIVE_INFINITY }, { addIssue }) => {
        for (const preset of presets) {
          const intervalMs = intervalOf(every ?? schedule ?? unlessSet(preset));
          const interval = `the interval (${formatDuration(intervalMs)})`;
          const report = (path: string, message: string) => addIssue({ code: "custom", path: [path], message });
          if (timeout > intervalMs) report("timeout", `a timeout of at most ${interval}`);
          if (max_age < intervalMs) report("max_age", `a max_age of at least ${interval}`);
        }
      },
      // Also when one of the collector's own settings is wrong.
      { when: ({ issues }) => issues.every(({ path: [key] = [] }) => key !== undefined && !SHARED.has(key)) },
    )
    .check(...((options.def.checks ?? []) as z.core.$ZodCheck<object>[]))
    .transform(({ enabled, every, schedule, timeout, max_age, ...options }) => (preset: Preset) => {
      const chosen = every ?? schedule ?? unlessSet(preset);
      const intervalMs = intervalOf(chosen);
      const config: CollectorConfig = {
        name,
        schedule: chosen,
        isDefault: every === undefined && schedule === undefined,
        intervalMs,
        timeoutMs: timeout ?? Math.min(parseDuration(defaultTimeout) ?? intervalMs, intervalMs),
        maxAgeMs: max_age ?? MAX_AGE_INTERVALS * intervalMs,
        options,
      };
      return enabled ? config : undefined;
    })
    .prefault({})
    .meta({ description: about, exclusive: SCHEDULES });
}
