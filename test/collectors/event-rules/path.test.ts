import { describe, expect, test } from "@jest/globals";
import { Cl } from "@stacks/transactions";
import { readClarity } from "../../../src/collectors/event-rules/clarity-value.ts";
import { follow, parsePath } from "../../../src/collectors/event-rules/path.ts";
import { dataOf } from "../../support/data.ts";
import { hexOf } from "../../support/event-rules.ts";

const { found, invalid } = dataOf<{ found: [string, string][]; invalid: string[] }>("paths.yaml", import.meta.url);

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
  test.each(found)("%s finds %s", (text, expected) => {
    expect(at(text)).toBe(expected);
  });

  test.each(invalid)("%j is not valid", (text) => {
    expect(parsePath(text)).toBeUndefined();
  });
});
