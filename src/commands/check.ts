// Validates the configuration, and prints the requests, series and ages that it plans, and whether they fit the budget.
import { MINUTES_PER_MONTH } from "../api/budget.ts";
import type { Config } from "../config/settings.ts";
import { isRoundRobin } from "../scheduler/pacing.ts";
import { type CollectorPlan, type NetworkPlan, type Plan, planOf, spanText } from "./estimate.ts";
import { type Io, tableOf } from "./io.ts";
import { type Flags, loadConfig, webSourceOf } from "./load-config.ts";

/** Prints the plan, and what does not fit; the exit code is 1 then. @throws CommandError with all errors */
export async function check(flags: Flags, io: Io): Promise<number> {
  const { config, options } = await loadConfig(flags, io, { part: "any" });
  await webSourceOf(options);
  const plan = planOf(config);
  io.out(`${formatPlan(plan, config.shard).join("\n")}\n`);
  for (const error of plan.errors) io.err(`${error}\n`);
  if (plan.errors.length > 0) return 1;
  io.out(`${flags["config.file"] ?? "the configuration"} is valid and fits its budget\n`);
  return 0;
}

const round = (value: number): string => String(Math.ceil(value * 100 - 1e-9) / 100);
const perMonth = (perMinute: number): number => Math.ceil(perMinute * MINUTES_PER_MONTH - 1e-6);

const COLUMNS: readonly (readonly [string, (row: CollectorPlan) => string | number])[] = [
  ["collector", ({ collector }) => collector.name],
  ["targets", ({ targets }) => targets],
  ["every", ({ intervalMs }) => spanText(intervalMs)],
  ["requests/poll", ({ requestsPerPoll }) => round(requestsPerPoll)],
  ["requests/min", ({ requestsPerMinute }) => round(requestsPerMinute)],
  ["requests/month", ({ requestsPerMinute }) => perMonth(requestsPerMinute)],
  ["series", ({ series }) => series],
  ["usual age", ({ usualAgeMs }) => `<= ${spanText(usualAgeMs)}`],
  ["never older than", ({ maxAgeMs }) => spanText(maxAgeMs)],
];

/** The plan as lines of text, without its errors. */
export function formatPlan({ networks, chainSeries, ownSeries }: Plan, shard: Config["shard"]): string[] {
  return [
    ...(shard ? [`shard ${shard.index} of ${shard.count}: its part of the watch lists and of each budget`] : []),
    ...networks.flatMap(linesOf),
    `series: about ${chainSeries} of the chain, about ${ownSeries} of the exporter itself`,
  ];
}

function linesOf(network: NetworkPlan): string[] {
  const { upstream, collectors, requestsPerMinute, peakPerMinute, firstPollsMs, notes, others } = network;
  const { perMinute, perMonth: month = "unlimited" } = upstream.budget;
  const hasTargets = collectors.some(({ collector }) => isRoundRobin(collector));
  return [
    `network ${network.network} at ${new URL(upstream.url).origin}`,
    ...tableOf([
      COLUMNS.map(([title]) => title),
      ...collectors.map((row) => COLUMNS.map(([, cell]) => `${cell(row)}`)),
    ]),
    `  in all ${round(requestsPerMinute)} requests a minute of ${perMinute} (busiest minute ${round(peakPerMinute)}), ` +
      `${perMonth(requestsPerMinute)} a month of ${month}`,
    ...(hasTargets ? [`  after a start, every target is polled within ${spanText(firstPollsMs)}`, OF_TARGETS] : []),
    ...notes.map((note) => `  note: ${note}`),
    ...others.flatMap(({ name, cure }) => (cure ? [`  if upstream ${name} takes over, to fit: ${cure}`] : [])),
  ];
}

const OF_TARGETS =
  "  (a target that takes part in a transaction is polled early, with requests that the budget has left)";
