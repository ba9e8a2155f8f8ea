// Alerts with and without labels of the watch lists.
import { describe, expect, test } from "@jest/globals";
import { alerts } from "../../alerts/index.ts";
import { takenLabels, withJoinedLabels } from "../../alerts/joined-labels.ts";
import type { PrometheusGroup } from "../../alerts/prometheus-rules.ts";
import { parsePromql } from "../support/promql.ts";
import { groups } from "./rules.ts";

const LABELS = { address: ["group", "team"], contract_id: ["group", "owner"] };

const rulesOf = (of: readonly PrometheusGroup[]) =>
  new Map(of.flatMap(({ rules }) => rules.map((rule) => [rule.alert ?? rule.record, rule])));

test("alerts get them whose summary has the name of an address or a contract, and no other rule changes", () => {
  const before = rulesOf(groups);
  const after = rulesOf(withJoinedLabels(groups, LABELS));
  const changed = [...before].filter(([name, rule]) => after.get(name)?.expr !== rule.expr).map(([name]) => name);
  const named = alerts.filter(({ summary }) => summary.includes("$labels.name")).map(({ alert }) => alert);

  expect(named.length).toBeGreaterThan(15);
  expect([...changed].sort()).toEqual([...named].sort());
  for (const [name, rule] of before) expect({ ...after.get(name), expr: rule.expr }).toEqual(rule);
});

test("rules stay valid", () => {
  for (const { expr } of rulesOf(withJoinedLabels(groups, LABELS)).values()) {
    expect(parsePromql(expr).selectors.length).toBeGreaterThan(0);
  }
});

test("an alert of addresses and contracts gets the labels of both", () => {
  const { expr = "" } = rulesOf(withJoinedLabels(groups, LABELS)).get("StacksLabelOverflow") ?? {};

  expect(expr).toContain(
    "* on (job, instance, network, name, address) group_left (group, team) stacks:address_info:newest\nor",
  );
  expect(expr).toContain(
    "* on (job, instance, network, name, contract_id) group_left (group, owner) stacks:contract_info:newest\nor",
  );
  expect(expr).toContain("or ignoring (group, team, owner)\n(");
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
