// How many series the page has.
import { type Family, type Sample, seriesPerSample } from "../exposition/family.ts";
import * as metrics from "./self-metrics.ts";

/**
 * Counts the series of each family, these samples included.
 * @param ofCollectors series of the collectors' families
 * @param own samples of the exporter's own families, as they are about to be exposed
 */
export function* seriesSamples(
  ofCollectors: Iterable<readonly [Family, number]>,
  own: readonly Sample[],
  maxSeries: number,
): Iterable<Sample> {
  const counts = new Map(ofCollectors);
  for (const { family } of own) counts.set(family, (counts.get(family) ?? 0) + seriesPerSample(family));
  counts.set(metrics.seriesLimit as Family, 1);
  counts.set(metrics.series as Family, counts.size + 1);
  for (const [family, count] of counts) yield metrics.series.at({ family: family.name }, count);
  yield metrics.seriesLimit.at({}, maxSeries);
}
