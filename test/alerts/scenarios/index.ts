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

/** Of each alert the scenario with the most series in which it fires. */
export const largest: readonly Scenario[] = [
  ...Map.groupBy(
    scenarios.filter(({ expect }) => expect.some(({ firing }) => firing.length > 0)),
    ({ alert }) => alert,
  ).values(),
].flatMap((some) => some.toSorted((a, b) => seriesOf(b) - seriesOf(a)).slice(0, 1));

function seriesOf({ series }: Scenario): number {
  return Object.keys(series).length;
}
