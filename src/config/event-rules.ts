// The rules between event rules: a metric has one declaration, and each rule of a contract is there once.
import { type EventRule, fingerprintOf, IDENTITY } from "../collectors/event-rules/rule.ts";
import { counter, type Family, gauge, histogram } from "../exposition/family.ts";
import { formatPath, type Issue, issueAt } from "./errors.ts";
import type { EventRuleSettings } from "./event-rule-settings.ts";
import { namesOf } from "./metric-name.ts";
import type { Path } from "./paths.ts";

/** The families of metrics by their declarations. A metric keeps its family when its file is read again. */
export type Families = Map<string, Family>;

/** Makes the rules of all contracts of a configuration, and reports what contradicts other rules. */
export class EventRules {
  readonly #issues: Issue[];
  readonly #families: Families;
  /** The first declaration of each metric, and its place. */
  readonly #metrics = new Map<string, { readonly at: Path; readonly declaration: string }>();
  /** The metric that takes each name on the page. */
  readonly #names = new Map<string, string>();

  constructor(issues: Issue[], families: Families) {
    this.#issues = issues;
    this.#families = families;
  }

  /** The rules of one contract, of checked settings. */
  read(list: readonly EventRuleSettings[] | undefined, at: Path): readonly EventRule[] | undefined {
    const rules = new Map<string, EventRule>();
    for (const [index, settings] of list?.entries() ?? []) {
      const { match: conditions, value, labels } = settings;
      const rule = { family: this.#familyOf(settings, [...at, index]), conditions, value: value?.path, labels };
      const fingerprint = fingerprintOf(rule);
      const again = "expected each rule once, found the metric, conditions, value and labels of another one";
      if (rules.has(fingerprint)) this.#issues.push(issueAt([...at, index], again));
      rules.set(fingerprint, { fingerprint, ...rule });
    }
    return list && [...rules.values()];
  }

  #familyOf({ metric, type, help, buckets, labels }: EventRuleSettings, at: Path): Family {
    const names = labels.map(({ name }) => name);
    const declaration = JSON.stringify([metric, type, help, buckets, names]);
    const known = this.#metrics.get(metric) ?? { at, declaration };
    this.#metrics.set(metric, known);
    if (known.declaration !== declaration) {
      const message = `expected the type, help, buckets and labels of ${formatPath(known.at)}, which makes the same metric`;
      this.#issues.push(issueAt(at, `${message}, found others`));
    }
    const taken = namesOf(metric, type);
    const other = taken.map((name) => this.#names.get(name)).find((owner) => owner !== undefined && owner !== metric);
    const reason = `the series of ${other} have that name, or its family has it`;
    if (other !== undefined)
      this.#issues.push(issueAt([...at, "metric"], "a metric whose names no other metric has", { reason }));
    for (const name of taken) if (!this.#names.has(name)) this.#names.set(name, metric);
    const family = this.#families.get(declaration) ?? makeFamily(type, metric, help, names, buckets);
    this.#families.set(declaration, family);
    return family;
  }
}

const ABOUT = ["name of the network", "name of the contract in the configuration", "the contract"];

function makeFamily(
  type: EventRuleSettings["type"],
  name: string,
  help: string,
  names: readonly string[],
  bounds: readonly number[],
): Family {
  const labels = Object.fromEntries([
    ...IDENTITY.map((label, index) => [label, ABOUT[index] ?? ""]),
    ...names.map((label) => [label, "label of the rule"]),
  ]) as Record<string, string>;
  if (type === "histogram") return histogram({ name, help, labels, bounds });
  return type === "counter" ? counter({ name, help, labels }) : gauge({ name, help, labels });
}
