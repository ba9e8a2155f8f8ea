import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { decode, encode } from "../../src/store/store.ts";

const plain = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.bigInt(),
    fc.constant(null),
    fc.array(tie("value")),
    fc.dictionary(fc.oneof(fc.string(), fc.constant("$bigint")), fc.oneof(fc.integer(), fc.bigInt())),
  ),
})).value;

test("plain data is restored exactly, bigints to the last digit", () => {
  fc.assert(
    fc.property(plain, (value) => {
      // Objects without a prototype are made by the generator, never by a collector.
      expect(decode(encode(value))).toEqual(structuredClone(value));
    }),
    { seed: 1, numRuns: 500 },
  );
});

test("undefined fields are omitted, and a bigint beyond 2^128 keeps all digits", () => {
  expect(decode(encode({ a: undefined, b: 2n ** 128n + 1n }))).toEqual({ b: 2n ** 128n + 1n });
});
