// promtool checks that two exporters of the same job and instance, in two clusters, each have their own alerts.
import { expect, test } from "@jest/globals";
import { rulesWith } from "../../alerts/prometheus-rules.ts";
import { DEFAULTS } from "../../alerts/values.ts";
import { describeWith } from "../support/installed.ts";
import { type Scenario, type TestedRule, trials } from "../support/promtool.ts";
import { rules } from "./rules.ts";
import { scenarios } from "./scenarios/index.ts";

const PLACES = [
  { cluster: "eu", namespace: "stacks" },
  { cluster: "us", namespace: "stacks-us" },
];

/** The scenario in both places at once: every alert is expected from each of them. */
const inBoth = (scenario: Scenario): Scenario => ({
  ...scenario,
  series: Object.fromEntries(
    Object.entries(scenario.series).flatMap(([series, values]) =>
      PLACES.map(({ cluster, namespace }) => [
        series.replace("{", `{cluster="${cluster}", namespace="${namespace}", `),
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
const tested = scenarios.filter(({ alert }) => alert !== "StacksExporterAbsent");

async function failures(tested: readonly Scenario[], rules: readonly TestedRule[]): Promise<string[]> {
  const found = await trials(tested, rules);
  return found.flatMap((text, index) => (text === "" ? [] : [`${tested[index]?.name}: ${text}`]));
}

describeWith("promtool")("with promtool (Debian: apt-get install prometheus)", () => {
  test("every alert fires in each place", async () => {
    expect(tested.length).toBeGreaterThan(100);
    expect(await failures(tested.map(inBoth), rules)).toEqual([]);
  }, 600_000);

  test("every alert fires once in each place with rules for each, which select its series", async () => {
    const firing = tested.filter(({ expect }) => expect.some(({ firing }) => firing.length > 0));
    const oneOfEach = [...Map.groupBy(firing, ({ alert }) => alert).values()].flatMap(([first]) => first ?? []);
    const own = PLACES.flatMap(({ cluster: by }) =>
      rulesWith({ ...DEFAULTS, disabled: {}, selector: `cluster="${by}"`, additionalLabels: { by } }),
    );

    expect(oneOfEach.length).toBeGreaterThan(30);
    expect(
      await failures(
        oneOfEach.map(inBoth),
        own.flatMap(({ rules }) => rules),
      ),
    ).toEqual([]);
  }, 600_000);
});
