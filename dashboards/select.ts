// Selectors with the variables of a dashboard, checked against the declared families and recording rules: an unknown
// name, label or value throws when the dashboards are generated.
import { onAddress } from "../alerts/grown.ts";
import { recordings } from "../alerts/index.ts";
import { familyOf, recorded, series, TARGET_LABELS } from "../alerts/series.ts";
import type { Family } from "../src/exposition/family.ts";
import { Instruments } from "../src/telemetry/self-metrics.ts";

/** Label values. A leading `!` negates, a leading `~` marks a regular expression, which variables need. */
type Matchers = Readonly<Record<string, string>>;

/** A matcher of the variable that has the name of the label. */
export const chosen = (label: string): string => `${label}=~"$${label}"`;

/** Matchers of the variables of all dashboards that choose exporters. */
export const OF_TARGET: readonly string[] = [
  '%(clusterLabel)s=~"$cluster"',
  '%(namespaceLabel)s=~"$namespace"',
  chosen("job"),
  chosen("instance"),
];

/** The labels of an exporter. */
export const TARGET = TARGET_LABELS.join(", ");

function scoped(selector: string, labels: readonly string[]): string {
  const scope = [...OF_TARGET, ...(labels.includes("network") ? [chosen("network")] : [])];
  const [, name = "", rest = "}"] = /^([^{]+)(?:\{(.*))?$/s.exec(selector) ?? [];
  return `${name}{${scope.join(", ")}${rest === "}" ? "" : ", "}${rest}`;
}

/** An exposed series of the selected exporters and networks: `metric("stacks_up")`. */
export function metric(name: string, matchers: Matchers = {}): string {
  const text = series(name, matchers);
  return scoped(text, familyOf(name)?.labelNames ?? []);
}

/** A series of a family that only a configuration declares, of the selected exporters and networks. */
export function ofFamily(
  { name, labelNames }: Family,
  suffix: string,
  matchers: Readonly<Record<string, string>>,
): string {
  const list = Object.entries(matchers).map(([label, value]) => `${label}=${JSON.stringify(value)}`);
  return scoped(`${name}${suffix}{${list.join(", ")}}`, labelNames);
}

/** A recorded series of the selected exporters and networks. */
export function recording(record: string, matchers: Matchers = {}): string {
  const recording = recordings.find((known) => known.record === record);
  if (recording === undefined) throw new Error(`there is no recording rule ${record}`);
  return scoped(recorded(recording, matchers), recording.labels);
}

/** Names of the process families of the client library. */
export const processFamilies: ReadonlySet<string> = new Set(new Instruments().watchProcess().map(({ name }) => name));

/** A process series of the selected exporters. */
export function ofProcess(name: string): string {
  if (!processFamilies.has(name)) throw new Error(`there is no process family ${name}`);
  return scoped(name, []);
}

/** Firing alerts of Prometheus, without those of Grafana. @param names regular expression */
export const firingOf = (names: string, scope = OF_TARGET): string =>
  `ALERTS{${scope.join(", ")}, network=~"$network|", alertname=~"${names}", alertstate="firing"}`;
const optional = OF_TARGET.map((one) => one.replace(/"$/, '|"'));
/** All of them: that of an absent exporter has no job, those about shards have no instance. */
export const firing = firingOf("Stacks.*", optional);

/**
 * A sum by labels, of one exporter: exporters of the same network expose the same values. Of watched principals, it is
 * that of one principal, whose series are on one shard.
 */
export const total = (labels: string, expr: string): string =>
  `max by (${labels}) (sum by (${TARGET}, ${labels}) (${expr}))`;

/**
 * A rate per minute, without series that do not increase in the time range (`@ end()` evaluates that once instead of
 * for every point). Own work of several exporters, such as requests, is summed; values of the chain are deduplicated.
 */
export function perMinute(labels: string, selector: string, isOwnWork = false): string {
  const summed = (expr: string) => (isOwnWork ? `sum by (${labels}) (${expr})` : total(labels, expr));
  return `(${summed(`rate(${selector}[$__rate_interval])`)} * 60 and ${summed(`increase(${selector}[$__range] @ end())`)} > 0)`;
}

/** microSTX as STX. */
export const stx = (expr: string): string => `${expr} / 1e6`;

/** The collectors of the whole chain. */
const OF_CHAIN = "blocks|fees|mempool|mempool_transactions|transactions";
// Within it, exporters are as fresh as each other: lines do not alternate between them.
const FRESH_SECONDS = 300;
// A sum: it is lower for an exporter that has not read everything yet, or not within the last hour.
const LAST_SUCCESS = metric("stacks_exporter_collector_last_success_timestamp_seconds", { collector: `~${OF_CHAIN}` });
const FRESHEST = `topk by (network) (1, floor(sum by (network, ${TARGET}) (clamp_min(${LAST_SUCCESS} - time() + 3600, 0)) / ${FRESH_SECONDS}))`;

/**
 * Values of the chain, of the exporter of each network that has read it last: the answers of a dashboard belong
 * together, and an exporter whose values are old does not contradict an alert.
 */
export const freshest = (expr: string): string => dedupe(`${expr} and on (network, ${TARGET}) ${FRESHEST}`);

/** Deduplicates the series of several exporters of the same network. */
export const dedupe = (expr: string): string => `max without (${TARGET}) (${expr})`;

/** The increase of a counter of an address in the time range, with the value with which its series appears. */
export const grownInRange = (selector: string): string =>
  grownIn("$__range", selector, `${onAddress} group_left ()`, metric("stacks_address_sent_microstx_total"));

/**
 * The increase of a counter within a window, with the value with which its series appears.
 * @param known a counter of the same principal that begins with the first poll: a series that appears later has no
 *   history before it
 * @param join the matching of both
 */
export function grownIn(window: string, selector: string, join: string, known: string): string {
  const samples = (of: string) => `count_over_time(${of}[${window}])`;
  const isNew = `${samples(selector)} < ${join} ${samples(known)} and resets(${selector}[${window}]) == 0`;
  return `(${selector} and ${isNew} or increase(${selector}[${window}]))`;
}

/** One value per watched principal. */
export const perPrincipal = (expr: string): string => `max by (network, name) (${expr})`;
