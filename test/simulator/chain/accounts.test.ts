// Addresses and Clarity values, compared with real ones.
import { describe, expect, test } from "@jest/globals";
import { createAccounts } from "../../../simulator/chain/accounts.ts";
import { decodeAddress, encodeAddress } from "../../../simulator/chain/c32.ts";
import { ascii, principal, tuple, uint } from "../../../simulator/chain/clarity.ts";

describe("addresses", () => {
  test.each([
    ["STRFAEYK9SWNG5620F937EA42GHJZ7RGX6ASSVS7", 26, "30f53bd34e795814c203d233b94414232f9f10e9"],
    ["ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14", 26, "f88f25906a86ab70f11bf65e42ba856384640130"],
    ["SP000000000000000000002Q6VF78", 22, "0".repeat(40)],
  ])("%s", (address, version, hash160) => {
    expect(encodeAddress(version, hash160)).toBe(address);
    expect(decodeAddress(address)).toEqual({ version, hash160 });
  });

  test("one wrong letter breaks the checksum", () => {
    expect(decodeAddress("STRFAEYK9SWNG5620F937EA42GHJZ7RGX6ASSVS8")).toBeUndefined();
    expect(decodeAddress("strfaeyk9swng5620f937ea42ghjz7rgx6assvs7")).toBeUndefined();
  });

  test("all accounts have valid addresses of their network", () => {
    for (const [network, prefix] of [
      ["mainnet", "SP"],
      ["testnet", "ST"],
    ] as const) {
      const { users, sponsor, deployer, occasional, unused } = createAccounts("addresses", network);
      for (const address of [...users, sponsor, deployer, occasional(7), unused(3), unused(-1)]) {
        expect(address.slice(0, 2)).toBe(prefix);
        expect(decodeAddress(address)).toBeDefined();
      }
    }
  });
});

test("the encoding of a tuple equals a captured one", () => {
  const who = principal("ST30MYYAA99NAQJHDZCNWMJDE48B1PWYXKWJ8BZWT");

  expect(tuple({ event: ascii("swap"), idx: uint(2n), who })).toMatchObject({
    hex: "0x0c00000003056576656e740d00000004737761700369647801000000000000000000000000000000020377686f051ac14f794a4a6aabca2dfb2bca49ae22161b73dd9f",
    repr: `(tuple (event "swap") (idx u2) (who 'ST30MYYAA99NAQJHDZCNWMJDE48B1PWYXKWJ8BZWT))`,
  });
});
