// Compares the exporter and prom-client: both render 100,000 series with changed values in the same process.
import { Gauge, Registry } from "prom-client";
import { Exposition } from "../../src/exposition/exposition.ts";
import { amountOf, families, samplesOf, targetsFor } from "./series.ts";
import { median } from "./table.ts";

export interface Rendering {
  readonly series: number;
  /** Milliseconds to set all new values and to render the page. */
  readonly oursMs: number;
  readonly promClientMs: number;
  /** Milliseconds to render the page, which delay a scrape. */
  readonly oursPageMs: number;
  readonly promClientPageMs: number;
}

const ROUNDS = 15;

/** Medians over several rounds; every value changes between two rounds. */
export async function measureRendering(series: number): Promise<Rendering> {
  const targets = targetsFor(series);
  const exposition = new Exposition(families);
  const registry = new Registry();
  const gauges = families.map(
    ({ name, help, labelNames }) => new Gauge({ name, help, labelNames: [...labelNames], registers: [registry] }),
  );
  const taken = { ours: [] as number[], oursPage: [] as number[], prom: [] as number[], promPage: [] as number[] };

  for (let tick = 1; tick <= ROUNDS + 3; tick += 1) {
    const a = performance.now();
    for (const [index, target] of targets.entries()) exposition.set(target.key, samplesOf(target, index, tick));
    const b = performance.now();
    exposition.page("classic");
    const c = performance.now();
    for (const [target, { labels }] of targets.entries()) {
      for (const [index, metric] of gauges.entries()) metric.set(labels, amountOf(target, index, tick));
    }
    const d = performance.now();
    Buffer.from(await registry.metrics());
    const e = performance.now();
    // The first rounds are warm-up.
    if (tick <= 3) continue;
    taken.ours.push(c - a);
    taken.oursPage.push(c - b);
    taken.prom.push(e - c);
    taken.promPage.push(e - d);
  }
  return {
    series,
    oursMs: median(taken.ours),
    oursPageMs: median(taken.oursPage),
    promClientMs: median(taken.prom),
    promClientPageMs: median(taken.promPage),
  };
}
