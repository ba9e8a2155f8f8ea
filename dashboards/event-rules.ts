// The dashboard of the event rules of a configuration: one row per contract, one panel or two per metric.
import { crc32 } from "node:zlib";
import type { Family } from "../src/exposition/family.ts";
import type { Board, Row } from "./board.ts";
import { heatmap, lines, type Panel } from "./panel.ts";
import { ofFamily, perMinute, total } from "./select.ts";
import { ruleErrors } from "./shared-panels.ts";

/** A contract with event rules. */
export interface RuledContract {
  /** Value of the label `name`. */
  readonly name: string;
  /** The metrics that its rules make. */
  readonly families: readonly Family[];
}

const IDENTITY = ["network", "name", "contract_id"];
const NO_EVENT = "No such event in this range";

/** Numbers for panels, which stay the same when other rules are added: links of users refer to them. */
class Ids {
  readonly #used = new Set<number>();

  of(text: string): number {
    let id = crc32(text) >>> 1;
    while (this.#used.has(id)) id += 1;
    this.#used.add(id);
    return id;
  }
}

const errors = (id: number): Panel =>
  ruleErrors({
    id,
    title: "Events that do not fit their rule",
    noValue: "None: all events match the types of the rules",
    width: 24,
    height: 6,
  });

/** Properties of all panels of a metric. */
function common(family: Family, contract: string) {
  const own = family.labelNames.filter((label) => !IDENTITY.includes(label));
  return {
    unit: "short",
    noValue: NO_EVENT,
    width: 12,
    height: 8,
    labels: ["network", ...own].join(", "),
    legend: ["network", ...own].map((label) => `{{${label}}}`).join(" "),
    series: (suffix = "") => ofFamily(family, suffix, { name: contract }),
  };
}

function counterPanels(family: Family, contract: string, ids: Ids): Panel[] {
  const { labels, legend, series, ...look } = common(family, contract);
  return [
    lines({
      ...look,
      id: ids.of(`${contract} ${family.name}`),
      title: family.name,
      description: `${family.help} Per minute, by the labels of the rule. Series without an increase in the time range are
        not shown.`,
      axis: "per minute",
      queries: { [legend]: perMinute(labels, series()) },
    }),
  ];
}

function gaugePanels(family: Family, contract: string, ids: Ids): Panel[] {
  const { labels, legend, series, ...look } = common(family, contract);
  return [
    lines({
      ...look,
      id: ids.of(`${contract} ${family.name}`),
      title: family.name,
      description: `${family.help} The value of the newest event, by the labels of the rule.`,
      noValue: "No such event yet, or the contract is not polled",
      queries: { [legend]: `max by (${labels}) (${series()})` },
      min: "auto",
    }),
  ];
}

const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99 };

function histogramPanels(family: Family, contract: string, ids: Ids): Panel[] {
  const { labels: _, legend: __, series, ...look } = common(family, contract);
  const buckets = (by: string) => total(by, `increase(${series("_bucket")}[$__rate_interval])`);
  return [
    heatmap({
      ...look,
      id: ids.of(`${contract} ${family.name}`),
      title: family.name,
      description: `${family.help} The distribution of its values, of all label values.`,
      queries: { "{{le}}": buckets("le") },
    }),
    lines({
      ...look,
      id: ids.of(`${contract} ${family.name} percentiles`),
      title: `${family.name}: percentiles`,
      description: `${family.help} Percentiles of its values, of all label values, interpolated within a bucket.`,
      join: true,
      queries: Object.fromEntries(
        Object.entries(QUANTILES).map(([name, quantile]) => [
          `{{network}} ${name}`,
          `histogram_quantile(${quantile}, ${buckets("network, le")})`,
        ]),
      ),
      min: "auto",
    }),
  ];
}

const PANELS = { counter: counterPanels, gauge: gaugePanels, histogram: histogramPanels } as const;

/** The dashboard of these contracts. */
export function eventRulesBoard(contracts: readonly RuledContract[]): Board {
  const ids = new Ids();
  const rows = contracts.map(({ name, families }): Row => {
    // Histograms first: each has two panels, which are then side by side.
    const sorted = [true, false].flatMap((isFirst) =>
      families.filter(({ kind }) => (kind === "histogram") === isFirst),
    );
    return {
      id: ids.of(name),
      title: name,
      panels: sorted.flatMap((family) => PANELS[family.kind](family, name, ids)),
    };
  });
  return {
    uid: "stacks-event-rules",
    title: "Stacks / Event rules",
    description: "Which values do the event rules of the configuration read from the events of the contracts?",
    from: "now-6h",
    networks: "several",
    rows: [...rows, { id: ids.of("quality"), title: "Data quality", panels: [errors(ids.of("errors"))] }],
  };
}
