import type { Scenario } from "../../support/promtool.ts";
import { limitScenarios } from "./limits.ts";
import { readScenarios } from "./read.ts";
import { tipScenarios } from "./tips.ts";
import { totalScenarios } from "./totals.ts";

/** Every scenario of every alert. */
export const scenarios: readonly Scenario[] = [
  ...["fees.yaml", "addresses.yaml", "contracts.yaml", "exporter.yaml"].flatMap(readScenarios),
  ...limitScenarios,
  ...tipScenarios,
  ...totalScenarios,
];
