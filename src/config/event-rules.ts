// The event rules of all contracts. A metric has one declaration, and each rule of a contract is there once.
import type { CompileRegex } from "../collectors/event-rules/condition.ts";
import { type EventRule, fingerprintOf, IDENTITY } from "../collectors/event-rules/rule.ts";
import { counter, type Family, gauge, histogram } from "../exposition/family.ts";
import { AS_DESCRIBED, describeValue, formatPath, type Issue, issueAt } from "./errors.ts";
import { type EventRuleSettings, eventRule } from "./event-rule-settings.ts";
import { namesOf } from "./metric-name.ts";
import { entriesOf, type Path } from "./paths.ts";

/** A metric as the first of its rules declares it. */
interface Metric {
  readonly at: Path;
  readonly declared: Readonly<Record<"type" | "help" | "buckets" | "labels", string>>;
}

/** The families of metrics by their declarations. A metric keeps its family when its file is read again. */
export type Families = Map<string, Family>;

const MAX_RULES = 100;

/** Reads the rules of all contracts of a configuration, and reports all errors in them. */
export class EventRules {
  readonly #issues: Issue[];
  readonly #families: Families;
  readonly #schema: ReturnType<typeof eventRule>;
  readonly #metrics = new Map<string, Metric>();
  /** The metric that takes each name on the page. */
  readonly #names = new Map<string, string>();

  constructor(issues: Issue[], families: Families, compile: CompileRegex) {
    this.#issues = issues;
    this.#families = families;
    this.#schema = eventRule(compile);
  }

  /** The rules of one contract, valid or not. Those beside a wrong one are checked, too. */
  read(list: unknown, at: Path): readonly EventRule[] | undefined {
    if (list === undefined) return undefined;
    if (!Array.isArray(list) || list.length > MAX_RULES) this.#issues.push(issueAt(at, AS_DESCRIBED));
    const rules = new Map<string, EventRule>();
    for (const [index, written] of entriesOf(list).entries()) {
      const place = [...at, index];
      const { data: settings, error } = this.#schema.safeParse(written);
      for (const issue of error?.issues ?? []) this.#issues.push({ ...issue, path: [...place, ...issue.path] });
      if (settings === undefined) continue;
      this.#checkName(settings, place);
      const { match: conditions, value, labels } = settings;
      const rule = { family: this.#familyOf(settings, place), conditions, value: value?.path, labels };
      const fingerprint = fingerprintOf(rule);
      const again = "expected each rule once, found the metric, conditions, value and labels of another one";
      if (rules.has(fingerprint)) this.#issues.push(issueAt(place, again));
      rules.set(fingerprint, { fingerprint, ...rule });
    }
    return [...rules.values()];
  }

  #checkName({ metric, type }: EventRuleSettings, at: Path): void {
    const names = namesOf(metric, type);
    const other = names.map((name) => this.#names.get(name)).find((taken) => taken !== undefined && taken !== metric);
    const reason = `the series of ${describeValue(other)} have that name, or its family has it`;
    if (other !== undefined)
      this.#issues.push(issueAt([...at, "metric"], "a metric whose names no other metric has", { reason }));
    for (const name of names) if (!this.#names.has(name)) this.#names.set(name, metric);
  }

  // The family of the metric. Reports what differs from the first rule of the metric.
  #familyOf({ metric, type, help, buckets, labels }: EventRuleSettings, at: Path): Family {
    const names = labels.map(({ name }) => name);
    const declared = { type, help, buckets: buckets.join(", "), labels: names.join(", ") };
    const known = this.#metrics.get(metric) ?? { at, declared };
    this.#metrics.set(metric, known);
    for (const key of ["type", "help", "buckets", "labels"] as const) {
      if (known.declared[key] === declared[key]) continue;
      const expected = `the ${key} of ${formatPath(known.at)}, which makes the same metric`;
      // The value of help is quoted after the message.
      const message = key === "help" ? expected : `expected ${expected}, found ${declared[key] || "none"}`;
      this.#issues.push(issueAt([...at, key], message));
    }
    const declaration = JSON.stringify([metric, type, help, buckets, names]);
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
