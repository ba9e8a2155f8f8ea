// The metrics of an exporter, as scraped by Prometheus.
import { QUARTILES, type Samples } from "./exporter.ts";
import { EPOCH } from "./trace.ts";
import { SAMPLE_AGE } from "./window.ts";

/** Labels of a series. */
export type Labels = Readonly<Record<string, string>>;

/** Unix seconds at which minute `minute` is evaluated; its sample was taken shortly before. */
export function evaluatedAt(minute: number): number {
  return EPOCH + (minute + 1) * 60;
}

/** One line of OpenMetrics; `at` in Unix seconds. */
export function sampleLine(name: string, labels: Labels, value: number | string, at: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
  return `${name}{${pairs.join(",")}} ${value} ${at}\n`;
}

/** The metrics of an exporter as OpenMetrics, with the given labels on every series and without `# EOF`. */
export function openMetricsOf(samples: Samples, labels: Labels): string {
  const { low, waiting, cost, included, mined, usual } = samples;
  // The limit of a tenure is 1 and is there whenever its cost is.
  const limit = cost.map((value) => (Number.isNaN(value) ? value : 1));
  const columns = [
    ["stacks_mempool_fee_priority_microstx", { tx_type: "all", priority: "low" }, low],
    ...Object.entries(waiting).map(
      ([tx_type, column]) => ["stacks_mempool_transactions", { tx_type }, column] as const,
    ),
    ["stacks_chain_execution_cost_total", { dimension: "runtime" }, cost],
    ["stacks_chain_tenure_execution_cost_limit", { dimension: "runtime" }, limit],
    ["stacks_chain_transactions_total", {}, included],
    ...QUARTILES.flatMap((percentile) => {
      const of = { tx_type: "all", percentile };
      return [
        ["stacks_chain_mined_fee_microstx", of, mined[percentile]] as const,
        ["stacks_chain_mined_fee_baseline_microstx", of, usual[percentile]] as const,
      ];
    }),
  ] as const;
  const lines: string[] = [];
  for (const [name, own, column] of columns) {
    column.forEach((value, minute) => {
      if (!Number.isNaN(value)) {
        lines.push(sampleLine(name, { ...labels, ...own }, value, evaluatedAt(minute) - SAMPLE_AGE));
      }
    });
  }
  return lines.join("");
}
