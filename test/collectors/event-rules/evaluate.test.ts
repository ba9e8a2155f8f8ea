import { describe, expect, test } from "@jest/globals";
import { Cl, type ClarityValue } from "@stacks/transactions";
import { evaluate } from "../../../src/collectors/event-rules/evaluate.ts";
import { hexOf, rulesOf } from "../../support/event-rules.ts";

const rules = await rulesOf(`
- metric: amm_swap_in_units_total
  type: counter
  help: Tokens swapped in.
  match: [{ path: topic, equals: print }, { path: value.event, equals: swap }]
  value: { path: value.amount }
  labels: { pool: { path: value.pool-id, allow: [stx-usda], max: 50 } }
`);
const [rule] = rules;

const swap = (fields: Readonly<Record<string, ClarityValue>>) =>
  hexOf(Cl.tuple({ event: Cl.stringAscii("swap"), ...fields }));
const resultOf = (hex: string | undefined, topic = "print") => {
  const [result, ...others] = evaluate(rules, { topic, hex });
  expect(others).toEqual([]);
  return result;
};
const sampleOf = (...labels: string[]) => ({ labels, value: 5n });
const pool = Cl.stringAscii("stx-usda");
const amount = Cl.uint(5);

describe("an event", () => {
  test("that matches gives a sample", () => {
    expect(resultOf(swap({ amount, "pool-id": pool }))).toEqual({ rule, sample: sampleOf("stx-usda") });
  });

  test.each([
    ["with another topic", swap({ amount, "pool-id": pool }), "other"],
    ["of another kind", hexOf(Cl.tuple({ event: Cl.stringAscii("burn"), amount })), "print"],
    ["without the field", hexOf(Cl.tuple({ amount })), "print"],
    ["of another shape", hexOf(Cl.uint(1)), "print"],
    ["without a value", undefined, "print"],
  ])("%s gives nothing", (_, hex, topic) => {
    expect(resultOf(hex, topic)).toBeUndefined();
  });
});

describe("a value", () => {
  test("that is an empty optional gives no sample and no error", () => {
    expect(resultOf(swap({ amount: Cl.none(), "pool-id": pool }))).toEqual({ rule });
  });

  test.each([
    ["type", { amount: Cl.stringAscii("5") }],
    ["type", { amount: Cl.bool(true) }],
    ["type", { amount: Cl.ok(Cl.uint(5)) }],
    ["missing", { volume: Cl.uint(5) }],
    ["negative", { amount: Cl.int(-5) }],
  ])("counts the error %s: %j", (error, fields) => {
    expect(resultOf(swap({ ...fields, "pool-id": pool }))).toEqual({ rule, errors: [error] });
  });

  test("that is negative is one of a gauge", async () => {
    const gauge = await rulesOf(`
- { metric: amm_price, type: gauge, help: Price., match: [{ path: topic, exists: true }], value: { path: value } }
`);

    const [result] = evaluate(gauge, { topic: "print", hex: hexOf(Cl.int(-5)) });

    expect(result?.sample).toEqual({ labels: [], value: -5n });
  });
});

describe("a label", () => {
  test.each([
    ["digits of an integer", Cl.uint(7), "7"],
    ["text with other characters", Cl.stringUtf8("Žlutý kůň, 100 %"), "Žlutý kůň, 100 %"],
    ["a principal", Cl.principal("SP000000000000000000002Q6VF78"), "SP000000000000000000002Q6VF78"],
    ["bytes", Cl.bufferFromHex("0a0b"), "0x0a0b"],
    ["nothing for an empty optional", Cl.none(), ""],
    ["other for a long text", Cl.stringAscii("x".repeat(129)), "other"],
    ["other for an empty text", Cl.stringAscii(""), "other"],
    ["other for control characters", Cl.stringAscii("a\tb"), "other"],
    ["other for an override of the direction", Cl.stringUtf8("a\u202Eb"), "other"],
    ["other for the name of a prototype", Cl.stringAscii("__proto__"), "other"],
  ])("is %s", (_, id, expected) => {
    expect(resultOf(swap({ amount, "pool-id": id }))).toEqual({ rule, sample: sampleOf(expected) });
  });

  test("that has parts counts an error, and the sample counts", () => {
    expect(resultOf(swap({ amount, "pool-id": Cl.list([]) }))).toEqual({
      rule,
      sample: sampleOf("other"),
      errors: ["type"],
    });
  });
});

test("an event that cannot be decoded counts an error if the other conditions are met", () => {
  expect(resultOf("0x0c")).toEqual({ rule, errors: ["undecodable"] });
  expect(resultOf("0x0c", "other")).toBeUndefined();
});
