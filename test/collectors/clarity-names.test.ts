import { expect, test } from "@jest/globals";
import { isAssetId, isClarityName, isContractName, isPrincipal } from "../../src/collectors/values.ts";

const ADDRESS = "SP000000000000000000002Q6VF78";
const LONGEST = "a".repeat(128);
const JUNK = ["", " ", "a b", "a\tb", "a\0b", "a\u001b[31mb", "a\u202eb", "a\nb", "a\n", "ä", "1a", `${LONGEST}a`];

/** Texts, and whether they are valid. */
const cases = (valid: readonly string[], invalid: readonly string[]): [string, boolean][] => [
  ...valid.map((text): [string, boolean] => [text, true]),
  ...invalid.map((text): [string, boolean] => [text, false]),
];

const names = ["a", "print", "get-balance", "is-ok?", "set!", "a<=b", "a*b/c+d=e", "a_b", LONGEST];
test.each(cases(names, [...JUNK, "a.b", "a:b", 'a"b', "a\\b", "-a"]))("%p is a Clarity name: %p", (text, isValid) => {
  expect(isClarityName(text)).toBe(isValid);
  expect(isAssetId(`${ADDRESS}.token::${text}`)).toBe(isValid);
});

const contracts = ["token", "Wrapped-Bitcoin", "a_b", LONGEST];
test.each(cases(contracts, [...JUNK, "a?b", "-a"]))("%p is a contract name: %p", (text, isValid) => {
  expect(isContractName(text)).toBe(isValid);
  expect(isPrincipal(`${ADDRESS}.${text}`)).toBe(isValid);
  expect(isAssetId(`${ADDRESS}.${text}::a`)).toBe(isValid);
});

const addresses = [ADDRESS, "SPSCWDV3RKV5ZRN1FQD84YE1NQFEDJ9R1F4DYQ11", "ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14"];
const others = [ADDRESS.toLowerCase(), `${ADDRESS}\n`, "S".repeat(27), "S".repeat(42), `${ADDRESS.slice(0, -1)}O`];
test.each(cases(addresses, [...JUNK, ...others]))("%p is an address: %p", (text, isValid) => {
  expect(isPrincipal(text)).toBe(isValid);
  expect(isAssetId(`${text}.a::b`)).toBe(isValid);
});

test.each(["", "::a", `${ADDRESS}::a`, `${ADDRESS}.a`, `${ADDRESS}.a:b`, `${ADDRESS}.a::b::c`, `${ADDRESS}.a::b `])(
  "%p is not an asset identifier",
  (text) => {
    expect(isAssetId(text)).toBe(false);
  },
);

test("a text of ten megabytes is rejected", () => {
  const long = `${ADDRESS}.token::${"a".repeat(10_000_000)}`;

  expect([isAssetId(long), isPrincipal(long), isClarityName(long)]).toEqual([false, false, false]);
});
