// The event rules of watched contracts: all errors in them, or the rules that the collector applies.
import { z } from "zod";
import {
  type CompileRegex,
  type Condition,
  conditionOf,
  loadRegex,
  type Operator,
  RegexError,
  type Wanted,
} from "../collectors/event-rules/condition.ts";
import { type EventRule, fingerprintOf, IDENTITY, type RuleLabel } from "../collectors/event-rules/rule.ts";
import { counter, type Family, gauge, histogram } from "../exposition/family.ts";
import { describeValue, type ErrorList, formatPath } from "./errors.ts";
import { condition, eventRule, label, MAX_RULES, OPERATORS } from "./event-rule-settings.ts";
import { errorInLabelName, errorInMetricName, namesOf } from "./metric-name.ts";
import { entriesOf, isMapping, valueAt } from "./normalize.ts";
import type { Path } from "./schema.ts";

/** The rules of each entry of the lists of contracts. */
export type RulesByEntry = ReadonlyMap<unknown, readonly EventRule[]>;

type Settings = z.infer<typeof eventRule>;
type Kind = Settings["type"];

/** A metric as the first of its rules declares it. */
interface Metric {
  readonly at: Path;
  readonly declared: { readonly type: Kind; readonly help: string; readonly buckets: string; readonly labels: string };
  readonly family: Family;
}

// A product of label values that are known beforehand. Each is a series from the start.
const MAX_KNOWN_SERIES = 1000;
const DEFAULT_MAX = 50;
const NO_REGEX: CompileRegex = () => () => false;

/** Reads the rules of all contracts, and reports every error in them. */
export async function readEventRules(networks: readonly unknown[], errors: ErrorList): Promise<RulesByEntry> {
  const written = networks.flatMap((network, index) =>
    entriesOf(valueAt(network, ["contracts"])).flatMap((entry, place) => {
      const rules = valueAt(entry, ["events"]);
      return rules === undefined ? [] : [{ entry, rules, at: ["networks", index, "contracts", place, "events"] }];
    }),
  );
  if (written.length === 0) return new Map();
  const reader = new RuleReader(errors, written.some(({ rules }) => hasRegex(rules)) ? await loadRegex() : NO_REGEX);
  return new Map(written.map(({ entry, rules, at }) => [entry, reader.readList(rules, at)]));
}

const hasRegex = (rules: unknown): boolean =>
  entriesOf(rules).some((rule) =>
    entriesOf(valueAt(rule, ["match"])).some((one) => valueAt(one, ["regex"]) !== undefined),
  );

class RuleReader {
  readonly #errors: ErrorList;
  readonly #compile: CompileRegex;
  readonly #metrics = new Map<string, Metric>();
  /** The metric that takes each name on the page. */
  readonly #names = new Map<string, string>();

  constructor(errors: ErrorList, compile: CompileRegex) {
    this.#errors = errors;
    this.#compile = compile;
  }

  readList(list: unknown, at: Path): readonly EventRule[] {
    if (!Array.isArray(list)) {
      this.#errors.addUnexpected(at, list);
      return [];
    }
    if (list.length > MAX_RULES) this.#errors.add(at, `expected at most ${MAX_RULES} rules, found ${list.length}`);
    const rules = new Map<string, EventRule>();
    for (const [index, raw] of list.entries()) {
      const place = [...at, index];
      const rule = this.#readRule(raw, place);
      if (rule === undefined) continue;
      if (rules.has(rule.fingerprint)) {
        this.#errors.add(
          place,
          "expected each rule once, found the metric, conditions, value and labels of another one",
        );
      }
      rules.set(rule.fingerprint, rule);
    }
    return [...rules.values()];
  }

  // Reports the errors in the parts of a rule, and between them. Each check skips parts of the wrong type.
  #readRule(raw: unknown, at: Path): EventRule | undefined {
    const parsed = eventRule.safeParse(raw);
    for (const issue of parsed.error?.issues ?? []) {
      const part = issue.path.map((step) => (typeof step === "symbol" ? String(step) : step));
      this.#errors.addUnexpected([...at, ...part], valueAt(raw, part));
    }
    const type = z.enum(["counter", "gauge", "histogram"]).safeParse(valueAt(raw, ["type"])).data;
    const conditions = entriesOf(valueAt(raw, ["match"])).flatMap((one, index) => {
      return this.#readCondition(one, [...at, "match", index]) ?? [];
    });
    this.#checkMetricName(raw, type, at);
    this.#checkParts(raw, type, at);
    const labels = this.#readLabels(raw, at);
    if (parsed.data === undefined) return undefined;
    const family = this.#familyOf(parsed.data, labels, at);
    const rule = { family, conditions, value: parsed.data.value?.path, labels };
    return { fingerprint: fingerprintOf(rule), ...rule };
  }

  #readCondition(raw: unknown, at: Path): Condition | undefined {
    const parsed = condition.safeParse(raw).data;
    const present = isMapping(raw) ? OPERATORS.filter((name) => raw[name] !== undefined) : [];
    if (isMapping(raw) && present.length !== 1) {
      const found = present.length === 0 ? "none" : present.join(" and ");
      this.#errors.add(at, `expected one of ${OPERATORS.join(", ")}, found ${found}`);
    }
    const { min, max } = parsed?.range ?? {};
    if (parsed?.range !== undefined && (min === undefined || max === undefined ? min === max : min > max)) {
      const found = min === max ? "neither" : "a max below the min";
      this.#errors.add([...at, "range"], `expected a min, a max or both, found ${found}`);
    }
    const regex = valueAt(raw, ["regex"]);
    if (typeof regex === "string") this.#checkRegex(regex, [...at, "regex"]);
    if (parsed === undefined || present.length !== 1) return undefined;
    try {
      return conditionOf(parsed.path, operatorOf(parsed), this.#compile);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      return undefined; // reported
    }
  }

  #checkRegex(text: string, at: Path): void {
    try {
      this.#compile(text);
    } catch (error) {
      if (!(error instanceof RegexError)) throw error;
      const found = this.#errors.describe(at, text);
      // The reason quotes a part of the text.
      const reason = this.#errors.isExpanded(at) ? "" : `: ${error.message}`;
      this.#errors.addUnexpected(at, text, undefined, `${found}${reason}`);
    }
  }

  #checkMetricName(raw: unknown, type: Kind | undefined, at: Path): void {
    const name = valueAt(raw, ["metric"]);
    if (typeof name !== "string") return;
    const place = [...at, "metric"];
    const wrong = errorInMetricName(name, type);
    const found = this.#errors.describe(place, name);
    if (wrong !== undefined) this.#errors.addUnexpected(place, name, undefined, `${found}: ${wrong}`);
    if (wrong !== undefined || type === undefined) return;
    const other = namesOf(name, type)
      .map((taken) => this.#names.get(taken))
      .find((metric) => metric !== undefined && metric !== name);
    if (other !== undefined) {
      const reason = `the series of ${describeValue(other)} have that name, or its family has it`;
      this.#errors.addUnexpected(place, name, "a metric whose names no other metric has", `${found}: ${reason}`);
    }
    for (const taken of namesOf(name, type)) if (!this.#names.has(taken)) this.#names.set(taken, name);
  }

  // Settings that a type needs, and settings that it does not have.
  #checkParts(raw: unknown, type: Kind | undefined, at: Path): void {
    const has = (key: string) => valueAt(raw, [key]) !== undefined;
    if ((type === "gauge" || type === "histogram") && !has("value")) {
      this.#errors.add([...at, "value"], `missing, expected the value that the ${type} gets`);
    }
    if (type === "histogram" && !has("buckets")) {
      this.#errors.add([...at, "buckets"], "missing, expected the upper bounds of the buckets of the histogram");
    }
    if (type !== undefined && type !== "histogram" && has("buckets")) {
      this.#errors.add([...at, "buckets"], `expected buckets of a histogram only, found them at a ${type}`, "key");
    }
    const bounds = entriesOf(valueAt(raw, ["buckets"]));
    for (const [index, bound] of bounds.entries()) {
      const before = bounds[index - 1];
      if (typeof bound !== "number" || typeof before !== "number" || bound > before) continue;
      this.#errors.addUnexpected([...at, "buckets", index], bound, "a number above the one before it");
    }
  }

  // Sorted by name, so that neither the order in the file nor another rule changes the keys of counters.
  #readLabels(raw: unknown, at: Path): readonly RuleLabel[] {
    const labels = valueAt(raw, ["labels"]);
    if (!isMapping(labels)) return [];
    const read: RuleLabel[] = [];
    for (const [name, written] of Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1))) {
      const place = [...at, "labels", name];
      const wrong = errorInLabelName(name);
      if (wrong !== undefined) {
        this.#errors.add(place, `expected the name of a label, found ${describeValue(name)}: ${wrong}`, "key");
      }
      this.#checkLabel(written, place);
      const parsed = label.safeParse(written).data;
      if (parsed !== undefined) read.push(labelOf(name, parsed));
    }
    const known = read.reduce((product, { allow }) => product * allow.length, 1);
    if (known > MAX_KNOWN_SERIES) {
      const found = `${known} combinations`;
      this.#errors.add([...at, "labels"], `expected at most ${MAX_KNOWN_SERIES} combinations of allow, found ${found}`);
    }
    return read;
  }

  #checkLabel(written: unknown, at: Path): void {
    if (!isMapping(written)) return;
    const { path, value, allow, max } = written;
    const isFixed = value !== undefined;
    if ((path === undefined) === (value === undefined)) {
      this.#errors.add(at, `expected either path or value, found ${isFixed ? "both" : "neither"}`);
    }
    if (isFixed && path === undefined && (allow !== undefined || max !== undefined)) {
      this.#errors.add(at, "expected allow and max with path only, found them with value");
    }
    if (Array.isArray(allow) && typeof max === "number" && max < allow.length) {
      this.#errors.add([...at, "max"], `expected at least the ${allow.length} values of allow, found ${max}`);
    }
  }

  // The family of the metric. Reports what differs from the first rule of the metric.
  #familyOf({ metric, type, help, buckets = [] }: Settings, labels: readonly RuleLabel[], at: Path): Family {
    const names = labels.map(({ name }) => name);
    const declared = { type, help, buckets: buckets.join(", "), labels: names.join(", ") };
    const known = this.#metrics.get(metric);
    if (known === undefined) {
      const family = makeFamily({ metric, type, help, buckets, names });
      this.#metrics.set(metric, { at, declared, family });
      return family;
    }
    for (const key of ["type", "help", "buckets", "labels"] as const) {
      if (known.declared[key] === declared[key]) continue;
      const found = key === "labels" ? declared.labels || "none" : this.#errors.describe([...at, key], declared[key]);
      const expected = `the ${key} of ${formatPath(known.at)}, which makes the same metric`;
      this.#errors.add([...at, key], `expected ${expected}, found ${found}`);
    }
    return known.family;
  }
}

function operatorOf({ equals, in: list, exists, range, regex }: Settings["match"][number]): Operator {
  if (equals !== undefined) return { equals: equals satisfies Wanted };
  if (list !== undefined) return { in: list };
  if (exists !== undefined) return { exists };
  return range === undefined ? { regex: regex ?? "" } : { range };
}

function labelOf(name: string, { path, value = "", allow = [], max }: Settings["labels"][string]): RuleLabel {
  if (path === undefined) return { name, from: { value }, allow: [value], max: 1 };
  return { name, from: { path }, allow, max: max ?? (allow.length || DEFAULT_MAX) };
}

const ABOUT = ["name of the network", "name of the contract in the configuration", "the contract"];

function makeFamily({
  metric,
  type,
  help,
  buckets,
  names,
}: Pick<Settings, "metric" | "type" | "help"> & {
  readonly buckets: readonly number[];
  readonly names: readonly string[];
}): Family {
  const labels = Object.fromEntries([
    ...IDENTITY.map((name, index) => [name, ABOUT[index] ?? ""]),
    ...names.map((name) => [name, "label of the rule"]),
  ]) as Record<string, string>;
  const declaration = { name: metric, help, labels };
  if (type === "histogram") return histogram({ ...declaration, bounds: buckets });
  return type === "counter" ? counter(declaration) : gauge(declaration);
}
