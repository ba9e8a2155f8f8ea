// Alerts with and without labels of the watch lists.
import { describe, expect, test } from "@jest/globals";
import { takenLabels, withJoinedLabels } from "../../alerts/joined-labels.ts";
import { groups } from "./rules.ts";

const LABELS = { address: ["group", "team"], contract_id: ["group", "owner"] };

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
