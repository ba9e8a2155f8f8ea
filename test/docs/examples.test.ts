// The example queries of docs/metrics.md parse, and select existing series.
import { describe, expect, test } from "@jest/globals";
import { familyOf } from "../../alerts/series.ts";
import { collectorFamilies } from "../../src/collectors/index.ts";
import { selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { examples } from "../../tools/generate/examples.ts";
import { parsePromql } from "../support/promql.ts";

const families = [...collectorFamilies, ...selfMetrics];
// Set by Prometheus: on every series, and on the buckets of a histogram.
const TARGET_LABELS = ["job", "instance"];

test("every family has one, and each belongs to a family", () => {
  expect(Object.keys(examples).sort()).toEqual(families.map(({ name }) => name).sort());
});

describe.each(Object.entries(examples))("%s", (name, query) => {
  const { errors, selectors, groupings } = parsePromql(query);

  test("parses, and selects the family", () => {
    expect(errors).toEqual([]);
    expect(selectors.map(({ metric }) => familyOf(metric)?.name)).toContain(name);
    expect(selectors.filter(({ metric }) => familyOf(metric) === undefined)).toEqual([]);
  });

  test("names labels that exist, and values that can occur", () => {
    for (const { metric, matchers } of selectors) {
      const labels = familyOf(metric)?.labels ?? {};
      for (const { label, value } of matchers) {
        expect(Object.keys(labels)).toContain(label);
        const values = labels[label]?.values;
        if (values !== undefined) expect(values).toContain(value);
      }
    }
    const known = new Set(selectors.flatMap(({ metric }) => familyOf(metric)?.labelNames ?? []));
    const named = groupings.flatMap(({ labels }) => labels);
    expect(named.filter((label) => !known.has(label) && !TARGET_LABELS.includes(label))).toEqual([]);
  });

  test("takes rates of counters only", () => {
    for (const { metric, within } of selectors) {
      const isTotal = familyOf(metric)?.kind !== "gauge";
      expect([metric, within.some((name) => ["rate", "increase"].includes(name))]).toEqual([metric, isTotal]);
    }
  });
});
