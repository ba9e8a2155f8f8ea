import { expect, test } from "@jest/globals";
import { c32address } from "c32check";
import fc from "fast-check";
import { encodeAddress as encodeOfSimulator } from "../../simulator/chain/c32.ts";
import { readPrincipal, shortName } from "../../src/config/principal.ts";
import { dataOf } from "../support/data.ts";

const hash = fc.oneof(
  fc.uint8Array({ minLength: 20, maxLength: 20 }),
  // Leading zeros are encoded in a special way.
  fc.tuple(fc.integer({ min: 1, max: 20 }), fc.uint8Array({ minLength: 20, maxLength: 20 })).map(([zeros, bytes]) => {
    const copy = bytes.slice();
    copy.fill(0, 0, zeros);
    return copy;
  }),
);
const addresses = hash.map((bytes) => c32address(22, Buffer.from(bytes).toString("hex")));

const known = [
  ["SP000000000000000000002Q6VF78", "mainnet"],
  ["ST000000000000000000002AMW42H", "testnet"],
  ["ST3W8Y9CGDA3APW7H3FV5WGNTGNHR8S01630SZY14", "testnet"],
  ["STRFAEYK9SWNG5620F937EA42GHJZ7RGX6ASSVS7", "testnet"],
] as const;

test.each(known)("%s is an address of %s", (address, chain) => {
  expect(readPrincipal(address, chain)).toEqual({ id: address });
  expect(readPrincipal(`${address}.pox-4`, chain)).toEqual({ id: `${address}.pox-4` });
});

test("every address is accepted in the form that the simulator encodes", () => {
  fc.assert(
    fc.property(
      fc.constantFrom([22, "mainnet"], [20, "mainnet"], [26, "testnet"], [21, "testnet"]),
      hash,
      (kind, bytes) => {
        const [version, chain] = kind as [number, "mainnet" | "testnet"];
        const hex = Buffer.from(bytes).toString("hex");
        const address = c32address(version, hex);

        expect(address).toBe(encodeOfSimulator(version, hex));
        expect(readPrincipal(address, chain)).toMatchObject({ id: address });
      },
    ),
    { seed: 7 },
  );
});

test("spellings that c32 allows become canonical", () => {
  fc.assert(
    fc.property(addresses, (address) => {
      const loose = `S${address.slice(1).replaceAll("0", "O").replaceAll("1", "L")}`;

      expect(readPrincipal(loose, "mainnet")).toMatchObject({ id: address });
    }),
    { seed: 7 },
  );
});

test("one wrong character is detected", () => {
  const letters = [..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"];
  fc.assert(
    fc.property(addresses, fc.nat(40), fc.constantFrom(...letters), (address, at, letter) => {
      const place = 2 + (at % (address.length - 2));
      fc.pre(address[place] !== letter);

      expect(readPrincipal(address.slice(0, place) + letter + address.slice(place + 1), "mainnet")).toHaveProperty(
        "wrong",
      );
    }),
    { seed: 7 },
  );
});

const refused = Object.entries(dataOf<Readonly<Record<string, string[]>>>("principals.yaml", import.meta.url));
test.each(refused.flatMap(([wrong, texts]) => texts.map((text) => [text, wrong])))("refuses %j", (text, wrong) => {
  expect(readPrincipal(text, "mainnet")).toEqual({ wrong });
});

test("a short name keeps the ends and the contract", () => {
  expect(shortName("SP3FBR2AGK5H9QBDH3EEN6DF8EK8JY7RX8QJ5SVTE.pool")).toBe("SP3FB..5SVTE.pool");
});
