// Selectors of series, checked against the declared families: an unknown name, label or value throws.
import { collectorFamilies, collectors } from "../src/collectors/index.ts";
import type { Family } from "../src/exposition/family.ts";
import { selfMetrics } from "../src/telemetry/self-metrics.ts";
import type { Recording } from "./model.ts";

/** Labels that Prometheus adds to every scraped series. */
export const TARGET_LABELS = ["job", "instance"] as const;

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

/** A selector of a recorded series. Throws when it has no such label. */
export function recorded({ record, labels }: Recording, matchers: Matchers = {}): string {
  for (const label of Object.keys(matchers))
    if (!labels.includes(label)) throw new Error(`${record} has no label ${label}`);
  return record + braces(matchers);
}

/** Joins series of watched principals with the maximum of the chain, which only one of several shards exposes. */
export const ofChain = "on (network, job)";

/** Joins series of the same network and exporter. */
export const onNetwork = "on (network, job, instance)";
