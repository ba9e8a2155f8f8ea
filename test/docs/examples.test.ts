// The example queries of the page of metrics: that they parse, and ask for what exists.
import { describe, expect, test } from "@jest/globals";
import { collectors } from "../../src/collectors/index.ts";
import type { Family } from "../../src/exposition/family.ts";
import { selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { examples } from "../../tools/generate/examples.ts";
import { parsePromql } from "../support/promql.ts";

const families = new Map(
  [...collectors.flatMap((collector): readonly Family[] => collector.families), ...selfMetrics].map((family) => [
    family.name,
    family,
  ]),
);
// Set by Prometheus: on every series, and on the buckets of a histogram.
const TARGET_LABELS = ["job", "instance"];

/** The family of a series name: a histogram has three of them. */
function familyOf(series: string): Family | undefined {
  const base = series.replace(/_(bucket|sum|count)$/, "");
  const histogram = families.get(base);
  return histogram?.kind === "histogram" && base !== series ? histogram : families.get(series);
}

test("every family has one, and there is none for a family that is gone", () => {
  expect(Object.keys(examples).sort()).toEqual([...families.keys()].sort());
});

describe.each(Object.entries(examples))("%s", (name, query) => {
  const { errors, selectors, groupings } = parsePromql(query);

  test("parses, and asks for the family", () => {
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

  test("takes rates of counters, and of nothing else", () => {
    for (const { metric, within } of selectors) {
      const isTotal = familyOf(metric)?.kind !== "gauge";
      expect([metric, within.some((name) => ["rate", "increase"].includes(name))]).toEqual([metric, isTotal]);
    }
  });
});
