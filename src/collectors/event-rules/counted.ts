// What event rules add to the counters of a contract: their families, the limits of their labels, and the results.
import type { Family } from "../../exposition/family.ts";
import type { Adder, Places } from "../counted.ts";
import { ofContract } from "../subjects.ts";
import { ERRORS, type Result, type RuleError } from "./evaluate.ts";
import type { EventRule, RuleLabel } from "./rule.ts";

const metric = "name of the metric that the rule makes";
const SOURCE =
  "contract_log.value of GET /extended/v1/contract/{contract_id}/events, or its replacement " +
  "GET /extended/v2/smart-contracts/{contract_id}/logs, polled";
const REASONS = Object.keys(ERRORS) as RuleError[];

const errors = ofContract.counter({
  name: "stacks_contract_rule_errors_total",
  help: "Events that matched an event rule but were not counted by it, because their shape differs.",
  source: SOURCE,
  labels: {
    metric,
    reason: {
      about: Object.entries(ERRORS)
        .map(([reason, about]) => `${reason}: ${about}`)
        .join("; "),
      values: REASONS,
    },
  },
});

/** The families of all rules. */
export const ruleFamilies: readonly Family[] = [errors];

/** The families of rules by their key in the state. A rule that counts something else starts with new counters. */
export function familiesOfRules(rules: readonly EventRule[]): ReadonlyMap<string, Family> {
  const byFamily = Map.groupBy(rules, ({ family }) => family);
  return new Map(
    [...byFamily].map(([family, of]) => {
      const fingerprints = of.map(({ fingerprint }) => fingerprint).sort();
      return [[family.name, ...fingerprints].join(" "), family];
    }),
  );
}

/** The limits of the labels of rules. Rules of one metric share them. */
export function placesOfRules(rules: readonly EventRule[]): readonly Places[] {
  return [...Map.groupBy(rules, ({ family }) => family)].flatMap(([family, of]) => {
    const labels = of[0]?.labels ?? [];
    return labels.map(({ name }, index): Places => {
      const same = of.flatMap((rule) => rule.labels[index] ?? []);
      return {
        name: `${family.name} ${name}`,
        families: [family],
        labels: [name],
        max: Math.max(...same.map(({ max, allow }) => max - allow.length)),
        // An absent label is empty.
        named: ["", ...same.flatMap(namedValues)],
      };
    });
  });
}

const namedValues = ({ from, allow }: RuleLabel): readonly string[] => ("value" in from ? [from.value] : allow);

/** Makes the series of rules whose label values are known beforehand. */
export function startRules(to: Adder, rules: readonly EventRule[]): void {
  for (const { family, labels } of rules) {
    for (const reason of REASONS) to.start(errors, { metric: family.name, reason });
    if (family.kind === "gauge") continue;
    const combinations = labels.reduce<readonly (readonly string[])[]>(
      (before, label) => before.flatMap((values) => namedValues(label).map((value) => [...values, value])),
      [[]],
    );
    for (const values of combinations) to.start(family, labelsOf(labels, values));
  }
}

/** Adds the results of the rules for one event. */
export function addResults(to: Adder, results: readonly Result[]): void {
  for (const { rule, sample, errors: found = [] } of results) {
    for (const reason of found) to.add(errors, { metric: rule.family.name, reason });
    if (sample !== undefined) to.add(rule.family, labelsOf(rule.labels, sample.labels), sample.value);
  }
}

const labelsOf = (labels: readonly RuleLabel[], values: readonly string[]) =>
  Object.fromEntries(labels.map(({ name }, index) => [name, values[index] ?? ""]));

/** Maximum number of series of rules, with as many label values as they allow. */
export function seriesOfRules(rules: readonly EventRule[]): number {
  return rules.reduce((total, { labels }) => {
    const combinations = labels.reduce((product, { from, max }) => product * ("value" in from ? 1 : max + 1), 1);
    return total + combinations + REASONS.length;
  }, 0);
}
