// A trace as Prometheus would have scraped it.
import { EPOCH, type Samples } from "./trace.ts";
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

/** The trace as OpenMetrics, with the given labels on every series and without `# EOF`. */
export function openMetricsOf(samples: Samples, labels: Labels, isUsageKnown: boolean): string {
  const fee = (priority: string) => ["stacks_mempool_fee_priority_microstx", { tx_type: "all", priority }] as const;
  const columns = [
    [...fee("low"), samples.low],
    [...fee("high"), samples.high],
    ...Object.entries(samples.waiting).map(
      ([tx_type, column]) => ["stacks_mempool_transactions", { tx_type }, column] as const,
    ),
    ...(isUsageKnown
      ? [
          ["stacks_chain_execution_cost_total", { dimension: "runtime" }, samples.cost] as const,
          ["stacks_chain_tenure_execution_cost_limit", { dimension: "runtime" }, samples.cost.map(() => 1)] as const,
        ]
      : []),
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
