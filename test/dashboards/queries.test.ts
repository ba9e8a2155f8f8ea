// Parses the queries of dashboards, rules and runbooks, and checks their series, labels, selectors and functions.
import { describe, expect, test } from "@jest/globals";
import { recordings } from "../../alerts/index.ts";
import { familyOf } from "../../alerts/series.ts";
import { processFamilies } from "../../dashboards/select.ts";
import { collectorFamilies } from "../../src/collectors/index.ts";
import { selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { queries as queriesOfRules } from "../alerts/rules.ts";
import { dashboards, type BoardQuery as Query, queriesOf, selectorOfVariable } from "../support/dashboards.ts";
import { parsePromql, type Selector, withoutFirstValues, withoutVariables } from "../support/promql.ts";

const TARGET_LABELS = ["cluster", "namespace", "job", "instance"];
const ALERT_LABELS = [...TARGET_LABELS, "network", "name", "collector", "alertname", "alertstate", "severity"];
// Functions whose argument can be a counter.
const OF_COUNTERS = new Set(["rate", "increase", "irate", "resets", "changes", "present_over_time", "max_over_time"]);

interface Known {
  readonly labels: readonly string[];
  readonly isCounter: boolean;
  readonly isOpen: boolean;
}

// Series of a node and a signer, which others scrape.
const OTHERS: Readonly<Record<string, Known>> = {
  stacks_node_stacks_tip_height: { labels: ["instance"], isCounter: false, isOpen: true },
  stacks_signer_block_responses_sent: { labels: ["instance", "response_type"], isCounter: true, isOpen: true },
};

/** The labels that a selector may match; undefined if there is no such series. */
function known({ metric }: Pick<Selector, "metric">): Known | undefined {
  if (metric === "ALERTS") return { labels: ALERT_LABELS, isCounter: false, isOpen: false };
  if (metric === "up" || processFamilies.has(metric))
    return { labels: TARGET_LABELS, isCounter: metric.endsWith("_total"), isOpen: false };
  if (OTHERS[metric] !== undefined) return OTHERS[metric];
  const recording = recordings.find(({ record }) => record === metric);
  if (recording !== undefined)
    return { labels: [...TARGET_LABELS, ...recording.labels], isCounter: false, isOpen: false };
  const family = familyOf(metric);
  if (family === undefined) return undefined;
  return {
    labels: [...TARGET_LABELS, ...family.labelNames],
    isCounter: family.kind !== "gauge",
    isOpen: family.isOpen,
  };
}

const all: readonly Query[] = dashboards.flatMap(queriesOf);
const ofRules: readonly Query[] = queriesOfRules.map((query) => ({ ...query, legend: "" }));
// `withoutVariables` replaces variables by names, so text boxes for numbers are replaced first.
const numbers = dashboards.flatMap(({ templating }) => templating.list.filter(({ type }) => type === "textbox"));
const parse = ({ expr }: Pick<Query, "expr">) =>
  parsePromql(withoutVariables(numbers.reduce((text, { name }) => text.replaceAll(`$${name}`, "1"), expr)));
/** The labels that label_replace adds in a query. */
const made = (expr: string) =>
  [...expr.matchAll(/, "(\w+)", "[^"]*", "\w*", "[^"]*"\)/g)].map(([, label]) => label ?? "");
// Many configurations for Kubernetes add the first one; the second one is a value.
const ADDED = ["pod", "limit"];
const labelsIn = (query: Query) =>
  new Set([
    ...ADDED,
    ...parse(query).selectors.flatMap((selector) => known(selector)?.labels ?? []),
    ...made(query.expr),
  ]);

const find = (queries: readonly Query[], what: (query: Query) => readonly string[]) =>
  queries.flatMap((query) => what(query).map((found) => `${query.at}: ${found}`));
const findSelectors = (queries: readonly Query[], what: (selector: Selector, query: Query) => readonly string[]) =>
  find(queries, (query) => parse(query).selectors.flatMap((selector) => what(selector, query)));

describe.each([
  ...dashboards.map((dashboard) => [dashboard.uid, queriesOf(dashboard), dashboard.templating.list] as const),
  ["rules and runbooks", ofRules, []] as const,
])("%s: every query", (_, queries, variables) => {
  test("is PromQL, and selects something", () => {
    expect(queries.length).toBeGreaterThan(10);
    expect(find(queries, (query) => parse(query).errors)).toEqual([]);
    expect(find(queries, (query) => (parse(query).selectors.length === 0 ? ["nothing"] : []))).toEqual([]);
  });

  test("uses series that exist, by labels and values that they have", () => {
    expect(
      findSelectors(queries, (selector) => {
        const { metric, matchers } = selector;
        const found = known(selector);
        if (found === undefined) return [`no family or rule gives ${metric}`];
        const labels = (familyOf(metric)?.labels ?? {}) as Record<string, { values?: readonly string[] }>;
        return matchers.flatMap(({ label, op, value }) => {
          if (!found.labels.includes(label)) return [`${metric} has no label ${label}`];
          const values = labels[label]?.values;
          if (values === undefined || op === "!=" || op === "!~") return [];
          const wanted = op === "=" ? [value] : value.split("|");
          return wanted
            .filter((one) => !values.includes(one) && !variables.some(({ name }) => name === one))
            .map((one) => `${metric} has no ${label} ${one}`);
        });
      }),
    ).toEqual([]);
  });

  test("has counters within a function, and rates of counters only", () => {
    expect(
      find(queries, (query) =>
        parse({ ...query, expr: withoutFirstValues(query.expr) }).selectors.flatMap((selector) => {
          const rated = selector.within.some((name) => ["rate", "increase", "irate"].includes(name));
          const { isCounter = false } = known(selector) ?? {};
          if (isCounter && !selector.within.some((name) => OF_COUNTERS.has(name)))
            return [`a bare counter: ${selector.metric}`];
          return rated && !isCounter ? [`the rate of a gauge: ${selector.metric}`] : [];
        }),
      ),
    ).toEqual([]);
  });

  test("groups, joins and names its results by labels that one of its series has", () => {
    expect(
      find(queries, (query) => {
        const labels = labelsIn(query);
        const named = [
          ...parse(query).groupings.flatMap((grouping) => grouping.labels),
          ...[...query.legend.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, label]) => label ?? ""),
        ];
        return named.filter((label) => !labels.has(label)).map((label) => `nothing here has a label ${label}`);
      }),
    ).toEqual([]);
  });
});

describe.each(dashboards.map((dashboard) => [dashboard.uid, dashboard] as const))("%s", (_uid, dashboard) => {
  const queries = queriesOf(dashboard);

  test("every selector is restricted to the chosen exporters and network", () => {
    expect(
      findSelectors(queries, ({ metric, matchers }, query) => {
        const labels = OTHERS[metric] === undefined ? known({ metric })?.labels : [];
        const wanted = (labels ?? []).filter((label) => [...TARGET_LABELS, "network"].includes(label));
        const has = (label: string) =>
          matchers.some(
            (matcher) => matcher.label === label && matcher.op === "=~" && matcher.value.replace("|", "") === label,
          );
        return [
          ...wanted.filter((label) => !has(label)).map((label) => `${metric} lacks ${label}=~"$${label}"`),
          // A constant can equal the replacement of a variable by `withoutVariables`.
          ...wanted.filter((label) => !query.expr.includes(`${label}=~"$${label}`)),
        ];
      }),
    ).toEqual([]);
  });

  test("no expression joins exporters of several places", () => {
    const found = queries.flatMap(({ at, expr }) =>
      parsePromql(withoutVariables(expr))
        .groupings.filter(({ labels }) => labels.includes("job"))
        .filter(({ labels }) => !TARGET_LABELS.every((label) => labels.includes(label)))
        .map(({ labels }) => `${at}: ${labels.join(", ")}`),
    );

    expect(found).toEqual([]);
  });

  test("variables use series and labels that always exist", () => {
    const filled = dashboard.templating.list.filter(({ type }) => type === "query");

    expect(filled.length).toBeGreaterThanOrEqual(3);
    for (const variable of filled) {
      const { errors, selectors } = parsePromql(withoutVariables(selectorOfVariable(variable)));
      const found = known(selectors[0] ?? { metric: "" });
      const label = /, (\w+)\)$/.exec(variable.query)?.[1] ?? "";

      expect(errors).toEqual([]);
      expect(found?.labels).toContain(label);
      expect(found?.isCounter).toBe(false);
    }
  });
});

// The page about wallets shows queries for the sums of groups: most configurations have no such group.
test("every family is used by a dashboard, a rule or a runbook, except the sums of groups", () => {
  const used = [...all, ...ofRules].flatMap((query) =>
    parse(query).selectors.map(({ metric }) => familyOf(metric)?.name),
  );
  const unused = [...collectorFamilies, ...selfMetrics].map(({ name }) => name).filter((name) => !used.includes(name));

  expect(unused.filter((name) => !name.startsWith("stacks_group_"))).toEqual([]);
});
