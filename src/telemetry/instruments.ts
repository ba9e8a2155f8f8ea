// Counters, gauges of events and process metrics, kept by prom-client. Its text is not used, because rendering
// OpenMetrics renames its counters: its values go through the same exposition as all others.
import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { counter, type Family, gauge, type Sample } from "../exposition/family.ts";

// The process metrics that are read; the client library has 28 more.
const READ = ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_start_time_seconds"];
// The client library measures the event loop, too. Each measurement wakes the process: 50 a second are half of its CPU
// at rest.
const EVENT_LOOP_RESOLUTION_MS = 10_000;

/** What one exporter measures of itself, and the state file does not keep. */
export class Instruments {
  readonly #registry = new Registry();
  readonly #families = new Map<string, Family>();

  /** Adds to a counter. An amount of 0 creates the series, so that `rate()` sees the first increase. */
  add<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, amount = 1): void {
    (this.#metricOf(family) as Counter).inc({ ...labels }, amount);
  }

  /** Sets a gauge. */
  set<Name extends string>(family: Family<Name>, labels: Readonly<Record<Name, string>>, value: number): void {
    (this.#metricOf(family) as Gauge).set({ ...labels }, value);
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
      return values.flatMap(({ labels, value }) => family?.at(labels as Record<string, string>, value) ?? []);
    });
  }

  #metricOf(family: Family): unknown {
    const { name, help, labelNames, kind } = family;
    if (this.#families.has(name)) return this.#registry.getSingleMetric(name);
    this.#families.set(name, family);
    const declaration = { name, help, labelNames: [...labelNames], registers: [this.#registry] };
    return kind === "gauge" ? new Gauge(declaration) : new Counter(declaration);
  }
}
