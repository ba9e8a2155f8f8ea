import { describe, expect, test } from "@jest/globals";
import { Cl } from "@stacks/transactions";
import { readClarity } from "../../../src/collectors/event-rules/clarity-value.ts";
import { follow, parsePath } from "../../../src/collectors/event-rules/path.ts";
import { hexOf } from "../../support/event-rules.ts";

const value = readClarity(
  hexOf(
    Cl.tuple({
      amount: Cl.uint(5),
      "is-open?": Cl.bool(true),
      fee: Cl.some(Cl.uint(3)),
      deep: Cl.some(Cl.some(Cl.tuple({ inner: Cl.some(Cl.int(-1)) }))),
      nothing: Cl.none(),
      paid: Cl.ok(Cl.tuple({ units: Cl.uint(9) })),
      failed: Cl.error(Cl.uint(101)),
      pools: Cl.list([Cl.tuple({ id: Cl.stringAscii("a") }), Cl.tuple({ id: Cl.stringAscii("b") })]),
      empty: Cl.list([]),
      ok: Cl.uint(8),
    }),
  ),
);

const at = (text: string) => {
  const path = parsePath(text);
  if (path === undefined || value === undefined) throw new Error(text);
  const found = follow(value, path.steps);
  return typeof found === "string" ? found : (found.text ?? found.kind);
};

describe("a path", () => {
  test.each([
    ["value", "tuple"],
    ["value.amount", "5"],
    ["value.is-open?", "true"],
    ["value.fee", "3"],
    ["value.deep.inner", "-1"],
    ["value.nothing", "none"],
    ["value.nothing.more", "none"],
    ["value.paid", "ok"],
    ["value.paid.ok.units", "9"],
    ["value.paid.err", "none"],
    ["value.paid.units", "missing"],
    ["value.failed.err", "101"],
    ["value.failed.ok", "none"],
    ["value.pools", "list"],
    ["value.pools[1].id", "b"],
    ["value.pools[2].id", "none"],
    ["value.empty[0]", "none"],
    ["value.ok", "8"],
    ["value.unknown", "missing"],
    ["value.amount.more", "missing"],
    ["value.amount[0]", "missing"],
    ["value.pools.id", "missing"],
    ["value[0]", "missing"],
  ])("%s finds %s", (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  test.each([
    "",
    "values",
    "value.",
    "value..a",
    "value[a]",
    "value[-1]",
    "topic.a",
    "value.a b",
    " value",
    "value.1a",
  ])("%j is not valid", (text) => {
    expect(parsePath(text)).toBeUndefined();
  });
});
