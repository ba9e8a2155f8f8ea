import { describe, expect, test } from "@jest/globals";
import { collectorFamilies } from "../../src/collectors/index.ts";
import { errorInMetricName } from "../../src/config/event-rules.ts";
import { Instruments, selfMetrics } from "../../src/telemetry/self-metrics.ts";

test("the name of every built-in metric is refused", () => {
  const families = [...collectorFamilies, ...selfMetrics, ...new Instruments().watchProcess()];

  const accepted = families.filter(
    ({ name, kind }) => errorInMetricName(name, kind === "counter" ? kind : "gauge") === undefined,
  );

  expect(families.length).toBeGreaterThan(100);
  expect(accepted.map(({ name }) => name)).toEqual([]);
});

describe("a name", () => {
  test.each([
    ["stacks_app_swaps_total", "counter"],
    ["amm_swap_in_units_total", "counter"],
    ["amm_price_ratio", "gauge"],
    ["AMM_swaps_total", "counter"],
  ] as const)("%s is one of a %s", (name, kind) => {
    expect(errorInMetricName(name, kind)).toBeUndefined();
  });

  test.each([
    ...["stacks_app_", "stacks_swaps_total", "9lives_total", "amm-swaps_total", "", "up", "ALERTS", "amm_swaps"].map(
      (name) => [name, "counter"] as const,
    ),
    ...["amm_total", "amm_bucket", "amm_count", "amm_sum", "amm_created"].map((name) => [name, "gauge"] as const),
  ])("%j is not one of a %s", (name, kind) => {
    expect(errorInMetricName(name, kind)).toBeDefined();
  });
});
