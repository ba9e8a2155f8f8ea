// How a network runs a collector: settings for all networks, overridden by those of the network.
import { formatDuration } from "../scheduler/duration.ts";
import { intervalOf, parseSchedule } from "../scheduler/interval.ts";
import { noteIssues, valueAt } from "./check.ts";
import type { CollectorConfig, ConfigurableCollector } from "./config.ts";
import type { Findings } from "./findings.ts";
import type { Path } from "./mistakes.ts";
import { collectorSettings, ownPart } from "./settings.ts";

interface Mapping {
  readonly every?: unknown;
  readonly schedule?: unknown;
  readonly timeout?: unknown;
  readonly max_age?: unknown;
  readonly [key: string]: unknown;
}

/** Intervals after which a value disappears, when nothing else is said: two polls may fail before it does. */
const MAX_AGE_INTERVALS = 3;

/** The two places that settings of a collector are written at. */
interface Written {
  readonly common: Mapping;
  readonly commonPath: Path;
  readonly override: Mapping;
  readonly overridePath: Path;
}

/**
 * Settings of one collector on one network. Undefined when it is disabled, or when something is wrong with them, which was
 * noted.
 */
export function configureCollector(
  collector: ConfigurableCollector,
  root: unknown,
  network: number,
  findings: Findings,
): CollectorConfig | undefined {
  const commonPath = ["collectors", collector.name];
  const overridePath = ["networks", network, "collectors", collector.name];
  const written: Written = {
    common: mappingAt(root, commonPath),
    commonPath,
    override: mappingAt(root, overridePath),
    overridePath,
  };
  checkOneSchedule(written.common, commonPath, findings);
  checkOneSchedule(written.override, overridePath, findings);

  const merged = merge(withoutReplacedSchedule(written), written.override);
  // Without the collector's own settings: when one of those is wrong, times that do not fit are told all the same.
  const { options: ownSettings, ...common } = collector;
  const parsed = collectorSettings(common).safeParse(merged);
  // What is wrong was noted when the file was checked as a whole.
  if (!parsed.success) return undefined;
  const settings = parsed.data;
  const options = ownSettings?.safeParse(ownPart(merged));
  if (options?.error !== undefined) noteIssues(options.error, merged, (path) => placeOf(path, written), findings);
  const schedule = settings.every ?? settings.schedule ?? parseSchedule(collector.schedule);
  const intervalMs = intervalOf(schedule);
  const config = {
    name: collector.name,
    schedule,
    intervalMs,
    timeoutMs: merged.timeout === undefined ? Math.min(settings.timeout, intervalMs) : settings.timeout,
    maxAgeMs: settings.max_age ?? MAX_AGE_INTERVALS * intervalMs,
    options: options === undefined ? {} : options.data,
  };
  checkTimes(config, written, findings);
  return settings.enabled ? config : undefined;
}

function checkOneSchedule(mapping: Mapping, path: Path, findings: Findings): void {
  if (mapping.every === undefined || mapping.schedule === undefined) return;
  findings.add([...path, "schedule"], "expected either every or schedule, found both", "key");
}

function checkTimes({ intervalMs, timeoutMs, maxAgeMs }: CollectorConfig, written: Written, findings: Findings): void {
  const interval = `the interval (${formatDuration(intervalMs)})`;
  if (timeoutMs > intervalMs) noteTime("timeout", `at most ${interval}`, written, findings);
  if (maxAgeMs < intervalMs) noteTime("max_age", `at least ${interval}`, written, findings);
}

// A setting for all networks can be right there and wrong with the schedule of one network: then that schedule is the place.
function noteTime(key: "timeout" | "max_age", expected: string, written: Written, findings: Findings): void {
  const { common, override } = written;
  const cause = [key, "every", "schedule"].find((candidate) => override[candidate] !== undefined) ?? key;
  const found = findings.describe(placeOf([key], written), override[key] ?? common[key]);
  findings.add(placeOf([cause], written), `expected a ${key} of ${expected}, found ${found}`);
}

// Where a setting was written, of the two places where it can be.
function placeOf(path: Path, { override, overridePath, commonPath }: Written): Path {
  return [...(valueAt(override, path) === undefined ? commonPath : overridePath), ...path];
}

function withoutReplacedSchedule({ common, override }: Written): Mapping {
  if (override.every === undefined && override.schedule === undefined) return common;
  const { every: _, schedule: __, ...rest } = common;
  return rest;
}

function merge(common: Mapping, override: Mapping): Mapping {
  const merged: Record<string, unknown> = { ...common };
  for (const [key, value] of Object.entries(override)) {
    const known = merged[key];
    merged[key] = isMapping(known) && isMapping(value) ? merge(known, value) : value;
  }
  return merged;
}

function mappingAt(root: unknown, path: Path): Mapping {
  const value = valueAt(root, path);
  return isMapping(value) ? value : {};
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
