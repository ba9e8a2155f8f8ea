// History for Prometheus: the samples of a simulated market as OpenMetrics with timestamps.
import { startSimulator } from "../../simulator/server.ts";
import { createApp } from "./app.ts";
import { type ParsedSample, parseExposition } from "./parser.ts";
import { parsePromql } from "./promql.ts";
import type { RuleGroup } from "./time-scale.ts";

export interface PastOptions {
  readonly seed: number;
  /** Virtual time at which it ends, Unix seconds. */
  readonly until: number;
  /** Its length, virtual seconds. */
  readonly seconds: number;
  /** Collectors that are off. */
  readonly without: readonly string[];
  /** Virtual seconds between two pages: in the last hour, and before it. */
  readonly every: { readonly lately: number; readonly before: number };
}

/** One page of the past. */
export interface Page {
  /** Virtual seconds before the end. */
  readonly ago: number;
  readonly samples: readonly ParsedSample[];
}

/** Lives through a calm past and reads it with the exporter's own collectors of the whole network. */
export async function readPast({ seed, until, seconds, without, every }: PastOptions): Promise<Page[]> {
  // The clock stands still; time passes by `advance` only.
  const simulator = await startSimulator({ seed, start: until - seconds, now: () => 0 });
  const app = await createApp(
    JSON.stringify({
      networks: [{ name: "past", url: simulator.url, budget: { per_minute: 100_000, per_month: "unlimited" } }],
      collectors: Object.fromEntries(["addresses", "contracts", ...without].map((name) => [name, { enabled: false }])),
    }),
  );
  const pages: Page[] = [];
  try {
    let ago = seconds;
    while (ago > 0) {
      const step = ago > 3600 ? every.before : every.lately;
      ago -= step;
      simulator.advance(step);
      await Promise.all(app.tasks.map((task) => app.poll(task)));
      app.page.touch();
      const page = (await app.page.body("openmetrics", false)).toString();
      const families = parseExposition(page, "openmetrics");
      pages.push({ ago, samples: families.flatMap(({ samples }) => samples) });
    }
  } finally {
    await app.stop();
    await simulator.close();
  }
  return pages;
}

/** Recordings of baselines in two stages: first those that read scraped series, then the others. */
export function stagesOfPast(groups: readonly RuleGroup[]): RuleGroup[][] {
  const readsRecorded = (expr: string) => metricsOf(expr).some((name) => name.includes(":"));
  return [false, true].map((isSecond) =>
    groups
      .filter(({ name }) => name.endsWith("-baselines"))
      .map((group) => ({ ...group, rules: group.rules.filter(({ expr }) => readsRecorded(expr) === isSecond) }))
      .filter(({ rules }) => rules.length > 0),
  );
}

const metricsOf = (expr: string) => parsePromql(expr).selectors.map(({ metric }) => metric);

/**
 * The history as OpenMetrics: the series that these rules read, with these labels, once for each network. It ends at
 * `to` (Unix seconds), and a virtual second is `1 / scale` long.
 */
export function openMetrics(
  pages: readonly Page[],
  rules: readonly RuleGroup[],
  { labels, networks, to, scale }: { labels: object; networks: readonly string[]; to: number; scale: number },
): string {
  const read = new Set(rules.flatMap((group) => group.rules.flatMap(({ expr }) => metricsOf(expr))));
  const lines = pages.flatMap(({ ago, samples }) =>
    samples
      .filter(({ name }) => read.has(name))
      .flatMap((sample) =>
        networks.map((network) => {
          const all = Object.entries({ ...labels, ...Object.fromEntries(sample.labels), network });
          const written = all.map(([label, text]) => `${label}=${JSON.stringify(text)}`).join();
          return `${sample.name}{${written}} ${sample.value} ${to - ago / scale}\n`;
        }),
      ),
  );
  return `${lines.join("")}# EOF\n`;
}
