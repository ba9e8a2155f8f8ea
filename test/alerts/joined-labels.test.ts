// Alerts with and without labels of the watch lists.
import { describe, expect, test } from "@jest/globals";
import { takenLabels, withJoinedLabels } from "../../alerts/joined-labels.ts";
import { DEFAULTS } from "../../alerts/values.ts";
import { groups } from "./rules.ts";

const LABELS = { address: ["group", "team"], contract_id: ["group", "owner"] };

describe("a label is taken", () => {
  test.each(["severity", "alertname", "asset", "direction", "without"])(
    "that rules or series of these alerts have: %s",
    (label) => {
      const labels = { ...LABELS, address: ["group", label, "team"] };

      expect(takenLabels(groups, labels)).toEqual([label]);
      expect(withJoinedLabels(groups, labels)).toEqual(withJoinedLabels(groups, LABELS));
    },
  );

  test("that rules about addresses and contracts set", () => {
    const about = withJoinedLabels(groups).flatMap(({ rules }) =>
      rules.filter(({ expr }) => /_info:newest/.test(expr)),
    );
    const set = about.flatMap(({ expr }) => [
      ...expr.matchAll(/, "(\w+)", "[^"]*", "", ""\)|count_values without \(\) \("(\w+)"/g),
    ]);
    const names = [...new Set(set.map(([, constant, value]) => constant ?? value ?? ""))];

    expect(names).toEqual(expect.arrayContaining(["limit", "setting"]));
    expect(takenLabels(groups, { address: names, contract_id: [] })).toEqual(names);
  });

  test("that the values add to every alert", () => {
    expect(takenLabels(groups, LABELS, { ...DEFAULTS, additionalLabels: { team: "a" } })).toEqual(["team"]);
  });

  test("but not if only series of other alerts have it", () => {
    expect(takenLabels(groups, { address: ["upstream", "family"], contract_id: ["owner"] })).toEqual([]);
  });
});
