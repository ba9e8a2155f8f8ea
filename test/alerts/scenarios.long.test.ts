// promtool checks for each alert that it fires when it should, and does not when it should not.
import { beforeAll, expect, test } from "@jest/globals";
import { alerts } from "../../alerts/index.ts";
import { describeWith } from "../support/installed.ts";
import { annotationsOf, climb, hold, trials } from "../support/promtool.ts";
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

  test("the runbook shows what an alert on counters is about, even if their series have just appeared", async () => {
    const shown = rules.map((rule) => {
      const check = alerts.find(({ alert }) => alert === rule.alert)?.runbook.check[0][1];
      return check === undefined ? rule : { ...rule, expr: `(${rule.expr})\nand on () (${check})` };
    });
    const tested = scenarios.filter(({ alert }) => /^StacksAddress(Rever|Trans.*Fail|ContractDepl)/.test(alert));

    const found = await trials(tested, shown);
    expect(found.flatMap((text, index) => (text === "" ? [] : [tested[index]?.name]))).toEqual([]);
  });

  test.each(alerts.map(({ alert }) => alert))("the annotations of %s have every label filled in", async (alert) => {
    const scenario = scenarios.find((one) => one.alert === alert && one.expect.some(({ firing }) => firing.length > 0));
    if (scenario === undefined) throw new Error(`no scenario has ${alert} firing`);

    const { summary = "", description = "" } = await annotationsOf(scenario, rules);

    // A label that is missing leaves two blanks, or one at an end.
    for (const text of [summary, description])
      expect(text).toMatch(/^(?!.*( {2}|\{\{|NaN|Inf|no value|error expanding))\S.*\S$/);
  });

  test("StacksUpstreamDown names the most frequent reason of the failed polls", async () => {
    const of = 'network="mainnet", job="stacks-exporter", instance="a:1"';
    const failures = (reason: string) =>
      `stacks_exporter_collector_failures_total{${of}, collector="fees", reason="${reason}"}`;
    const series = {
      [`stacks_up{${of}}`]: hold(0, 30),
      [failures("budget")]: climb(0, 1, 30),
      [failures("timeout")]: climb(0, 3, 30),
    };
    const alert = "StacksUpstreamDown";
    const scenario = { name: "reasons", alert, series, expect: [{ at: 20, firing: [{ network: "mainnet" }] }] };

    expect((await annotationsOf(scenario, rules)).description).toMatch(/ The most frequent reason: timeout\.$/);
  });
});
