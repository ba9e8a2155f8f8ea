// The settings of a collector: those that every collector has, and its own.
import { z } from "zod";
import { type DefaultSchedule, scheduleOf } from "../collectors/collector.ts";
import { formatDuration, intervalOf, parseDuration, parseSchedule } from "../scheduler/interval.ts";
import type { ConfigurableCollector } from "./config.ts";
import { cron, duration, either, every } from "./values.ts";

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
    description:
      "Times of the polls, in UTC: second, minute, hour, day of month, month, weekday. `*/45` in the seconds is 0 and 45.",
    sample: "*/30 * * * * *",
  }),
  timeout: duration("1ms", "5m").optional().meta({
    shownDefault: timeout,
    description:
      "Longest duration of one poll, with all its requests and retries. Not longer than the interval, to which the default is shortened.",
  }),
  max_age: duration("1s", "8760h").optional().meta({
    description:
      "Age at which values disappear. Not shorter than the interval, which for a cron expression is its longest gap.",
    absent: "three intervals",
    sample: "6m",
  }),
});

const SHARED = new Set<PropertyKey>(["enabled", "every", "schedule", "timeout", "max_age"]);

function settingsOf(collector: ConfigurableCollector) {
  const { name, options = z.object({}) } = collector;
  if (!(options instanceof z.ZodObject))
    throw new TypeError(`the options of collector ${name} are not an object schema`);
  for (const key of Object.keys(options.shape)) {
    if (SHARED.has(key)) throw new TypeError(`the option ${key} of collector ${name} is a setting of every collector`);
  }
  return {
    group: z.strictObject({ ...sharedShape(collector), ...options.shape }).superRefine(...either(SCHEDULES)),
    rules: (options.def.checks ?? []) as z.core.$ZodCheck<object>[],
  };
}

/** The settings of the schedule of a collector, of which at most one is set. */
export const SCHEDULES = ["every", "schedule"] as const;

/** Settings of a collector for all networks. Rules between settings wait until those of a network are merged. */
export function commonSettings(collector: ConfigurableCollector) {
  return settingsOf(collector).group.prefault({}).meta({ description: collector.about, exclusive: SCHEDULES });
}

/** Settings of a collector on one network, merged from both places, as the configuration of the collector. */
export function appliedSettings(collector: ConfigurableCollector) {
  const { name, about, schedule: defaultSchedule, timeout: defaultTimeout = DEFAULT_TIMEOUT } = collector;
  const unlessSet = parseSchedule(scheduleOf(defaultSchedule, "keyless"));
  const { group, rules } = settingsOf(collector);
  return group
    .superRefine(
      ({ every, schedule, timeout = 0, max_age = Number.POSITIVE_INFINITY }, { addIssue }) => {
        const intervalMs = intervalOf(every ?? schedule ?? unlessSet);
        const interval = `the interval (${formatDuration(intervalMs)})`;
        // The setting for all networks can be right there, and wrong with the schedule of one network.
        const issue = { code: "custom", params: { causes: SCHEDULES } } as const;
        const [tooLong, tooShort] = [`a timeout of at most ${interval}`, `a max_age of at least ${interval}`];
        if (timeout > intervalMs) addIssue({ ...issue, path: ["timeout"], message: tooLong });
        if (max_age < intervalMs) addIssue({ ...issue, path: ["max_age"], message: tooShort });
      },
      // Also when one of the collector's own settings is wrong.
      { when: ({ issues }) => issues.every(({ path: [key] = [] }) => key !== undefined && !SHARED.has(key)) },
    )
    .check(...rules)
    .transform(({ enabled, every, schedule, timeout, max_age, ...options }) => {
      const chosen = every ?? schedule ?? unlessSet;
      const intervalMs = intervalOf(chosen);
      return {
        name,
        enabled,
        schedule: chosen,
        intervalMs,
        timeoutMs: timeout ?? Math.min(parseDuration(defaultTimeout) ?? intervalMs, intervalMs),
        maxAgeMs: max_age ?? MAX_AGE_INTERVALS * intervalMs,
        options,
      };
    })
    .prefault({})
    .meta({ description: about, exclusive: SCHEDULES });
}
