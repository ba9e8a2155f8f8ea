// promtool checks that two exporters of the same job and instance, in two clusters, each have their own alerts, with
// every label of their target.
import { expect, test } from "@jest/globals";
import { rulesWith } from "../../alerts/prometheus-rules.ts";
import { DEFAULTS } from "../../alerts/values.ts";
import { describeWith } from "../support/installed.ts";
import { type Scenario, trials } from "../support/promtool.ts";
import { rules } from "./rules.ts";
import { largest } from "./scenarios/index.ts";

const PLACES = [
  { cluster: "eu", namespace: "stacks", zone: "a" },
  { cluster: "us", namespace: "stacks-us", zone: "b" },
];

/** The scenario in both places at once: every alert is expected from each of them. */
const inBoth = (scenario: Scenario): Scenario => ({
  ...scenario,
  series: Object.fromEntries(
    Object.entries(scenario.series).flatMap(([series, values]) =>
      PLACES.map(({ cluster, namespace, zone }) => [
        series.replace("{", `{cluster="${cluster}", namespace="${namespace}", zone="${zone}", `),
        values,
      ]),
    ),
  ),
  expect: scenario.expect.map(({ at, firing }) => ({
    at,
    firing: firing.flatMap((labels) => PLACES.map((place) => ({ ...labels, ...place }))),
  })),
});

// StacksExporterAbsent is about no exporter at all, so it has no place.
const tested = largest.filter(({ alert }) => alert !== "StacksExporterAbsent").map(inBoth);

const own = PLACES.flatMap(({ cluster: by }) =>
  rulesWith({ ...DEFAULTS, disabled: {}, selector: `cluster="${by}"`, additionalLabels: { by } }),
).flatMap(({ rules }) => rules);

describeWith("promtool")("with promtool (Debian: apt-get install prometheus)", () => {
  test.each([
    ["the same rules", rules],
    ["rules for each, which select its series", own],
  ])("every alert fires once in each place with %s", async (_, of) => {
    const found = await trials(tested, of);

    expect(tested.length).toBeGreaterThan(30);
    expect(found.flatMap((text, index) => (text === "" ? [] : [`${tested[index]?.name}: ${text}`]))).toEqual([]);
  });
});
