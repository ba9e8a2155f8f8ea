import { describe, expect, test } from "@jest/globals";
import { Cl, type ClarityValue } from "@stacks/transactions";
import { readClarity } from "../../../src/collectors/event-rules/clarity-value.ts";
import { follow, parsePath } from "../../../src/collectors/event-rules/path.ts";
import { accepts, type Operator } from "../../../src/collectors/event-rules/rule.ts";
import { hexOf } from "../../support/event-rules.ts";

const ADDRESS = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7";
const MOST = 2n ** 128n - 1n;

function matches(operator: Operator, value: ClarityValue): boolean {
  const path = parsePath("value");
  const read = readClarity(hexOf(value));
  if (path === undefined || read === undefined) throw new Error("not valid");
  return accepts(operator, follow(read, []));
}

describe("equals", () => {
  test.each<[string | number | boolean, ClarityValue]>([
    [1, Cl.uint(1)],
    [1, Cl.int(1)],
    [-1, Cl.int(-1)],
    ["1", Cl.uint(1)],
    ["1", Cl.int(1)],
    ["u1", Cl.uint(1)],
    ["u1", Cl.stringAscii("u1")],
    ["1", Cl.stringAscii("1")],
    [String(MOST), Cl.uint(MOST)],
    [`u${MOST}`, Cl.uint(MOST)],
    [1, Cl.some(Cl.uint(1))],
    ["swap", Cl.stringAscii("swap")],
    ["swáp", Cl.stringUtf8("swáp")],
    [true, Cl.bool(true)],
    ["false", Cl.bool(false)],
    ["0xABcd", Cl.bufferFromHex("abcd")],
    ["0x", Cl.bufferFromHex("")],
    [ADDRESS, Cl.principal(ADDRESS)],
    [`${ADDRESS}.amm`, Cl.principal(`${ADDRESS}.amm`)],
  ])("%j is %j", (equals, value) => {
    expect(matches({ equals }, value)).toBe(true);
  });

  test.each<[string | number | boolean, ClarityValue]>([
    [1, Cl.stringAscii("1")],
    ["u1", Cl.int(1)],
    ["u1", Cl.uint(2)],
    [1, Cl.bool(true)],
    [true, Cl.stringAscii("true")],
    ["swap", Cl.stringAscii("Swap")],
    ["swap", Cl.bufferFromAscii("swap")],
    ["0xABcd", Cl.stringAscii("0xabcd")],
    ["none", Cl.none()],
    ["", Cl.none()],
    ["u101", Cl.error(Cl.uint(101))],
    ["(err u101)", Cl.error(Cl.uint(101))],
    ["u1", Cl.list([Cl.uint(1)])],
    [9_007_199_254_740_991, Cl.uint(9_007_199_254_740_992n)],
  ])("%j is not %j", (equals, value) => {
    expect(matches({ equals }, value)).toBe(false);
  });
});

test.each<[boolean, ClarityValue]>([
  [true, Cl.uint(0)],
  [true, Cl.error(Cl.uint(1))],
  [true, Cl.some(Cl.tuple({}))],
  [false, Cl.none()],
  [false, Cl.some(Cl.none())],
])("exists is %j for %j", (exists, value) => {
  expect([matches({ exists: true }, value), matches({ exists: false }, value)]).toEqual([exists, !exists]);
});
