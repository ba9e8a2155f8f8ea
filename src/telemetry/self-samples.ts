// Samples of the self-metrics that are derived whenever the page renews them: from the status, the state file and the
// page.
import { MINUTES_PER_MONTH } from "../api/budget-limits.ts";
import type { Exposition } from "../exposition/exposition.ts";
import { type Family, type Sample, seriesPerSample } from "../exposition/family.ts";
import type { Shard } from "../store/shard.ts";
import type { StoreFacts } from "../store/store.ts";
import * as self from "./self-metrics.ts";
import {
  type CollectorStatus,
  type NetworkReport,
  type NetworkStatus,
  type ReloadReports,
  wholeOutage,
} from "./status.ts";

/** Samples of networks, upstreams and collectors. */
export function* networkSamples({ report, pausedUntil, collectors }: NetworkStatus): Iterable<Sample> {
  const { network } = report;
  const polled = collectors.reduce(
    (sum, { targets, counts }) => sum + targets.length - counts.waiting - counts.unsupported,
    0,
  );
  const failing = collectors.reduce((sum, collector) => sum + collector.failing.length, 0);
  // In an outage, the last poll of a target can be an old success.
  if (polled > 0) yield self.up.at({ network }, polled > failing && wholeOutage(report) === undefined ? 1 : 0);
  for (const collector of collectors) yield* collectorSamples(collector);
  yield* budgetSamples(report);
  if (pausedUntil !== undefined) yield self.pauseEnd.at({ network }, pausedUntil / 1000);
  for (const operation of report.operations) {
    const isRetired = report.retired.some((retired) => retired.operation === operation);
    yield self.retiredOperations.at({ network, operation }, isRetired ? 1 : 0);
  }
  for (const { name, isActive, isUp, lagBlocks } of report.upstreams) {
    const labels = { network, upstream: name };
    yield self.upstreamActive.at(labels, isActive ? 1 : 0);
    if (isUp !== undefined) yield self.upstreamUp.at(labels, isUp ? 1 : 0);
    if (lagBlocks !== undefined) yield self.upstreamLag.at(labels, lagBlocks);
  }
}

function* collectorSamples(collector: CollectorStatus): Iterable<Sample> {
  const { task, state, targets, counts, failing, oldestSuccessAt } = collector;
  const labels = { network: task.network, collector: task.collector.name };
  yield self.interval.at(labels, task.intervalMs / 1000);
  yield self.stretch.at(labels, task.intervalMs / task.configuredIntervalMs);
  for (const [name, count] of Object.entries(counts)) yield self.targets.at({ ...labels, state: name }, count);
  if (counts.waiting === targets.length) return;
  if (counts.unsupported < targets.length) {
    yield self.success.at(labels, failing.length === 0 ? 1 : 0);
    if (oldestSuccessAt !== undefined) yield self.lastSuccess.at(labels, oldestSuccessAt / 1000);
  }
  for (const name of self.STATES) yield self.state.at({ ...labels, state: name }, name === state ? 1 : 0);
}

function* budgetSamples({ network, minute, month, plannedPerMinute }: NetworkReport): Iterable<Sample> {
  for (const [window, use, planned] of [
    ["minute", minute, plannedPerMinute],
    ["month", month, plannedPerMinute * MINUTES_PER_MONTH],
  ] as const) {
    const labels = { network, window };
    yield self.budgetPlanned.at(labels, planned);
    if (use === undefined) continue;
    yield self.budgetLimit.at(labels, use.limit);
    yield self.budgetUsed.at(labels, use.used);
    yield self.budgetRemaining.at(labels, use.remaining);
  }
}

/** Samples of the part of the watch lists that this exporter polls. */
export function* shardSamples(shard: Shard | undefined): Iterable<Sample> {
  if (shard === undefined) return;
  yield self.shards.at({}, shard.count);
  yield self.shardOrdinal.at({ ordinal: String(shard.index) }, shard.index);
}

/** Samples of the last reloads. */
export function* reloadSamples(reports: ReloadReports): Iterable<Sample> {
  const { configuration, files, web } = reports;
  if (configuration !== undefined) yield self.configSuccessful.at({}, configuration.failure === undefined ? 1 : 0);
  if (web !== undefined) yield self.webConfigSuccessful.at({}, web.failure === undefined ? 1 : 0);
  if (files !== undefined) yield self.watchListSuccessful.at({}, files.failure === undefined ? 1 : 0);
}

/** Samples of the state file. */
export function* stateFileSamples(facts: StoreFacts): Iterable<Sample> {
  const { isRestored, lastWriteAt, failures } = facts;
  yield self.stateRestored.at({}, isRestored ? 1 : 0);
  if (lastWriteAt !== undefined) yield self.stateWritten.at({}, lastWriteAt / 1000);
  yield self.stateFailures.at({}, failures);
}

/**
 * Samples of the number of series of each family, these samples included.
 * @param families those of collectors and event rules
 * @param own all other own samples
 */
export function* seriesSamples(
  exposition: Exposition,
  families: readonly Family[],
  own: readonly Sample[],
  maxSeries: number,
): Iterable<Sample> {
  const ofCollectors = [...exposition.seriesPerFamily()].filter(([family]) => families.includes(family));
  const counts = new Map(ofCollectors);
  for (const { family } of own.filter(({ family }) => exposition.exposes(family)))
    counts.set(family, (counts.get(family) ?? 0) + seriesPerSample(family));
  counts.set(self.seriesLimit, 1);
  counts.set(self.series, counts.size + 1);
  for (const [family, count] of counts) yield self.series.at({ family: family.name }, count);
  yield self.seriesLimit.at({}, maxSeries);
}
