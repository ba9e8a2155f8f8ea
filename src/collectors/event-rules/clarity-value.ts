// Reads serialised Clarity values (SIP-005). `@stacks/transactions` does not check lengths: it reads a number from a
// value that is cut. It also computes the checksum of each principal, which takes seconds for a long list.
import { isUtf8 } from "node:buffer";
import { c32address } from "c32check";

const KINDS = [
  "int",
  "uint",
  "buffer",
  "bool",
  "bool",
  "principal",
  "principal",
  "ok",
  "err",
  "none",
  "some",
  "list",
  "tuple",
  "string-ascii",
  "string-utf8",
] as const;

/** Kinds of Clarity values. `ok` and `err` are the two sides of a response, `some` and `none` those of an optional. */
export type Kind = (typeof KINDS)[number];

/** A Clarity value, or a part of one. */
export interface ClarityValue {
  readonly kind: Kind;
  readonly number?: bigint;
  /**
   * The text of a value without parts: decimal digits, `true` or `false`, a principal, the characters of a string, or
   * `0x` and the bytes of a buffer.
   */
  readonly text?: string;
  /** The content of `some`, `ok` or `err`. */
  readonly inner?: ClarityValue;
  /** The entries of a tuple, in the order of their serialisation. */
  readonly fields?: ReadonlyMap<string, ClarityValue>;
  readonly elements?: readonly ClarityValue[];
}

// A list can have a million of them.
const NONE: ClarityValue = { kind: "none" };
const BOOLS = { 3: { kind: "bool", text: "true" }, 4: { kind: "bool", text: "false" } } as const;
/** The type byte of a principal with a contract name. */
const CONTRACT = 6;
// Clarity allows 32.
const MAX_DEPTH = 64;

class MalformedValue extends Error {}

/** Reads a serialised value, as hex with `0x`; undefined if it is not exactly one valid value. */
export function readClarity(hex: string): ClarityValue | undefined {
  const bytes = Buffer.from(hex.slice(2), "hex");
  // The conversion stops at the first character that is not a digit.
  if (!hex.startsWith("0x") || bytes.length * 2 !== hex.length - 2) return undefined;
  let at = 0;
  const take = (length: number): Buffer => {
    at += length;
    if (at > bytes.length) throw new MalformedValue();
    return bytes.subarray(at - length, at);
  };
  try {
    const value = readValue(take, 0);
    return at === bytes.length ? value : undefined;
  } catch (error) {
    if (error instanceof MalformedValue) return undefined;
    throw error;
  }
}

/** Returns the next bytes. @throws MalformedValue if there are fewer */
type Take = (length: number) => Buffer;

const lengthOf = (take: Take): number => take(4).readUInt32BE();
const nameOf = (take: Take): string => take(take(1).readUInt8()).toString("latin1");

function readValue(take: Take, depth: number): ClarityValue {
  const type = take(1).readUInt8();
  const kind = KINDS[type];
  if (kind === undefined || depth > MAX_DEPTH) throw new MalformedValue();
  switch (kind) {
    case "none":
      return NONE;
    case "bool":
      return BOOLS[type as keyof typeof BOOLS];
    case "int":
    case "uint": {
      const unsigned = BigInt(`0x${take(16).toString("hex")}`);
      const number = kind === "int" ? BigInt.asIntN(128, unsigned) : unsigned;
      return { kind, number, text: String(number) };
    }
    case "principal":
      return readPrincipal(take, type === CONTRACT);
    case "buffer":
      return { kind, text: `0x${take(lengthOf(take)).toString("hex")}` };
    case "string-ascii":
      return { kind, text: take(lengthOf(take)).toString("latin1") };
    case "string-utf8": {
      const text = take(lengthOf(take));
      if (!isUtf8(text)) throw new MalformedValue();
      return { kind, text: text.toString() };
    }
    case "list": {
      const elements: ClarityValue[] = [];
      for (let left = lengthOf(take); left > 0; left -= 1) elements.push(readValue(take, depth + 1));
      return { kind, elements };
    }
    case "tuple": {
      const fields = new Map<string, ClarityValue>();
      for (let left = lengthOf(take); left > 0; left -= 1) fields.set(nameOf(take), readValue(take, depth + 1));
      return { kind, fields };
    }
    default:
      return { kind, inner: readValue(take, depth + 1) };
  }
}

function readPrincipal(take: Take, hasName: boolean): ClarityValue {
  const [version = 0, ...hash] = take(21);
  const name = hasName ? `.${nameOf(take)}` : "";
  if (version > 31) throw new MalformedValue();
  return {
    kind: "principal",
    // Its checksum takes longer than everything else, and few rules read it.
    get text() {
      return `${c32address(version, Buffer.from(hash).toString("hex"))}${name}`;
    },
  };
}
