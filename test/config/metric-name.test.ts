import { spawnSync } from "node:child_process";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { collectorFamilies } from "../../src/collectors/index.ts";
import { errorInMetricName } from "../../src/config/metric-name.ts";
import { Instruments } from "../../src/telemetry/instruments.ts";
import { selfMetrics } from "../../src/telemetry/self-metrics.ts";
import { describeWith } from "../support/installed.ts";

const KINDS = ["counter", "gauge", "histogram"] as const;

test("the name of every built-in metric is refused", () => {
  const families = [...collectorFamilies, ...selfMetrics, ...new Instruments().watchProcess()];

  const accepted = families.filter(({ name, kind }) => errorInMetricName(name, kind) === undefined);

  expect(families.length).toBeGreaterThan(100);
  expect(accepted.map(({ name }) => name)).toEqual([]);
});

describe("a name", () => {
  test.each([
    ["stacks_app_swaps_total", "counter"],
    ["amm_swap_in_units_total", "counter"],
    ["amm_price_ratio", "gauge"],
    ["AMM_swaps_total", "counter"],
    ["amm_trade_microstx", "histogram"],
  ] as const)("%s is one of a %s", (name, kind) => {
    expect(errorInMetricName(name, kind)).toBeUndefined();
  });

  test.each(["stacks_app_", "stacks_swaps_total", "9lives_total", "amm-swaps_total", "", "up", "ALERTS"])(
    "%j is refused",
    (name) => {
      expect(errorInMetricName(name, "counter")).toBeDefined();
    },
  );
});

const WORDS = "amm swap Swap swapIn in total count sum bucket counter gauge summary histogram s ms b sec d info".split(
  " ",
);
const UNITS =
  "seconds minutes milliseconds microstx bytes bits kelvins celsius metres miles kilometers volts millivolts";

describeWith("promtool")("names", () => {
  test("are refused exactly if promtool reports them", () => {
    const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 2 });
    // Old versions of promtool report either of two units.
    const name = fc.tuple(words, fc.constantFrom("x", ...UNITS.split(" ")), words).map((parts) => parts.flat());
    const names = fc.sample(fc.tuple(fc.constantFrom(...KINDS), name), { numRuns: 1500, seed: 13 });
    const metrics = new Map(names.map(([kind, words], index) => [`x${index}_${words.join("_")}`, kind]));
    const page = [...metrics].map(([metric, kind]) => {
      const head = `# HELP ${metric} Help.\n# TYPE ${metric} ${kind}\n`;
      if (kind !== "histogram") return `${head}${metric} 1\n`;
      return `${head}${metric}_bucket{le="+Inf"} 1\n${metric}_sum 1\n${metric}_count 1\n`;
    });

    const { stderr } = spawnSync("promtool", ["check", "metrics"], { input: page.join(""), encoding: "utf8" });

    const reported = new Set(stderr.split("\n").map((line) => line.split(" ")[0] ?? ""));
    const different = [...metrics].filter(
      ([metric, kind]) => reported.has(metric) !== (errorInMetricName(metric, kind) !== undefined),
    );
    expect(different).toEqual([]);
    expect(reported.size).toBeGreaterThan(500);
  });
});
