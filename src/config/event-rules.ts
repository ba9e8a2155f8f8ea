// The event rules of all contracts. A metric has one declaration, and each rule of a contract is there once.
import type { CompileRegex } from "../collectors/event-rules/condition.ts";
import { type EventRule, fingerprintOf, IDENTITY } from "../collectors/event-rules/rule.ts";
import { counter, type Family, gauge, histogram } from "../exposition/family.ts";
import { describeValue, formatPath, type Problem, problemsOf, type Shown } from "./errors.ts";
import { type EventRuleSettings, eventRule, MAX_RULES } from "./event-rule-settings.ts";
import { namesOf } from "./metric-name.ts";
import { entriesOf, valueAt } from "./normalize.ts";
import { expectationOf, nodeAt, type Path, type SchemaNode } from "./schema.ts";

/** The rules of one contract, as they are written. */
interface Written {
  readonly list: unknown;
  /** Their place in the configuration. */
  readonly at: Path;
  readonly node: SchemaNode;
  readonly shown: Shown;
  readonly report: (problem: Problem) => void;
}

/** Reports an error in a part of a rule. Without `found`, it is the value there. */
type Report = (part: Path, expected: string, found?: string) => void;

/** A metric as the first of its rules declares it. */
interface Metric {
  readonly at: Path;
  readonly declared: Readonly<Record<"type" | "help" | "buckets" | "labels", string>>;
}

/** The families of metrics by their declarations. A metric keeps its family when its file is read again. */
export type Families = Map<string, Family>;

/** Reads the rules of all contracts of a configuration. */
export class EventRules {
  readonly #schema: ReturnType<typeof eventRule>;
  readonly #families: Families;
  readonly #metrics = new Map<string, Metric>();
  /** The metric that takes each name on the page. */
  readonly #names = new Map<string, string>();

  constructor(compile: CompileRegex, families: Families) {
    this.#schema = eventRule(compile);
    this.#families = families;
  }

  /** Names of the metrics of all rules. */
  get metrics(): Iterable<string> {
    return this.#metrics.keys();
  }

  /** Reads the rules of one contract, and reports all errors in them. */
  read({ list, at, node, shown, report }: Written): readonly EventRule[] {
    const rules = new Map<string, EventRule>();
    if (!Array.isArray(list) || list.length > MAX_RULES)
      report({ path: [], expected: `expected ${expectationOf(node)}`, found: shown.describe([], list) });
    for (const [index, written] of entriesOf(list).entries()) {
      const below = {
        describe: (path: Path, value: unknown) => shown.describe([index, ...path], value),
        isExpanded: (path: Path) => shown.isExpanded([index, ...path]),
      };
      const { data: settings, error } = this.#schema.safeParse(written);
      const problems =
        error?.issues.flatMap((issue) => problemsOf(issue, written, nodeAt(node, [index]) ?? {}, below)) ?? [];
      for (const problem of problems) report({ ...problem, path: [index, ...problem.path] });
      if (settings === undefined) continue;
      const reportHere: Report = (path, expected, found) =>
        report({ path: [index, ...path], expected, found: found ?? below.describe(path, valueAt(written, path)) });
      this.#checkName(settings, reportHere);
      const { match: conditions, value, labels } = settings;
      const family = this.#familyOf(settings, [...at, index], reportHere);
      const fingerprint = fingerprintOf({ family, conditions, value: value?.path, labels });
      const again = "the metric, conditions, value and labels of another one";
      if (rules.has(fingerprint)) reportHere([], "expected each rule once", again);
      rules.set(fingerprint, { fingerprint, family, conditions, value: value?.path, labels });
    }
    return [...rules.values()];
  }

  #checkName({ metric, type }: EventRuleSettings, report: Report): void {
    const other = namesOf(metric, type)
      .map((taken) => this.#names.get(taken))
      .find((taken) => taken !== undefined && taken !== metric);
    if (other !== undefined) {
      const reason = `the series of ${describeValue(other)} have that name, or its family has it`;
      report(["metric"], `expected a metric whose names no other metric has (${reason})`);
    }
    for (const taken of namesOf(metric, type)) if (!this.#names.has(taken)) this.#names.set(taken, metric);
  }

  // The family of the metric. Reports what differs from the first rule of the metric.
  #familyOf(settings: EventRuleSettings, at: Path, report: Report): Family {
    const { metric, type, help, buckets = [] } = settings;
    const names = settings.labels.map(({ name }) => name);
    const declared = { type, help, buckets: buckets.join(", "), labels: names.join(", ") };
    const known = this.#metrics.get(metric) ?? { at, declared };
    this.#metrics.set(metric, known);
    for (const key of ["type", "help", "buckets", "labels"] as const) {
      if (known.declared[key] === declared[key]) continue;
      const expected = `expected the ${key} of ${formatPath(known.at)}, which makes the same metric`;
      if (key === "help") report([key], expected);
      else report([key], expected, declared[key] || "none");
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
