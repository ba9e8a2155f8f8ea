// Evaluates event rules: one result for each rule that matches an event, and what the results add to the counters of a
// contract. Pure.

import type { Family } from "../../exposition/family.ts";
import type { Adder, Places } from "../counted.ts";
import { ofContract } from "../subjects.ts";
import { isLabelText, OTHER } from "../values.ts";
import { type ClarityValue, readClarity } from "./clarity-value.ts";
import { type Found, follow, type Path } from "./path.ts";
import { accepts, type EventRule, type RuleLabel } from "./rule.ts";

/** Why a rule could not use a value or a label of an event. */
export const ERRORS = {
  type: "a value or label that is of another type",
  missing: "a value or label that is not in the event, because the event has another shape",
  negative: "a negative value of a counter",
  undecodable: "an event whose value cannot be decoded",
} as const;

export type RuleError = keyof typeof ERRORS;

/** The result of a rule for an event. */
export interface Result {
  readonly rule: EventRule;
  /** The sample; undefined if the event has none, because its value is absent or wrong. */
  readonly sample?: { readonly labels: readonly string[]; readonly value: bigint } | undefined;
  readonly errors?: readonly RuleError[] | undefined;
}

/** The parts of an event that rules read. */
export interface RawEvent {
  readonly topic: string;
  /** Its serialised value, as hex with `0x`; undefined if it has none. */
  readonly hex: string | undefined;
}

/** An event, as rules read it. */
export interface EventView {
  readonly topic: string;
  /** Undefined if it has none, or one that is not valid. */
  readonly value: ClarityValue | undefined;
  readonly isUndecodable: boolean;
}

/** Decodes an event. */
export function viewOf({ topic, hex }: RawEvent): EventView {
  const value = hex === undefined ? undefined : readClarity(hex);
  return { topic, value, isUndecodable: hex !== undefined && value === undefined };
}

/** What is at a path of an event. */
export function valueAt({ topic, value }: EventView, { root, steps }: Path): Found {
  if (root === "topic") return { kind: "string-ascii", text: topic };
  return value === undefined ? "none" : follow(value, steps);
}

/** The results of the rules for an event, in their order, without rules that do not match. */
export function evaluate(rules: readonly EventRule[], event: RawEvent): readonly Result[] {
  if (rules.length === 0) return [];
  const view = viewOf(event);
  return rules.flatMap((rule) => resultOf(rule, view) ?? []);
}

/** The result of a rule for an event; undefined if it does not match. */
export function resultOf(rule: EventRule, view: EventView): Result | undefined {
  const { conditions, labels } = rule;
  const isUnreadable = view.isUndecodable && readsValue(rule);
  const readable = isUnreadable ? conditions.filter(({ path }) => path.root === "topic") : conditions;
  if (!readable.every(({ path, operator }) => accepts(operator, valueAt(view, path)))) return undefined;
  if (isUnreadable) return { rule, errors: ["undecodable"] };
  const amount = amountOf(rule, view);
  if (typeof amount === "string") return { rule, errors: [amount] };
  const errors = new Set<RuleError>();
  const texts = labels.map((label) => labelOf(label, view, errors));
  return {
    rule,
    ...(amount === undefined ? {} : { sample: { labels: texts, value: amount } }),
    ...(errors.size === 0 ? {} : { errors: [...errors] }),
  };
}

const readsValue = ({ conditions, value, labels }: EventRule): boolean =>
  value?.root === "value" ||
  conditions.some(({ path }) => path.root === "value") ||
  labels.some(({ from }) => "path" in from && from.path.root === "value");

function amountOf({ family, value }: EventRule, view: EventView): bigint | RuleError | undefined {
  if (value === undefined) return 1n;
  const found = valueAt(view, value);
  if (found === "none") return undefined;
  if (found === "missing") return "missing";
  if (found.number === undefined) return "type";
  return found.number < 0n && family.kind !== "gauge" ? "negative" : found.number;
}

// A label that is absent is empty, which Prometheus treats as no label.
function labelOf({ from }: RuleLabel, view: EventView, errors: Set<RuleError>): string {
  if ("value" in from) return from.value;
  const found = valueAt(view, from.path);
  if (found === "none") return "";
  if (found === "missing") {
    errors.add("missing");
    return "";
  }
  if (found.text === undefined) {
    errors.add("type");
    return OTHER;
  }
  return isLabelText(found.text) ? found.text : OTHER;
}

const metric = "name of the metric that the rule makes";
const SOURCE =
  "contract_log.value of GET /extended/v1/contract/{contract_id}/events, or its replacement " +
  "GET /extended/v2/smart-contracts/{contract_id}/logs, polled";
const REASONS = Object.keys(ERRORS) as RuleError[];

const errors = ofContract.counter({
  name: "stacks_contract_rule_errors_total",
  help: "Events whose value or labels an event rule could not use, because they have another shape.",
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
