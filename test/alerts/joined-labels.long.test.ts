// promtool checks that the rules with labels of the watch lists give the same alerts, with those labels.
import { beforeAll, expect, test } from "@jest/globals";
import { withJoinedLabels } from "../../alerts/joined-labels.ts";
import { rulesWith, ruleTemplate } from "../../alerts/prometheus-rules.ts";
import { DEFAULTS } from "../../alerts/values.ts";
import { describeWith } from "../support/installed.ts";
import { hold, type Scenario, trials } from "../support/promtool.ts";
import { largest } from "./scenarios/index.ts";
import { scenariosOf } from "./scenarios/read.ts";

const LABELS = { address: ["group", "team"], contract_id: ["group", "team"] };
const rules = rulesWith({ ...DEFAULTS, disabled: {} }, withJoinedLabels(ruleTemplate, LABELS)).flatMap(
  ({ rules }) => rules,
);
const joined = new Set(
  rules.filter(({ alert, expr }) => alert !== undefined && expr.includes("_info:newest")).map(({ alert }) => alert),
);

// Longer than every scenario.
const ALWAYS = hold(1, 50_000);

const isInfo = (series: string) => /^stacks_(address|contract)_info\{/.test(series);
const labelOf = (series: string, name: string) => new RegExp(`[{ ,]${name}="([^"]*)"`).exec(series)?.[1];

/** The info series of the address or the contract of a series; undefined if it is of neither. */
function infoOf(series: string, team: string): string | undefined {
  const kind = ["address", "contract_id"].find((name) => labelOf(series, name) !== undefined);
  if (kind === undefined || labelOf(series, "name") === undefined) return undefined;
  const identity = ["network", "job", "instance", "name", kind].map((name) => `${name}="${labelOf(series, name)}"`);
  return `stacks_${kind.replace("_id", "")}_info{${identity.join(", ")}, group="", team="${team}"}`;
}

/** Every address and contract of a scenario with the label `team`, which is then expected. */
function withTeam(scenario: Scenario): Scenario {
  const own = Object.entries(scenario.series).map(([series, values]) => [
    isInfo(series) ? series.replace("{", '{team="payments", ') : series,
    values,
  ]);
  const added = Object.keys(scenario.series).some(isInfo)
    ? []
    : Object.keys(scenario.series).flatMap((series) => {
        const info = infoOf(series, "payments");
        return info === undefined ? [] : [[info, ALWAYS]];
      });
  return {
    ...scenario,
    series: Object.fromEntries([...own, ...added]),
    expect: scenario.expect.map(({ at, firing }) => ({
      at,
      firing: firing.map((labels) => ({ ...labels, team: "payments" })),
    })),
  };
}

const lost = scenariosOf("StacksAddressOutflowHigh", {
  labels: { name: "payer", team: "payments" },
  given: { outflow: 2, "max-outflow": 1 },
  "keeps its labels while the info series is absent for less than an hour": {
    "info payments": "1*20 gone*58 1",
    expect: "firing 20 40 77 78 90",
  },
  // The alert with them is kept firing for a quarter of an hour.
  "fires without them when they are absent for longer": {
    "info payments": "1*20 gone",
    expect: "firing 79; firing name=payer team=payments + name=payer 85; firing name=payer 100",
  },
  "has the new labels after a change of the watch list": {
    "info payments": "1*20 gone",
    "info treasury": "none*20 1",
    expect: "firing 19; firing name=payer team=treasury 40",
  },
  "has the new labels when the exporter restarts with them": {
    "info payments": "1*20 gone",
    "info treasury": "none*30 1",
    expect: "firing name=payer team=treasury 50",
  },
  "quiet: within its limit": { outflow: 1, "info payments": 1, expect: "quiet 20 90" },
});

const about = largest.filter(({ alert }) => joined.has(alert));
const all = [...about.map(withTeam), ...lost];

test("every alert about an address or a contract is tried", () => {
  expect(joined.size).toBeGreaterThan(15);
  expect(new Set(about.map(({ alert }) => alert))).toEqual(joined);
});

describeWith("promtool")("with promtool (Debian: apt-get install prometheus)", () => {
  let outputs: readonly string[];
  beforeAll(async () => {
    outputs = await trials(all, rules);
  });

  test.each(all.map(({ name }, index) => ({ name, index })))("$name", ({ index }) => {
    expect(outputs[index]).toBe("");
  });
});
