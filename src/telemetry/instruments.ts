// Counters, histograms and process metrics, kept by prom-client. Its text is not used, because rendering OpenMetrics
// renames its counters: its values go through the same exposition as all others.
import { Counter, collectDefaultMetrics, Histogram, type MetricValue, Registry } from "prom-client";
import { counter, type Family, gauge, type Sample, seriesPerSample } from "../exposition/family.ts";

// The process metrics that are read; the client library has 28 more.
const READ = ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"];
// The client library measures the event loop, too. Each measurement wakes the process: 50 a second are half of its CPU
// at rest.
const EVENT_LOOP_RESOLUTION_MS = 10_000;

type Value = MetricValue<string>;

/** All counters and histograms of one exporter. */
export class Instruments {
  readonly #registry = new Registry();
  readonly #families = new Map<string, Family>();

  /** Adds to a counter. An amount of 0 creates the series, so that `rate()` sees the first increase. */
  add<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, amount = 1): void {
    (this.#metricOf(family) as Counter).inc({ ...labels }, amount);
  }

  /** Adds an observation to a histogram. */
  observe<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, value: number): void {
    (this.#metricOf(family) as Histogram).observe({ ...labels }, value);
  }

  /** Removes every series that has these labels. */
  async remove(labels: Readonly<Record<string, string>>): Promise<void> {
    for (const { name, values } of await this.#registry.getMetricsAsJSON()) {
      const metric = this.#registry.getSingleMetric(name) as Counter;
      for (const { le, ...set } of values.map((value) => value.labels)) {
        if (Object.entries(labels).every(([label, value]) => set[label] === value)) metric.remove(set);
      }
    }
  }

  /** Starts to measure the process; returns the families of the measurements. */
  watchProcess(): readonly Family[] {
    collectDefaultMetrics({ register: this.#registry, eventLoopMonitoringPrecision: EVENT_LOOP_RESOLUTION_MS });
    const read = this.#registry.getMetricsAsArray().filter(({ name }) => READ.includes(name));
    return read.map(({ name, help, type }) => {
      const family = String(type) === "counter" ? counter({ name, help }) : gauge({ name, help });
      this.#families.set(name, family);
      return family;
    });
  }

  /** The current samples. */
  async samples(): Promise<Sample[]> {
    // Some metrics of the client library are measured when another one, which is not read, is collected.
    const metrics = await this.#registry.getMetricsAsJSON();
    return metrics.flatMap(({ name, values }) => {
      const family = this.#families.get(name);
      if (family === undefined) return [];
      if (family.kind === "histogram") return histogramSamples(family, values);
      return values.map(({ labels, value }) => family.at(labels as Record<string, string>, value));
    });
  }

  #metricOf(family: Family): unknown {
    const { name, help, labelNames, kind, bounds } = family;
    if (this.#families.has(name)) return this.#registry.getSingleMetric(name);
    this.#families.set(name, family);
    const declaration = { name, help, labelNames: [...labelNames], registers: [this.#registry] };
    return kind === "histogram" ? new Histogram({ ...declaration, buckets: [...bounds] }) : new Counter(declaration);
  }
}

/** For each set of labels, one sample of its cumulative buckets, its sum and its count, which are in this order. */
function histogramSamples(family: Family, values: readonly Value[]): Sample[] {
  const size = seriesPerSample(family);
  return Array.from({ length: values.length / size }, (_, index) => {
    const totals = values.slice(index * size, (index + 1) * size - 2).map(({ value }) => value);
    const counts = totals.map((total, bucket) => total - (totals[bucket - 1] ?? 0));
    const { labels, value: sum } = values[(index + 1) * size - 2] as Value;
    return family.at(labels as Record<string, string>, { counts, sum });
  });
}
