// Event rules: their settings, and the rules between them. `promtool check metrics` has further advice about names.
import { z } from "zod";
import { parsePath } from "../collectors/event-rules/path.ts";
import { type EventRule, fingerprintOf, type RuleLabel } from "../collectors/event-rules/rule.ts";
import { ofContract } from "../collectors/subjects.ts";
import { isLabelText } from "../collectors/values.ts";
import type { Family } from "../exposition/family.ts";
import { AS_DESCRIBED, formatPath, type Issue, issueAt } from "./errors.ts";
import type { Path } from "./schema.ts";
import { always, parsed } from "./values.ts";

const TYPES = ["counter", "gauge"] as const;

// Names of series that Prometheus creates, and of families that the exporter has or may add.
const RESERVED = /^(stacks_(?!app_.)|process_|nodejs_|scrape_)|^(up|ALERTS|ALERTS_FOR_STATE)$/;

/** Why a name is invalid for a metric of this type, as a part of a sentence; undefined if it is valid. */
export function errorInMetricName(name: string, type: (typeof TYPES)[number]): string | undefined {
  if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return "only letters, digits and _, and no digit at the beginning";
  if (RESERVED.test(name)) return "reserved for Prometheus and the exporter; stacks_app_… is not";
  if (type === "counter") return name.endsWith("_total") ? undefined : "the name of a counter ends in _total";
  // A parser of the page would take the metric for a counter, or for a part of another metric.
  const suffix = /_(total|bucket|count|sum|created)$/.exec(name)?.[0];
  return suffix && `the name of a gauge does not end in ${suffix}`;
}

/** The name of the family of a metric in OpenMetrics, where that of a counter has no suffix. */
const familyName = (name: string): string => name.replace(/_total$/, "");

// Not labels of the families, labels that Prometheus sets, and usual labels of targets in Kubernetes.
const LABEL_NAME =
  /^(?!(network|name|contract_id|le|quantile|job|instance|namespace|pod|service|container|endpoint)$)[a-z][a-z0-9_]{0,63}$/;

const path = parsed(
  z.string(),
  "topic, or value followed by .key, [position], .ok and .err, such as value.pool-id",
  parsePath,
);

const wanted = z
  .union([z.string(), z.int(), z.boolean()])
  .meta({ expected: "text, true, false, or a whole number up to 9007199254740991 (a larger one in quotes)" });

const condition = z
  .strictObject({ path, equals: wanted.optional(), exists: z.boolean().optional() })
  .transform(({ path, equals, exists }, { addIssue }) => {
    if (equals !== undefined && exists === undefined) return { path, operator: { equals } };
    if (exists !== undefined && equals === undefined) return { path, operator: { exists } };
    addIssue("expected either equals or exists");
    return z.NEVER;
  });

const labelText = z.string().refine(isLabelText).meta({ expected: "1 to 128 visible characters" });

const DEFAULT_MAX = 50;

const label = z
  .strictObject({
    path: path.optional(),
    value: labelText.optional(),
    allow: z.array(labelText).min(1).max(1000).optional(),
    max: z.int().min(1).max(10_000).optional().meta({ unit: "values" }),
  })
  .transform(({ path, value, allow, max }, { addIssue }): Omit<RuleLabel, "name"> => {
    const isConstant = value !== undefined && path === undefined;
    if (path === undefined ? !isConstant || (allow ?? max) !== undefined : value !== undefined)
      addIssue("expected either path, with allow and max if needed, or value");
    if (path === undefined) return { from: { value: value ?? "" }, allow: [value ?? ""], max: 1 };
    return { from: { path }, allow: allow ?? [], max: max ?? allow?.length ?? DEFAULT_MAX };
  });

// A product of label values that are known beforehand. Each is a series from the start.
const MAX_KNOWN_SERIES = 1000;

const labels = z
  .record(
    z.string().regex(LABEL_NAME, "the name of a label of a-z, 0-9 and _ that neither Prometheus nor the exporter sets"),
    label,
  )
  // Sorted by name, so that neither the order in the file nor another rule changes the keys of counters.
  .transform((written): readonly RuleLabel[] =>
    Object.entries(written)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, settings]) => ({ name, ...settings })),
  )
  .superRefine((read, { addIssue }) => {
    const known = read.reduce((product, { allow }) => product * allow.length, 1);
    if (known > MAX_KNOWN_SERIES)
      addIssue(`expected at most ${MAX_KNOWN_SERIES} combinations of allow, found ${known} combinations`);
  })
  .prefault({});

const value = z.strictObject({ path }).meta({ expected: "the value that the metric gets, as { path: value… }" });

const eventRule = z
  .strictObject({
    metric: z.string().max(200).meta({ expected: "the name of a metric" }),
    type: z.enum(TYPES),
    help: z.string().min(1).max(500).meta({ expected: "text of 1 to 500 characters" }),
    match: z.array(condition).min(1).max(20),
    labels,
    value: value.optional(),
  })
  .superRefine(({ metric, type, value }, { addIssue }) => {
    const reason = TYPES.includes(type) && typeof metric === "string" ? errorInMetricName(metric, type) : undefined;
    if (reason) addIssue({ code: "custom", path: ["metric"], message: AS_DESCRIBED, params: { reason } });
    if (type === "gauge" && value === undefined) addIssue({ code: "custom", path: ["value"], message: AS_DESCRIBED });
  }, always);

/** A checked event rule. */
export type EventRuleSettings = z.infer<typeof eventRule>;

/** The event rules of a contract. */
export const eventRules = z
  .array(eventRule)
  .max(100)
  .optional()
  .describe("Rules that map the events of the contract to metrics: see docs/event-rules.md.");

/** The families of metrics by their declarations. A metric keeps its family when its file is read again. */
export type Families = Map<string, Family>;

/** The families of the rules of a configuration. */
export interface Declared {
  readonly families: Families;
  /** The first declaration of each family name, and its place. */
  readonly first: Map<string, { readonly at: Path; readonly declaration: string }>;
}

/** Makes the rules of one contract from checked settings. @param issues receives what contradicts other rules */
export function readRules(
  list: readonly EventRuleSettings[],
  at: Path,
  declared: Declared,
  issues: Issue[],
): readonly EventRule[] {
  const rules = new Map<string, EventRule>();
  for (const [index, settings] of list.entries()) {
    const { match: conditions, value, labels } = settings;
    const family = familyOf(settings, [...at, index], declared, issues);
    const rule = { family, conditions, value: value?.path, labels };
    const fingerprint = fingerprintOf(rule);
    const again = "expected each rule once, found the metric, conditions, value and labels of another one";
    if (rules.has(fingerprint)) issues.push(issueAt([...at, index], again));
    rules.set(fingerprint, { fingerprint, ...rule });
  }
  return [...rules.values()];
}

function familyOf(
  { metric, type, help, labels: own }: EventRuleSettings,
  at: Path,
  { families, first: known }: Declared,
  issues: Issue[],
): Family {
  const names = own.map(({ name }) => name);
  const declaration = JSON.stringify([metric, type, help, names]);
  const first = known.get(familyName(metric)) ?? { at, declaration };
  known.set(familyName(metric), first);
  if (first.declaration !== declaration) {
    const message = `expected the metric, type, help and labels of ${formatPath(first.at)}, which makes the same family`;
    issues.push(issueAt(at, `${message}, found others`));
  }
  const labels = Object.fromEntries(names.map((label) => [label, "label of the rule"]));
  const family = families.get(declaration) ?? ofContract[type]({ name: metric, help, labels });
  families.set(declaration, family);
  return family;
}
