import { describe, expect, test } from "@jest/globals";
import { Cl, type ClarityValue } from "@stacks/transactions";
import { shapesOf } from "../../../src/collectors/event-rules/shapes.ts";
import { hexOf } from "../../support/event-rules.ts";

const listed = (values: readonly (ClarityValue | string)[], topic = "print") =>
  values.map((value, index) => ({
    id: `0x${index}:0`,
    topic,
    hex: typeof value === "string" ? value : hexOf(value),
  }));
const shapes = (...values: (ClarityValue | string)[]) => shapesOf(listed(values));
const fieldsOf = (value: ClarityValue) =>
  [...(shapes(value).shapes[0]?.fields ?? [])].map(([path, { kinds, examples }]) => [
    path,
    [...kinds].join(),
    [...examples].join(),
  ]);

describe("events", () => {
  test("are grouped by the key that names them, the most frequent shape first", () => {
    const swap = (more: Readonly<Record<string, ClarityValue>>) =>
      Cl.tuple({ action: Cl.stringAscii("swap"), ...more });
    const found = shapes(
      Cl.tuple({ action: Cl.stringAscii("burn") }),
      swap({ amount: Cl.uint(1) }),
      swap({ amount: Cl.uint(2), memo: Cl.none() }),
    );

    expect(found.shapes.map(({ discriminator, events, newest }) => [discriminator?.text, events, newest])).toEqual([
      ["swap", 2, "0x1:0"],
      ["burn", 1, "0x0:0"],
    ]);
    expect(found.shapes[0]?.fields.get("value.amount")).toEqual({
      kinds: new Set(["uint"]),
      count: 2,
      examples: new Set(["1", "2"]),
    });
  });

  test("that cannot be decoded are counted", () => {
    expect(shapes("0x0c", Cl.uint(1))).toMatchObject({ unreadable: 1, shapes: [{ events: 1 }] });
    expect(shapesOf([{ id: "0x1:0", topic: "print", hex: undefined }])).toEqual({ shapes: [], unreadable: 1 });
  });
});

test("paths lead into tuples, lists, optionals and responses", () => {
  const value = Cl.tuple({
    pool: Cl.tuple({ id: Cl.stringAscii("a") }),
    fee: Cl.some(Cl.uint(3)),
    none: Cl.none(),
    paid: Cl.ok(Cl.uint(1)),
    list: Cl.list([Cl.tuple({ to: Cl.stringAscii("x") }), Cl.tuple({ to: Cl.stringAscii("y") })]),
    empty: Cl.list([]),
  });

  expect(fieldsOf(value)).toEqual([
    ["value.fee", "uint", "3"],
    ["value.list[0].to", "string-ascii", "x"],
    ["value.none", "none", ""],
    ["value.paid.ok", "uint", "1"],
    ["value.pool.id", "string-ascii", "a"],
  ]);
});

test("a value with thousands of parts has few fields", () => {
  const wide = Cl.tuple(Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, Cl.uint(n)])));
  const texts = Array.from({ length: 100 }, (_, n) => Cl.tuple({ event: Cl.stringAscii("e"), n: Cl.uint(n) }));

  expect(fieldsOf(wide)).toHaveLength(50);
  expect(shapes(...texts).shapes[0]?.fields.get("value.n")?.examples.size).toBe(10);
});
