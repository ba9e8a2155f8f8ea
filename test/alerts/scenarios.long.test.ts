// promtool checks for each alert that it fires when it should, and does not when it should not.
import { beforeAll, expect, test } from "@jest/globals";
import { alerts } from "../../alerts/index.ts";
import { describeWith } from "../support/installed.ts";
import { annotationsOf, trials } from "../support/promtool.ts";
import { rules } from "./rules.ts";
import { scenarios } from "./scenarios/index.ts";

const suite = describeWith("promtool");

test("every alert has scenarios in which it fires and in which it does not", () => {
  const fired = new Set<string>();
  const kept = new Set<string>();
  for (const { alert, expect } of scenarios) {
    if (expect.some(({ firing }) => firing.length > 0)) fired.add(alert);
    if (expect.every(({ firing }) => firing.length === 0)) kept.add(alert);
  }
  const names = alerts.map(({ alert }) => alert as string).sort();

  expect([...fired].sort()).toEqual(names);
  expect([...kept].sort()).toEqual(names);
  expect(new Set(scenarios.map(({ name }) => name)).size).toBe(scenarios.length);
});

suite("with promtool (Debian: apt-get install prometheus)", () => {
  let outputs: readonly string[];
  beforeAll(async () => {
    outputs = await trials(scenarios, rules);
  });

  test.each(scenarios.map(({ name }, index) => ({ name, index })))("$name", ({ index }) => {
    expect(outputs[index]).toBe("");
  });

  test.each(alerts.map(({ alert }) => alert))("the annotations of %s have every label filled in", async (alert) => {
    const scenario = scenarios.find((one) => one.alert === alert && one.expect.some(({ firing }) => firing.length > 0));
    if (scenario === undefined) throw new Error(`no scenario has ${alert} firing`);

    const { summary = "", description = "" } = await annotationsOf(scenario, rules);

    // A label that is missing leaves two blanks, or one at an end.
    for (const text of [summary, description])
      expect(text).toMatch(/^(?!.*( {2}|\{\{|NaN|Inf|no value|error expanding))\S.*\S$/);
  });
});
