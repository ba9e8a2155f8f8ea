// Alerts with and without labels of the watch lists.
import { describe, expect, test } from "@jest/globals";
import { takenLabels, withJoinedLabels } from "../../alerts/joined-labels.ts";
import type { PrometheusGroup } from "../../alerts/prometheus-rules.ts";
import { parsePromql } from "../support/promql.ts";
import { groups } from "./rules.ts";

const LABELS = { address: ["group", "team"], contract_id: ["group", "owner"] };

const rulesOf = (of: readonly PrometheusGroup[]) =>
  new Map(of.flatMap(({ rules }) => rules.map((rule) => [rule.alert ?? rule.record, rule])));

test("rules stay valid", () => {
  for (const { expr } of rulesOf(withJoinedLabels(groups, LABELS)).values()) {
    expect(parsePromql(expr).selectors.length).toBeGreaterThan(0);
  }
});

describe("a label is taken", () => {
  test.each(["severity", "alertname", "asset", "direction"])(
    "that rules or series of these alerts have: %s",
    (label) => {
      const labels = { ...LABELS, address: ["group", label, "team"] };

      expect(takenLabels(groups, labels)).toEqual([label]);
      expect(withJoinedLabels(groups, labels)).toEqual(withJoinedLabels(groups, LABELS));
    },
  );

  test("but not if only series of other alerts have it", () => {
    expect(takenLabels(groups, { address: ["upstream", "family"], contract_id: ["owner"] })).toEqual([]);
  });
});
