// Prints the requests and series that a configuration needs, and whether they fit the budget.
import { MINUTES_PER_MONTH, sum } from "../api/budget-limits.ts";
import type { Shard } from "../storage/shard.ts";
import { ALL_GROUPS, type Alternative, alternativesOf } from "./alternatives.ts";
import { BUSY, type CollectorPlan, type NetworkPlan, type Plan, planErrors, planOf } from "./estimate.ts";
import { spanText } from "./fit.ts";
import type { Io } from "./io.ts";
import { type ConfigFlags, loadConfigFile } from "./load-config.ts";

/** Prints the plan; the exit code is 1 when something does not fit. */
export async function plan(flags: ConfigFlags, io: Io): Promise<number> {
  const { config } = await loadConfigFile(flags, io, "any");
  const planned = planOf(config);
  const alternatives = config.networks.flatMap(({ name }) => formatAlternatives(name, alternativesOf(config, name)));
  io.out(`${[formatPlan(planned), ...alternatives].join("\n")}\n`);
  return planErrors(planned).length === 0 ? 0 : 1;
}

const round = (value: number): string => String(Math.ceil(value * 100 - 1e-9) / 100);
const perMonth = (perMinute: number): number => Math.ceil(perMinute * MINUTES_PER_MONTH - 1e-6);

type Range = Pick<CollectorPlan, "requestsPerMinute" | "busyPerMinute">;

/** From the requests of quiet targets to those of busy ones. */
const range = (show: (perMinute: number) => string | number, { requestsPerMinute, busyPerMinute }: Range): string =>
  [...new Set([show(requestsPerMinute), show(requestsPerMinute + busyPerMinute)])].join(" to ");

type Columns<Row> = readonly (readonly [string, (row: Row) => string | number])[];

const COLUMNS: Columns<CollectorPlan> = [
  ["collector", ({ collector }) => collector.name],
  ["targets", ({ targets }) => targets],
  ["every", ({ intervalMs }) => spanText(intervalMs)],
  ["requests/poll", ({ requestsPerPoll }) => round(requestsPerPoll)],
  ["requests/min", (row) => range(round, row)],
  ["requests/month", (row) => range(perMonth, row)],
  ["series", ({ series }) => series],
  ["usual age", ({ usualAgeMs }) => `<= ${spanText(usualAgeMs)}`],
  ["never older than", ({ maxAgeMs }) => spanText(maxAgeMs)],
];

const OF_ALTERNATIVES: Columns<Alternative> = [
  ["each choice alone", ({ choice = "as configured" }) => choice],
  ["series", ({ series }) => series],
  ["requests/month", ({ requestsPerMonth }) => requestsPerMonth],
  ["targets every", ({ roundMs }) => spanText(roundMs)],
  ["fits", ({ exceeds }) => (exceeds.length === 0 ? "yes" : `no: ${exceeds.join(", ")}`)],
];

function tableOf<Row>(columns: Columns<Row>, rows: readonly Row[]): string[] {
  const cells = columns.map(([title, cell]) => {
    const column = [title, ...rows.map((row) => String(cell(row)))];
    const width = Math.max(...column.map(({ length }) => length));
    return column.map((text) => text.padEnd(width));
  });
  return ["", ...rows].map((_, line) => `  ${cells.map((column) => column[line]).join("  ")}`.trimEnd());
}

const UPPER_ESTIMATE =
  "  (series of groups as sums are an upper estimate: with every type, status and direction that wallets use)";

/** The costs of the alternatives for quiet targets, as lines; none without alternatives. */
export const formatAlternatives = (network: string, alternatives: readonly Alternative[]): readonly string[] =>
  alternatives.length === 0
    ? []
    : [
        `network ${network} with other choices, series of the whole exporter`,
        ...tableOf(OF_ALTERNATIVES, alternatives),
        ...(alternatives.some(({ choice }) => choice === ALL_GROUPS) ? [UPPER_ESTIMATE] : []),
      ];

/** The plan as text. */
export function formatPlan({ shard, networks, collectorSeries, ownSeries, hasSums, seriesError }: Plan): string {
  const lines = networks.flatMap((network) => [
    `network ${network.network}`,
    ...tableOf(COLUMNS, network.collectors),
    ...totalOf(network),
    ...(shard === undefined ? [] : repeatedOf(network, shard)),
    ...agesOf(network),
    ...network.notes.map((note) => `  note: ${note}`),
    ...(network.budgetError === undefined ? [] : [`  DOES NOT FIT: ${network.budgetError}`]),
    ...network.others.flatMap(({ upstream, budgetError }) => [
      `  upstream ${upstream.name}: ${round(network.probesPerMinute)} requests a minute ` +
        "for probes while it is not active",
      ...(budgetError === undefined ? [] : [`    if it takes over: ${budgetError}`]),
    ]),
  ]);
  lines.push(`series: about ${collectorSeries} of the chain, about ${ownSeries} of the exporter itself`);
  if (hasSums) lines.push(UPPER_ESTIMATE);
  if (seriesError !== undefined) lines.push(`  DOES NOT FIT: ${seriesError}`);
  if (shard !== undefined) {
    const { index, count } = shard;
    lines.unshift(`shard ${index} of ${count}: its part of the watch lists, and 1 / ${count} of each budget`);
  }
  return lines.join("\n");
}

// The collectors that every shard polls.
function repeatedOf({ collectors }: NetworkPlan, { count }: Shard): string[] {
  const shared = collectors.filter(({ collector }) => collector.isShared);
  if (shared.length === 0) return [];
  const perMinute = sum(shared.map(({ requestsPerMinute }) => requestsPerMinute));
  const names = shared.map(({ collector }) => collector.name).join(", ");
  return [
    `  polled by each of the ${count} shards: ${names}; ${round(perMinute * count)} requests a minute in all shards, ` +
      `instead of ${round(perMinute)}`,
  ];
}

function agesOf({ directAgeMs, contractAgeMs }: NetworkPlan): string[] {
  if (contractAgeMs === undefined) return [];
  const rest = `within ${spanText(contractAgeMs)}, while few targets move`;
  return directAgeMs === undefined
    ? [`  movements are counted ${rest}: the collector transactions is not enabled`]
    : [
        `  movements with a watched party are counted within about ${spanText(directAgeMs)} of their confirmation, ` +
          `those by a contract ${rest}`,
      ];
}

const { share, max, transactionsPerHour } = BUSY;

function totalOf(network: NetworkPlan): string[] {
  const { perMinute, perMonth: month = "unlimited" } = network.upstream.budget;
  const total =
    `  in all ${range(round, network)} requests a minute of ${perMinute} ` +
    `(busiest minute ${round(network.peakPerMinute)}), ${range(perMonth, network)} a month of ${month}`;
  const busy =
    `  (the higher numbers: one target in ${1 / share}, at most ${max}, takes part in ${transactionsPerHour} ` +
    `transactions an hour; each costs an early poll and, of addresses, a request for its transfers)`;
  return network.busyPerMinute > 0 ? [total, busy] : [total];
}
