import { expect, test } from "@jest/globals";
import { deniedWarnings } from "../../src/commands/denied-metrics.ts";

test("does not report metrics that are exposed or not needed", () => {
  expect(deniedWarnings({ metrics: { allow: [], deny: ["no_alert_needs_this"] } })).toEqual([]);
});

test("the alerts that need a metric are named, also those that need it by a recording rule, and the dashboards", () => {
  const [warning, ...others] = deniedWarnings({
    metrics: { allow: [], deny: ["stacks_address_transactions_total"] },
  });

  expect(others).toEqual([]);
  expect(warning).toMatch(/^metrics: stacks_address_transactions_total is not exposed and is needed by /);
  expect(warning).toMatch(/StacksOwnFeeAboveMarket, StacksAddressTransactionsFailing, .*the dashboards .*Addresses/);
});

test("only the allowed metrics are exposed", () => {
  const warnings = deniedWarnings({ metrics: { allow: ["stacks_mempool_*"], deny: [] } });

  expect(warnings.some((text) => text.includes("stacks_up is not exposed"))).toBe(true);
  expect(warnings.some((text) => text.includes("stacks_mempool_"))).toBe(false);
});
