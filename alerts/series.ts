// Selectors of series, checked against the declared families: an unknown name, label or value throws.
import { collectorFamilies, collectors } from "../src/collectors/index.ts";
import type { Family } from "../src/exposition/family.ts";
import { selfMetrics } from "../src/telemetry/self-metrics.ts";
import type { Recording } from "./model.ts";

/** Labels of every scraped series, which identify the exporter. The last two may be absent. */
export const TARGET_LABELS = ["job", "instance", "%(clusterLabel)s", "%(namespaceLabel)s"] as const;

const families = new Map<string, Family>([...collectorFamilies, ...selfMetrics].map((family) => [family.name, family]));

/** The family of an exposed series; undefined when there is none. */
export function familyOf(name: string): Family | undefined {
  return families.get(name);
}

/** The names of the exposed and of the recorded series in an expression. */
export const namesIn = (expr: string): readonly string[] => expr.match(/\bstacks[_:][a-z0-9_:]+/g) ?? [];

/** Label values. A leading `!` negates, a leading `~` marks a regular expression. */
export type Matchers = Readonly<Record<string, string>>;

function written(label: string, text: string): string {
  const [, mark = "", value = ""] = /^([!~]?)(.*)$/s.exec(text) ?? [];
  return `${label}${{ "": "=", "!": "!=", "~": "=~" }[mark] ?? "="}${JSON.stringify(value)}`;
}

function braces(matchers: Matchers): string {
  const all = Object.entries(matchers).map(([label, text]) => written(label, text));
  return all.length === 0 ? "" : `{${all.join(", ")}}`;
}

/**
 * A selector of an exposed series: `series("stacks_up", { network: "mainnet" })`. Throws when no family has that name,
 * label or value.
 */
export function series(name: string, matchers: Matchers = {}): string {
  const family = familyOf(name);
  if (family === undefined) throw new Error(`there is no family with series ${name}`);
  for (const [label, text] of Object.entries(matchers)) {
    if (!family.labelNames.includes(label as never)) throw new Error(`${name} has no label ${label}`);
    const known =
      label === "collector"
        ? collectors.map(({ name }) => name)
        : (family.labels as Record<string, { values?: readonly string[] }>)[label]?.values;
    const value = text.replace(/^!/, "");
    if (known !== undefined && !text.startsWith("~") && !known.includes(value))
      throw new Error(`${name} has no ${label} ${value}; there are ${known.join(", ")}`);
  }
  return name + braces(matchers);
}

// Failed scrapes and a restart change nothing. Unlike with `keepFiringFor`, an alert ends before those that inhibit it.
/** The newest value of a selector within the last five minutes. */
export const lately = (selector: string): string => `last_over_time(${selector}[5m])`;

/** A selector of a recorded series. Throws when it has no such label. */
export function recorded({ record, labels }: Recording, matchers: Matchers = {}): string {
  for (const label of Object.keys(matchers))
    if (!labels.includes(label)) throw new Error(`${record} has no label ${label}`);
  return record + braces(matchers);
}

/** Joins series of the same exporter by further labels. */
export const on = (...labels: readonly string[]): string => `on (${[...labels, ...TARGET_LABELS].join(", ")})`;

const OF_ANY_SHARD = TARGET_LABELS.filter((label) => label !== "instance");

/**
 * Joins series of watched principals with the maximum of a value of the chain, which only one of several shards
 * exposes, by the network and further labels.
 */
export function withChain(expr: string, ...labels: readonly string[]): string {
  const shared = ["network", ...labels, ...OF_ANY_SHARD].join(", ");
  return `on (${shared}) group_left () max by (${shared}) (${expr})`;
}

/** Joins series of the same network and exporter. */
export const onNetwork = on("network");

/** A sentence with the result of a query, where it says `{{ . }}`. Empty without a result. */
function withQuery(labels: readonly string[], expr: (own: string) => string, shown: string, sentence: string): string {
  const query = expr(labels.map((label) => `${label}=%q`).join(", ")).replaceAll('"', '\\"');
  const values = labels.map((label) => `$labels.${label}`).join(" ");
  return `{{ with query (printf "${query}" ${values}) }}${sentence.replace("{{ . }}", `{{ ${shown} }}`)}{{ end }}`;
}

/** A sentence with the value of a series of the alert's network, in STX. @param selector with matchers */
export const quoted = (selector: string, sentence: string): string =>
  withQuery(
    ["network", ...OF_ANY_SHARD],
    (own) => `${selector.replace("}", `, ${own}}`)} / 1e6`,
    'printf "%.3g" (. | first | value)',
    sentence,
  );

/** A sentence with the fee of a type for which a transaction is mined within 10 minutes. */
export const estimated = (tx_type: string): string =>
  quoted(
    series("stacks_fee_estimate_microstx", { tx_type, target: "10m" }),
    ` A ${tx_type} is mined within 10 minutes for {{ . }} STX.`,
  );

/** A sentence with the most frequent reason of the failed polls of the alert's network. */
export const withReason = (sentence: string): string => {
  const failures = series("stacks_exporter_collector_failures_total");
  return withQuery(
    ["network", ...TARGET_LABELS],
    (own) => `topk(1, sum by (reason) (increase(${failures}{${own}}[10m])) > 0)`,
    '. | first | label "reason"',
    sentence,
  );
};
