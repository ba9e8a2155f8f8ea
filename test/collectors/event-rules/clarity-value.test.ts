import { expect, test } from "@jest/globals";
import { Cl, type ClarityValue as Decoded, deserializeCV } from "@stacks/transactions";
import fc from "fast-check";
import { type ClarityValue, readClarity as read } from "../../../src/collectors/event-rules/clarity-value.ts";
import { hexOf } from "../../support/event-rules.ts";

const ADDRESS = "SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7";
const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,12}$/);
const scalar = fc.oneof<fc.Arbitrary<Decoded>[]>(
  fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map(Cl.uint),
  fc.bigInt({ min: -(2n ** 127n), max: 2n ** 127n - 1n }).map(Cl.int),
  fc.boolean().map(Cl.bool),
  fc.uint8Array({ maxLength: 40 }).map((bytes) => Cl.buffer(bytes)),
  fc.string({ unit: "grapheme-ascii", maxLength: 20 }).map(Cl.stringAscii),
  fc.string({ unit: "grapheme", maxLength: 20 }).map(Cl.stringUtf8),
  fc.constant(Cl.principal(ADDRESS)),
  name.map((contract) => Cl.principal(`${ADDRESS}.${contract}`)),
  fc.constant(Cl.none()),
);
const { value: anyValue } = fc.letrec<{ value: Decoded }>((tie) => ({
  value: fc.oneof(
    { depthSize: "medium", withCrossShrink: true },
    scalar,
    tie("value").map(Cl.some),
    tie("value").map(Cl.ok),
    tie("value").map(Cl.error),
    fc.array(tie("value"), { maxLength: 4 }).map(Cl.list),
    fc.dictionary(name, tie("value"), { maxKeys: 5, noNullPrototype: true }).map((fields) => Cl.tuple({ ...fields })),
  ),
}));

// The library's own decoding of the whole value, in the words of the exporter.
function expectedOf(value: Decoded): unknown {
  switch (value.type) {
    case "tuple":
      return Object.fromEntries(Object.entries(value.value).map(([key, field]) => [key, expectedOf(field)]));
    case "list":
      return value.value.map(expectedOf);
    case "some":
    case "ok":
    case "err":
      return [value.type, expectedOf(value.value)];
    case "none":
      return "none";
    case "buffer":
      return `0x${value.value}`;
    case "int":
    case "uint":
      return { text: String(value.value), number: BigInt(value.value) };
    case "true":
    case "false":
      return value.type;
    default:
      return value.value;
  }
}

function foundIn(value: ClarityValue): unknown {
  if (value.fields !== undefined) return Object.fromEntries([...value.fields].map(([key, one]) => [key, foundIn(one)]));
  if (value.elements !== undefined) return value.elements.map(foundIn);
  if (value.inner !== undefined) return [value.kind, foundIn(value.inner)];
  if (value.kind === "none") return "none";
  return value.number === undefined ? value.text : { text: value.text, number: value.number };
}

test("any value is read as the library decodes it", () => {
  fc.assert(
    fc.property(anyValue, (value) => {
      const hex = hexOf(value);
      const found = read(hex);

      expect(found && foundIn(found)).toEqual(expectedOf(deserializeCV(hex)));
    }),
    { numRuns: 500, seed: 13 },
  );
});

test("a value that is cut, or followed by something, is malformed", () => {
  fc.assert(
    fc.property(anyValue, fc.nat(), (value, cut) => {
      const hex = hexOf(value);
      const length = 2 + 2 * (cut % ((hex.length - 2) / 2));

      expect([read(hex.slice(0, length)), read(`${hex}00`)]).toEqual([undefined, undefined]);
    }),
    { numRuns: 300, seed: 13 },
  );
});

test.each([
  ["nothing", ""],
  ["no prefix", "09"],
  ["no digits", "0xzz"],
  ["half a byte", "0x091"],
  ["an unknown type", "0x0f"],
  ["a list that is longer than its bytes", "0x0bffffffff0909"],
  ["a tuple that is longer than its bytes", "0x0cffffffff016109"],
  ["a text that is longer than its bytes", "0x0dffffffff61"],
  ["a text that is not UTF-8", "0x0e00000001ff"],
  ["values that are nested too deeply", `0x${"0a".repeat(100_000)}09`],
])("malformed: %s", (_, hex) => {
  expect(read(hex)).toBeUndefined();
});

test("keys of a tuple are no members of objects", () => {
  const tuple = read(hexOf(Cl.tuple({ constructor: Cl.uint(1) })));

  expect(tuple?.fields?.get("constructor")?.number).toBe(1n);
  expect(tuple?.fields?.get("toString")).toBeUndefined();
  expect(tuple?.text).toBeUndefined();
  expect(tuple?.inner).toBeUndefined();
});
