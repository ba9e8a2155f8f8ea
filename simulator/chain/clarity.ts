// Clarity values in the two forms of the API: consensus bytes in hex, and source.
import { decodeAddress } from "./c32.ts";

/** A Clarity value: `hex` with `0x`, `repr` as in source, e.g. `{hex: "0x0100…07", repr: "u7", type: "uint"}`. */
export interface ClarityValue {
  readonly hex: string;
  readonly repr: string;
  readonly type: string;
}

const bare = (value: ClarityValue): string => value.hex.slice(2);
const bytes = (number: number, width: number): string => number.toString(16).padStart(width * 2, "0");
const text = (string: string): string => Buffer.from(string, "latin1").toString("hex");

/** The value `none`. */
export const none: ClarityValue = { hex: "0x09", repr: "none", type: "(optional none)" };

/** The value `(ok true)`, the usual result of a transaction. */
export const okTrue: ClarityValue = { hex: "0x0703", repr: "(ok true)", type: "(response bool none)" };

/** An unsigned integer of up to 128 bits. */
export function uint(number: bigint): ClarityValue {
  return { hex: `0x01${number.toString(16).padStart(32, "0")}`, repr: `u${number}`, type: "uint" };
}

/** An ASCII string. */
export function ascii(string: string): ClarityValue {
  const hex = `0x0d${bytes(string.length, 4)}${text(string)}`;
  return { hex, repr: JSON.stringify(string), type: `(string-ascii ${string.length})` };
}

/** A principal: an address, or an address, a dot and a contract name. Throws for an invalid address. */
export function principal(id: string): ClarityValue {
  const [address = "", contract] = id.split(".");
  const decoded = decodeAddress(address);
  if (decoded === undefined) throw new Error(`not an address: ${id}`);
  const head = bytes(decoded.version, 1) + decoded.hash160;
  const hex = contract === undefined ? `0x05${head}` : `0x06${head}${bytes(contract.length, 1)}${text(contract)}`;
  return { hex, repr: `'${id}`, type: "principal" };
}

/** A tuple. Its keys are in alphabetical order. */
export function tuple(fields: Readonly<Record<string, ClarityValue>>): ClarityValue {
  const sorted = Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
  const hex = sorted.map(([key, value]) => bytes(key.length, 1) + text(key) + bare(value)).join("");
  const each = (field: "repr" | "type") => sorted.map(([key, value]) => `(${key} ${value[field]})`).join(" ");
  return {
    hex: `0x0c${bytes(sorted.length, 4)}${hex}`,
    repr: `(tuple ${each("repr")})`,
    type: `(tuple ${each("type")})`,
  };
}

/** The failing response `(err …)`. */
export function err(value: ClarityValue): ClarityValue {
  return { hex: `0x08${bare(value)}`, repr: `(err ${value.repr})`, type: `(response none ${value.type})` };
}
