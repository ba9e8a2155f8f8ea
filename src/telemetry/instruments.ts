// Counters, histograms and process metrics, kept by prom-client. Its text is not used, because rendering OpenMetrics
// renames its counters: its values go through the same exposition as all others.
import { Counter, collectDefaultMetrics, Histogram, type MetricObject, Registry } from "prom-client";
import { counter, type Family, gauge, type Sample } from "../exposition/family.ts";

// The process metrics that are read; the client library has 24 more.
const READ = [
  "process_cpu_seconds_total",
  "process_max_fds",
  "process_open_fds",
  "process_resident_memory_bytes",
  "process_start_time_seconds",
  "nodejs_eventloop_lag_p99_seconds",
  "nodejs_heap_size_used_bytes",
];
const EVENT_LOOP_LAG = "nodejs_eventloop_lag_p99_seconds";
// Each measurement wakes the process: 50 a second are half of its CPU at rest.
const EVENT_LOOP_RESOLUTION_MS = 100;

// Declared by every metric of prom-client, and left out of its typings.
interface Metric extends MetricObject {
  get(): Promise<{ readonly values: readonly Value[] }>;
  remove(labels: Value["labels"]): void;
}

interface Value {
  readonly value: number;
  readonly labels: Readonly<Record<string, string>>;
  /** Of a histogram: the name with its suffix. */
  readonly metricName?: string;
}

/** All counters and histograms of one exporter. */
export class Instruments {
  readonly #own = new Registry();
  readonly #process = new Registry();
  readonly #families = new Map<string, Family>();

  /** Adds to a counter. An amount of 0 creates the series, so that `rate()` sees the first increase. */
  add<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, amount = 1): void {
    // prom-client would add a NaN, and keep it.
    if (!Number.isFinite(amount) || amount < 0) throw new RangeError(`${family.name}: cannot add ${amount}`);
    const known = this.#own.getSingleMetric(family.name) as Counter | undefined;
    (known ?? new Counter(this.#declare(family))).inc({ ...labels }, amount);
  }

  /** Adds an observation to a histogram. */
  observe<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`${family.name}: cannot observe ${value}`);
    const known = this.#own.getSingleMetric(family.name) as Histogram | undefined;
    (known ?? new Histogram({ ...this.#declare(family), buckets: [...family.bounds] })).observe({ ...labels }, value);
  }

  /** Removes every series that has these labels. */
  async remove(labels: Readonly<Record<string, string>>): Promise<void> {
    const wanted = Object.entries(labels);
    for (const metric of metricsOf(this.#own)) {
      for (const { labels: all } of (await metric.get()).values) {
        const { le, ...set } = all;
        if (wanted.every(([name, value]) => set[name] === value)) metric.remove(set);
      }
    }
  }

  /** Starts to measure the process and its event loop; returns the families of the measurements. */
  watchProcess(): readonly Family[] {
    collectDefaultMetrics({ register: this.#process, eventLoopMonitoringPrecision: EVENT_LOOP_RESOLUTION_MS });
    const read = metricsOf(this.#process).filter(({ name }) => READ.includes(name));
    return read.map(({ name, help, type }) => {
      const unit = /_(seconds|bytes)(_total)?$/.exec(name)?.[1] as "seconds" | "bytes" | undefined;
      const declaration = { name, help, ...(unit && { unit }) };
      const family = String(type) === "counter" ? counter(declaration) : gauge(declaration);
      this.#families.set(name, family);
      return family;
    });
  }

  /** The current samples. */
  async samples(): Promise<Sample[]> {
    const metrics = [...metricsOf(this.#own), ...metricsOf(this.#process)];
    const samples = metrics.map(async (metric) => {
      const family = this.#families.get(metric.name);
      // Some metrics of the client library are measured when another one, which is not read, is collected.
      const { values } = await metric.get();
      if (family === undefined) return [];
      return family.kind === "histogram"
        ? histogramSamples(family, values)
        : values.flatMap((it) => sampleOf(family, it));
    });
    return (await Promise.all(samples)).flat();
  }

  #declare<Name extends string>(family: Family<Name>) {
    this.#families.set(family.name, family);
    const { name, help, labelNames } = family;
    return { name, help, labelNames: [...labelNames], registers: [this.#own] };
  }
}

const metricsOf = (registry: Registry) => registry.getMetricsAsArray() as unknown as readonly Metric[];

function sampleOf(family: Family, { labels, value }: Value): Sample[] {
  if (family.name !== EVENT_LOOP_LAG) return [family.at(labels, value)];
  // It contains the time that the measurement waits, and is less without a measurement since the last scrape.
  const late = value - EVENT_LOOP_RESOLUTION_MS / 1000;
  return late < -EVENT_LOOP_RESOLUTION_MS / 2000 || Number.isNaN(late) ? [] : [family.at(labels, Math.max(0, late))];
}

/** Samples of the values of a histogram: for each set of labels its cumulative buckets, the sum, and the count. */
function histogramSamples(family: Family, values: readonly Value[]): Sample[] {
  const samples: Sample[] = [];
  let cumulative: number[] = [];
  let sum = 0;
  for (const { labels, value, metricName } of values) {
    if (metricName?.endsWith("_bucket")) cumulative.push(value);
    else if (metricName?.endsWith("_sum")) sum = value;
    else {
      const counts = cumulative.map((count, index) => count - (cumulative[index - 1] ?? 0));
      samples.push(family.at(labels, { counts, sum }));
      cumulative = [];
    }
  }
  return samples;
}
