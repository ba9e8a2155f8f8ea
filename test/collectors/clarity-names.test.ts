import { describe, expect, test } from "@jest/globals";
import { isAssetId, isClarityName, isContractName, isPrincipal } from "../../src/collectors/labels.ts";

const ADDRESS = "SP000000000000000000002Q6VF78";
const LONGEST = "a".repeat(128);
const JUNK = ["", " ", "a b", "a\tb", "a\0b", "a\u001b[31mb", "a\u202eb", "a\nb", "a\n", "ä", "1a", `${LONGEST}a`];

describe("Clarity names", () => {
  test.each(["a", "print", "get-balance", "is-ok?", "set!", "a<=b", "a*b/c+d=e", "a_b", LONGEST])(
    "%p is valid",
    (name) => {
      expect(isClarityName(name)).toBe(true);
      expect(isAssetId(`${ADDRESS}.token::${name}`)).toBe(true);
    },
  );

  test.each([...JUNK, "a.b", "a:b", 'a"b', "a\\b", "-a"])("%p is invalid", (text) => {
    expect(isClarityName(text)).toBe(false);
    expect(isAssetId(`${ADDRESS}.token::${text}`)).toBe(false);
  });
});

describe("principals and contract names", () => {
  test.each(["token", "Wrapped-Bitcoin", "a_b", LONGEST])("%p is a valid contract name", (name) => {
    expect(isContractName(name)).toBe(true);
    expect(isPrincipal(`${ADDRESS}.${name}`)).toBe(true);
    expect(isAssetId(`${ADDRESS}.${name}::a`)).toBe(true);
  });

  test.each([...JUNK, "a?b", "-a"])("%p is an invalid contract name", (text) => {
    expect(isContractName(text)).toBe(false);
    expect(isPrincipal(`${ADDRESS}.${text}`)).toBe(false);
    expect(isAssetId(`${ADDRESS}.${text}::a`)).toBe(false);
  });

  test.each([ADDRESS, "SPSCWDV3RKV5ZRN1FQD84YE1NQFEDJ9R1F4DYQ11", "ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14"])(
    "%p is an address",
    (text) => {
      expect(isPrincipal(text)).toBe(true);
      expect(isAssetId(`${text}.a::b`)).toBe(true);
    },
  );

  test.each([
    ...JUNK,
    ADDRESS.toLowerCase(),
    `${ADDRESS}\n`,
    "S".repeat(27),
    "S".repeat(42),
    `${ADDRESS.slice(0, -1)}O`,
  ])("%p is invalid", (text) => {
    expect(isPrincipal(text)).toBe(false);
    expect(isAssetId(`${text}.a::b`)).toBe(false);
  });
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
