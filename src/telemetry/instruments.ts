// Counters, histograms and process metrics, kept by prom-client. Its text is not used, because rendering OpenMetrics
// renames its counters: its values go through the same exposition as all others.
import { Counter, collectDefaultMetrics, Histogram, type MetricObject, Registry } from "prom-client";
import { counter, type Family, gauge, histogram, type Sample } from "../exposition/family.ts";

// Gauges with the suffix of counters, which `promtool check metrics` refuses.
const MISNAMED = ["nodejs_active_handles_total", "nodejs_active_requests_total", "nodejs_active_resources_total"];
// Each measurement wakes the process: 50 a second are half of its CPU at rest.
const EVENT_LOOP_RESOLUTION_MS = 100;
// These contain the time that the measurement itself waits.
const WAITED = /^nodejs_eventloop_lag_(min|max|mean|p\d+)_seconds$/;

const unitOf = (name: string) => /_(seconds|bytes)(_total)?$/.exec(name)?.[1] as "seconds" | "bytes" | undefined;

// Declared by every metric of prom-client, and left out of its typings.
interface Metric extends MetricObject {
  readonly labelNames?: readonly string[];
  readonly upperBounds?: readonly number[];
  get(): Promise<{ readonly values: readonly Value[] }>;
  remove(labels: Value["labels"]): void;
}

/** The family of a metric of prom-client. */
function familyOf(metric: Metric): Family {
  const unit = unitOf(metric.name);
  const labelNames = (metric.labelNames ?? []).filter((name) => name !== "le");
  const declaration = {
    name: metric.name,
    help: metric.help,
    ...(unit === undefined ? {} : { unit }),
    labels: Object.fromEntries(labelNames.map((name) => [name, "set by the Node.js client library"])),
  };
  const type = String(metric.type);
  if (type === "counter") return counter(declaration);
  return type === "histogram" ? histogram({ ...declaration, bounds: metric.upperBounds ?? [] }) : gauge(declaration);
}

interface Value {
  readonly value: number;
  readonly labels: Partial<Record<string, string | number>>;
  readonly metricName?: string;
}

function histogramSamples(family: Family, values: readonly Value[]): Sample[] {
  const sets = new Map<string, { labels: Record<string, string>; cumulative: Map<string, number>; sum: number }>();
  for (const { labels, value, metricName } of values) {
    const { le, ...rest } = labels;
    const key = JSON.stringify(rest);
    let set = sets.get(key);
    if (set === undefined) {
      set = { labels: texts(rest), cumulative: new Map(), sum: 0 };
      sets.set(key, set);
    }
    if (metricName?.endsWith("_sum")) set.sum = value;
    else if (metricName?.endsWith("_bucket")) set.cumulative.set(String(le), value);
  }
  return [...sets.values()].map(({ labels, cumulative, sum }) => {
    let before = 0;
    const counts = [...family.bounds.map(String), "+Inf"].map((le) => {
      const seen = cumulative.get(le) ?? before;
      const count = seen - before;
      before = seen;
      return count;
    });
    return family.at(labels, { counts, sum });
  });
}

const texts = (labels: Value["labels"]): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

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
    for (const name of MISNAMED) this.#process.removeSingleMetric(name);
    return metricsOf(this.#process).map((metric) => {
      const family = familyOf(metric);
      this.#families.set(family.name, family);
      return family;
    });
  }

  /** The current samples. */
  async samples(): Promise<Sample[]> {
    const samples: Sample[] = [];
    for (const metric of [...metricsOf(this.#own), ...metricsOf(this.#process)]) {
      const family = this.#families.get(metric.name);
      if (family === undefined) continue;
      const { values } = await metric.get();
      if (family.kind === "histogram") samples.push(...histogramSamples(family, values));
      else {
        for (const { labels, value } of values) {
          const measured = WAITED.test(metric.name) ? lateness(value) : value;
          // prom-client has NaN for what it has not measured yet.
          if (!Number.isNaN(measured)) samples.push(family.at(texts(labels), measured));
        }
      }
    }
    return samples;
  }

  #declare<Name extends string>(family: Family<Name>) {
    this.#families.set(family.name, family);
    const { name, help, labelNames } = family;
    return { name, help, labelNames: [...labelNames], registers: [this.#own] };
  }
}

// Without a measurement since the last scrape the minimum is centuries, and the others are less than the wait itself.
function lateness(seconds: number): number {
  const late = seconds - EVENT_LOOP_RESOLUTION_MS / 1000;
  return late < -EVENT_LOOP_RESOLUTION_MS / 2000 || late > 1e9 ? Number.NaN : Math.max(0, late);
}

const metricsOf = (registry: Registry) => registry.getMetricsAsArray() as unknown as readonly Metric[];
