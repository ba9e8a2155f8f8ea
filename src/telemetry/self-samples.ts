// Samples of the self-metrics that are derived whenever the page renews them: from the status, the state file and the
// page.
import type { Exposition } from "../exposition/exposition.ts";
import { type Family, type Sample, seriesPerSample } from "../exposition/family.ts";
import type { Shard } from "../store/shard.ts";
import type { StoreFacts } from "../store/store.ts";
import type { ReloadReports } from "./reports.ts";
import * as self from "./self-metrics.ts";
import type { CollectorStatus, NetworkStatus } from "./status.ts";

/** Samples of networks, upstreams and collectors. */
export function* networkSamples(status: NetworkStatus): Iterable<Sample> {
  const {
    name: network,
    collectors,
    polled,
    failing,
    outage,
    pausedUntil,
    budget,
    operations,
    retired,
    upstreams,
  } = status;
  // In an outage, the last poll of a target can be an old success.
  if (polled > 0) yield self.up.at({ network }, polled > failing.length && outage === undefined ? 1 : 0);
  for (const collector of collectors) yield* collectorSamples(network, collector);
  for (const [window, { planned, limit, used, available }] of Object.entries(budget)) {
    const labels = { network, window };
    yield self.budgetPlanned.at(labels, planned);
    if (limit !== undefined) yield self.budgetLimit.at(labels, limit);
    if (used !== undefined) yield self.budgetUsed.at(labels, used);
    if (available !== undefined) yield self.budgetRemaining.at(labels, available);
  }
  if (pausedUntil !== undefined) yield self.pauseEnd.at({ network }, pausedUntil / 1000);
  for (const operation of operations) {
    const isRetired = retired.some((retired) => retired.operation === operation);
    yield self.retiredOperations.at({ network, operation }, isRetired ? 1 : 0);
  }
  for (const { name, active, up, lag_blocks } of upstreams) {
    const labels = { network, upstream: name };
    yield self.upstreamActive.at(labels, active ? 1 : 0);
    if (up !== undefined) yield self.upstreamUp.at(labels, up ? 1 : 0);
    if (lag_blocks !== undefined) yield self.upstreamLag.at(labels, lag_blocks);
  }
}

function* collectorSamples(network: string, collector: CollectorStatus): Iterable<Sample> {
  const { name, state, targets, interval_seconds, stretch_ratio, failing_since, last_success_at } = collector;
  const labels = { network, collector: name };
  yield self.interval.at(labels, interval_seconds);
  yield self.stretch.at(labels, stretch_ratio);
  for (const state of self.TARGET_STATES) yield self.targets.at({ ...labels, state }, targets[state]);
  if (targets.waiting === targets.total) return;
  if (targets.unsupported < targets.total) {
    yield self.success.at(labels, failing_since === undefined ? 1 : 0);
    if (last_success_at !== undefined) yield self.lastSuccess.at(labels, last_success_at / 1000);
  }
  for (const one of self.STATES) yield self.state.at({ ...labels, state: one }, one === state ? 1 : 0);
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
