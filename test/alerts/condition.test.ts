import { describe, expect, test } from "@jest/globals";
import { exprOf, gatedValueOf, knownValueOf } from "../../alerts/condition.ts";
import { calibrated } from "../../alerts/fees.ts";
import type { Condition } from "../../alerts/model.ts";

const condition: Condition = {
  value: "fee",
  is: ">",
  limit: 3,
  and: [{ value: "use", is: ">=", limit: 0.5 }],
  unless: [{ value: "backlog", is: "<=", limit: 0.2 }],
};
const ON = "on (network, job, instance)";

describe("a condition", () => {
  test("is an expression with its limit and its gates", () => {
    expect(exprOf(condition)).toBe(`fee > 3\nand ${ON} use >= 0.5\nunless ${ON} backlog <= 0.2`);
  });

  test("has a value where its gates hold", () => {
    expect(gatedValueOf(condition)).toBe(`fee\nand ${ON} use >= 0.5\nunless ${ON} backlog <= 0.2`);
  });

  test("can be evaluated without its gates", () => {
    expect(knownValueOf(condition)).toBe(`fee\nand ${ON} use`);
  });
});

describe.each(calibrated)("$alert.alert on exposed series", ({ alert, condition }) => {
  test("needs no recorded series", () => {
    expect(exprOf(condition)).toMatch(/\bstacks_/);
    expect(exprOf(condition)).not.toContain("stacks:");
  });

  test("has the limits of the alert", () => {
    const limits = (text: string) => text.match(/[<>]=? [\d.]+$/gm);

    expect(limits(exprOf(condition))).toEqual(limits(alert.expr));
  });
});
