// The event rules of all contracts. A metric has one declaration, and each rule of a contract is there once.
import { loadRegex } from "../collectors/event-rules/condition.ts";
import { type EventRule, fingerprintOf, IDENTITY } from "../collectors/event-rules/rule.ts";
import { counter, type Family, gauge, histogram } from "../exposition/family.ts";
import { describeValue, type ErrorList, formatPath } from "./errors.ts";
import { type EventRuleSettings, eventRules } from "./event-rule-settings.ts";
import { namesOf } from "./metric-name.ts";
import { entriesOf, type Path, valueAt } from "./paths.ts";

/** A metric as the first of its rules declares it. */
interface Metric {
  readonly at: Path;
  readonly declared: Readonly<Record<"type" | "help" | "buckets" | "labels", string>>;
}

/** The families of metrics by their declarations. A metric keeps its family when its file is read again. */
export type Families = Map<string, Family>;

/** Reports an error in a part of a rule. Without `found`, it is the value there. */
type Report = (part: Path, expected: string, found?: string) => void;

/** Reads the rules of all contracts of a configuration, and reports all errors in them. */
export class EventRules {
  readonly #errors: ErrorList;
  readonly #families: Families;
  readonly #metrics = new Map<string, Metric>();
  /** The metric that takes each name on the page. */
  readonly #names = new Map<string, string>();

  constructor(errors: ErrorList, families: Families) {
    this.#errors = errors;
    this.#families = families;
  }

  /** Names of the metrics of all rules. */
  get metrics(): Iterable<string> {
    return this.#metrics.keys();
  }

  /** The rules of each contract of the configuration, by its entry. `root`: all settings, valid or not. */
  async read(root: unknown): Promise<ReadonlyMap<unknown, readonly EventRule[]>> {
    const contracts = entriesOf(valueAt(root, ["networks"])).flatMap((network, index) =>
      entriesOf(valueAt(network, ["contracts"])).flatMap((entry, place) => {
        const list = valueAt(entry, ["events"]);
        return list === undefined ? [] : [{ entry, list, at: ["networks", index, "contracts", place, "events"] }];
      }),
    );
    if (contracts.length === 0) return new Map();
    const hasRegex = contracts.some(({ list }) => JSON.stringify(list).includes('"regex"'));
    const schema = eventRules(hasRegex ? await loadRegex() : () => () => false);
    return new Map(contracts.map(({ entry, list, at }) => [entry, this.#readList(schema, list, at, root)]));
  }

  #readList(schema: ReturnType<typeof eventRules>, list: unknown, at: Path, root: unknown): readonly EventRule[] {
    const parsed = schema.safeParse(list);
    for (const issue of parsed.error?.issues ?? [])
      this.#errors.addIssue({ ...issue, path: [...at, ...issue.path] }, root);
    const wrong = new Set(parsed.error?.issues.map(({ path: [index] }) => index));
    const rules = new Map<string, EventRule>();
    for (const [index, written] of entriesOf(list).entries()) {
      // The rules beside a wrong one are checked, too.
      const settings = wrong.has(index) ? undefined : schema.unwrap().element.safeParse(written).data;
      if (settings === undefined) continue;
      const report: Report = (part, expected, found) => {
        const place = [...at, index, ...part];
        this.#errors.add(place, expected, "value", found ?? this.#errors.describe(place, valueAt(root, place)));
      };
      this.#checkName(settings, report);
      const { match: conditions, value, labels } = settings;
      const family = this.#familyOf(settings, [...at, index], report);
      const fingerprint = fingerprintOf({ family, conditions, value: value?.path, labels });
      const again = "the metric, conditions, value and labels of another one";
      if (rules.has(fingerprint)) report([], "expected each rule once", again);
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
