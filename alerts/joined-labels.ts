// Adds labels of the watch lists to the alerts about addresses and contracts, so that Alertmanager can route by them.
import { recordings } from "./index.ts";
import { INTERVALS } from "./model.ts";
import type { PrometheusGroup, PrometheusRule } from "./prometheus-rules.ts";
import { familyOf, namesIn, series, TARGET_LABELS } from "./series.ts";
import { DEFAULTS, filled, type Values } from "./values.ts";

/** The info families, by the label that identifies what they describe. */
const INFO = { address: "stacks_address_info", contract_id: "stacks_contract_info" } as const;

/** The kinds of watch lists. */
export type Kind = keyof typeof INFO;
const KINDS = Object.keys(INFO) as readonly Kind[];

/** Names of the labels to add. */
export type JoinedLabels = Readonly<Record<Kind, readonly string[]>>;

const keysOf = (kind: Kind): string => [...TARGET_LABELS, "network", "name", kind].join(", ");
const seenOf = (kind: Kind): string => `stacks:${INFO[kind].replace("stacks_", "")}:last_seen`;
const labelsOf = (kind: Kind): string => `stacks:${INFO[kind].replace("stacks_", "")}:newest`;

/** Labels that rules or Prometheus set, and words that PromQL takes for no label. */
const RESERVED: readonly string[] = [
  ...["alertname", "alertstate", "severity", "fee", "limit", "setting", "unit"],
  ...["inf", "nan", "without"],
];

/** The label names of each series in an expression, without info series. */
function labelSetsIn(expr: string): readonly (readonly string[])[] {
  return namesIn(expr)
    .filter((name) => !Object.values<string>(INFO).includes(name))
    .map((name) => familyOf(name)?.labelNames ?? recordings.find(({ record }) => record === name)?.labels ?? []);
}

/** The kinds of watch lists that an alert is about, by the labels of its series. */
const kindsOf = (expr: string): readonly Kind[] =>
  KINDS.filter((kind) => labelSetsIn(expr).some((labels) => labels.includes(kind) && labels.includes("name")));

/** Labels that cannot be added, because a rule, a target or a series of an alert already has a label of that name. */
export function takenLabels(
  groups: readonly PrometheusGroup[],
  { address, contract_id }: JoinedLabels,
  values: Values = DEFAULTS,
): string[] {
  const exprs = groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
  const taken = new Set<string>([
    ...RESERVED,
    ...filled(TARGET_LABELS, values),
    ...Object.keys(values.additionalLabels),
    ...exprs
      .filter((expr) => kindsOf(expr).length > 0)
      .flatMap(labelSetsIn)
      .flat(),
  ]);
  return [...new Set([...address, ...contract_id])].filter((label) => taken.has(label));
}

/**
 * Adds labels to the alerts about addresses and contracts of watch lists, except labels that are taken.
 * @param labels default: the group, which every watch list has
 */
export function withJoinedLabels(
  groups: readonly PrometheusGroup[],
  labels: JoinedLabels = { address: ["group"], contract_id: ["group"] },
  values: Values = DEFAULTS,
): PrometheusGroup[] {
  const taken = takenLabels(groups, labels, values);
  const added = {
    address: labels.address.filter((label) => !taken.includes(label)),
    contract_id: labels.contract_id.filter((label) => !taken.includes(label)),
  };
  const joined = groups.map((group) => ({ ...group, rules: group.rules.map((rule) => joinedRule(rule, added)) }));
  const rules = KINDS.flatMap(newestLabels);
  return [{ name: "stacks-labels", interval: INTERVALS.rules, rules }, ...joined];
}

// After a change of labels, a principal has two info series for a while, and the join would fail. So use the newest,
// also for an hour while there is none, for instance because the exporter is down.
function newestLabels(kind: Kind): PrometheusRule[] {
  return [
    { record: seenOf(kind), expr: `timestamp(${series(INFO[kind])})` },
    { record: labelsOf(kind), expr: `topk by (${keysOf(kind)}) (1, last_over_time(${seenOf(kind)}[1h])) ^ 0` },
  ];
}

// While no labels are known, the alert fires without them: the last operand of `or`.
function joinedRule(rule: PrometheusRule, labels: JoinedLabels): PrometheusRule {
  if (rule.alert === undefined) return rule;
  const kinds = kindsOf(rule.expr).filter((kind) => labels[kind].length > 0);
  if (kinds.length === 0) return rule;
  const condition = `(\n${rule.expr}\n)`;
  const joins = kinds.map(
    (kind) => `${condition}\n* on (${keysOf(kind)}) group_left (${labels[kind].join(", ")}) ${labelsOf(kind)}`,
  );
  const added = [...new Set(kinds.flatMap((kind) => labels[kind]))].join(", ");
  return { ...rule, expr: `${joins.join("\nor\n")}\nor ignoring (${added})\n${condition}` };
}
