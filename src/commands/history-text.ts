// Output of the command `history`: its estimate before it reads, and the commands of promtool at its end.
import type { Config, NetworkConfig } from "../config/config.ts";
import { bytesOf, minutesOf, requestsOf } from "../history/estimate.ts";
import type { Past } from "../history/past.ts";
import { type Range, timeText } from "../history/range.ts";
import { planOf } from "./estimate.ts";

/** A whole number, with separators. */
export const count = (value: number): string => Math.round(value).toLocaleString("en");

/** A size in the largest unit of which there is at least one. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  const exponent = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** exponent).toPrecision(3))} ${units[exponent]}`;
}

// Rounded up.
function durationText(minutes: number): string {
  if (minutes <= 1) return "1 minute";
  if (minutes < 120) return `${Math.ceil(minutes)} minutes`;
  return minutes < 48 * 60 ? `${Math.ceil(minutes / 60)} hours` : `${Math.ceil(minutes / 144) / 10} days`;
}

/** The estimate of a history. @param step seconds between two samples */
export function formatEstimate(
  config: Config,
  network: NetworkConfig,
  pasts: readonly Past[],
  { range, step }: { readonly range: Range; readonly step: number },
): readonly string[] {
  const costs = requestsOf(pasts, range);
  const requests = costs.reduce((sum, cost) => sum + cost.requests, 0);
  const isLeast = costs.some((cost) => cost.isLeast);
  const plan = planOf(config).networks.find((one) => one.network === network.name);
  const series = costs
    .map(({ collector }) => plan?.collectors.find((row) => row.collector.name === collector)?.series ?? 0)
    .reduce((sum, of) => sum + of, 0);
  const { budget } = network.upstreams[0];
  return [
    `history of ${network.name} from ${timeText(range.since)} to ${timeText(range.until)}, a sample every ${step} s`,
    ...costs.map((cost) =>
      cost.isLeast
        ? `  ${cost.collector}: at least ${count(cost.requests)} requests for ${count(cost.lists)} targets`
        : `  ${cost.collector}: about ${count(cost.requests)} requests`,
    ),
    ...(isLeast
      ? [
          "  more for busy targets: one for each 50 transactions or events, as many again for transfers of tokens, and one",
          "  for each transaction with events that is in no list that was read before",
        ]
      : []),
    `requests: ${isLeast ? "at least" : "about"} ${count(requests)}; ${durationText(minutesOf(requests, budget))} with ` +
      `${count(budget.perMinute)} a minute${budget.perMonth === undefined ? "" : ` and ${count(budget.perMonth)} a month`}, ` +
      "if nothing else uses them",
    `files: about ${sizeText(bytesOf(series, range, step))} of text for about ${count(series)} series`,
    "not in a history: waiting transactions, balances, reorganisations, and the exporter itself; the API does not return their past",
  ];
}

const quoted = (path: string): string => (/^[\w./:-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

/** The commands that take the files of a folder into Prometheus. DATA stands for its data folder. */
export function formatCommands(folder: string, { since, until }: Range): readonly string[] {
  return [
    "# DATA is the folder of --storage.tsdb.path, RULES the recording rules: docs/history.md",
    `for file in ${quoted(folder)}/*.om; do`,
    '  promtool tsdb create-blocks-from openmetrics --max-block-duration=24h "$file" DATA || break',
    "done",
    "# A minute later, when Prometheus has loaded the blocks; twice, because some rules read the results of others:",
    `promtool tsdb create-blocks-from rules --url=http://localhost:9090 --start=${since} --end=${until} \\`,
    "  --output-dir=DATA RULES",
  ];
}
