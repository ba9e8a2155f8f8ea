// The rules between event rules: a metric has one declaration, and each rule of a contract is there once.
import { type EventRule, fingerprintOf, IDENTITY } from "../collectors/event-rules/rule.ts";
import { counter, type Family, gauge } from "../exposition/family.ts";
import { formatPath, type Issue, issueAt } from "./errors.ts";
import { type EventRuleSettings, familyName } from "./event-rule-settings.ts";
import type { Path } from "./schema.ts";

/** The families of metrics by their declarations. A metric keeps its family when its file is read again. */
export type Families = Map<string, Family>;

const ABOUT = ["name of the network", "name of the contract in the configuration", "the contract"];

/** Makes the rules of all contracts of a configuration, and reports what contradicts other rules. */
export class EventRules {
  readonly #families: Families;
  /** The first declaration of each family name, and its place. */
  readonly #first = new Map<string, { readonly at: Path; readonly declaration: string }>();

  constructor(families: Families) {
    this.#families = families;
  }

  /** The rules of one contract, of checked settings. @param issues receives what contradicts other rules */
  read(list: readonly EventRuleSettings[] | undefined, at: Path, issues: Issue[]): readonly EventRule[] | undefined {
    const rules = new Map<string, EventRule>();
    for (const [index, settings] of list?.entries() ?? []) {
      const { match: conditions, value, labels } = settings;
      const rule = { family: this.#familyOf(settings, [...at, index], issues), conditions, value: value?.path, labels };
      const fingerprint = fingerprintOf(rule);
      const again = "expected each rule once, found the metric, conditions, value and labels of another one";
      if (rules.has(fingerprint)) issues.push(issueAt([...at, index], again));
      rules.set(fingerprint, { fingerprint, ...rule });
    }
    return list && [...rules.values()];
  }

  #familyOf({ metric, type, help, labels: own }: EventRuleSettings, at: Path, issues: Issue[]): Family {
    const names = own.map(({ name }) => name);
    const declaration = JSON.stringify([metric, type, help, names]);
    const first = this.#first.get(familyName(metric)) ?? { at, declaration };
    this.#first.set(familyName(metric), first);
    if (first.declaration !== declaration) {
      const message = `expected the metric, type, help and labels of ${formatPath(first.at)}, which makes the same family`;
      issues.push(issueAt(at, `${message}, found others`));
    }
    const labels = Object.fromEntries([
      ...IDENTITY.map((label, index) => [label, ABOUT[index] ?? ""]),
      ...names.map((label) => [label, "label of the rule"]),
    ]) as Record<string, string>;
    const make = type === "counter" ? counter : gauge;
    const family = this.#families.get(declaration) ?? make({ name: metric, help, labels });
    this.#families.set(declaration, family);
    return family;
  }
}
