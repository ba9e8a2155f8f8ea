// A serialised Clarity value. It is walked without being decoded: values inside tuples, lists, optionals and responses
// are found by their lengths, and only those that a rule reads are decoded, each once. To decode the whole value takes
// ten times as long, and a decoder that does not check lengths reads a number from a truncated value.
import { isUtf8 } from "node:buffer";

/** Decodes a serialised value without parts: hex with or without `0x`. */
export type Decode = (hex: string) => unknown;

let loading: Promise<Decode> | undefined;

/** Loads the decoder, which takes a tenth of a second and is needed only where there are rules. */
export function loadDecoder(): Promise<Decode> {
  loading ??= import("@stacks/transactions").then(({ deserializeCV }) =>
    cachingPrincipals((hex) => {
      const decoded = deserializeCV(hex);
      return "value" in decoded ? decoded.value : undefined;
    }),
  );
  return loading;
}

// The checksum of a principal takes longer than everything else, and the same pools and tokens occur again and again.
const MAX_CACHED = 1000;
const PRINCIPAL = /^0[56]/;

function cachingPrincipals(decode: Decode): Decode {
  const known = new Map<string, unknown>();
  return (hex) => {
    if (!PRINCIPAL.test(hex)) return decode(hex);
    const before = known.get(hex);
    if (before !== undefined) return before;
    if (known.size >= MAX_CACHED) known.clear();
    const decoded = decode(hex);
    known.set(hex, decoded);
    return decoded;
  };
}

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

/** Type bytes of the values whose form depends on them. */
const TYPE = { true: 3, contract: 6 };

const INTEGER_BYTES = 16;
const ADDRESS_BYTES = 21;
const LENGTH_BYTES = 4;
// Clarity allows 32.
const MAX_DEPTH = 64;

class MalformedValue extends Error {}

/** A Clarity value, or a part of one. */
export class ClarityValue {
  readonly kind: Kind;
  readonly #bytes: Buffer;
  readonly #start: number;
  readonly #decode: Decode;
  #text: string | undefined;
  #number: bigint | undefined;

  /** @param start the type byte of the value, whose bytes are valid. */
  constructor(bytes: Buffer, start: number, decode: Decode) {
    this.kind = kindAt(bytes, start);
    this.#bytes = bytes;
    this.#start = start;
    this.#decode = decode;
  }

  /** The value of an int or uint; undefined for other kinds. */
  get number(): bigint | undefined {
    if (this.kind !== "int" && this.kind !== "uint") return undefined;
    this.#number ??= BigInt(this.#decoded() as bigint);
    return this.#number;
  }

  /**
   * The text of a value without parts: decimal digits, `true` or `false`, a principal, the characters of a string, or
   * `0x` and the bytes of a buffer. Undefined for a tuple, list, optional or response.
   */
  get text(): string | undefined {
    this.#text ??= this.#readText();
    return this.#text;
  }

  /** The content of `some`, `ok` or `err`; undefined for other kinds. */
  get inner(): ClarityValue | undefined {
    if (this.kind !== "some" && this.kind !== "ok" && this.kind !== "err") return undefined;
    return new ClarityValue(this.#bytes, this.#start + 1, this.#decode);
  }

  /** The value of a key; undefined if there is none, and for other kinds than tuples. */
  field(key: string): ClarityValue | undefined {
    if (this.kind !== "tuple") return undefined;
    for (const [name, at] of this.#fields()) if (name === key) return new ClarityValue(this.#bytes, at, this.#decode);
    return undefined;
  }

  /** The entries of a tuple, in the order of their serialisation; none for other kinds. */
  *fields(): Iterable<readonly [string, ClarityValue]> {
    if (this.kind !== "tuple") return;
    for (const [name, at] of this.#fields()) yield [name, new ClarityValue(this.#bytes, at, this.#decode)];
  }

  /** The elements of a list; none for other kinds. */
  *elements(): Iterable<ClarityValue> {
    if (this.kind !== "list") return;
    let at = this.#start + 1 + LENGTH_BYTES;
    for (let left = this.#bytes.readUInt32BE(this.#start + 1); left > 0; left -= 1) {
      yield new ClarityValue(this.#bytes, at, this.#decode);
      at = endOf(this.#bytes, at, 0);
    }
  }

  *#fields(): Iterable<readonly [string, number]> {
    let at = this.#start + 1 + LENGTH_BYTES;
    for (let left = this.#bytes.readUInt32BE(this.#start + 1); left > 0; left -= 1) {
      const value = at + 1 + (this.#bytes[at] ?? 0);
      yield [this.#bytes.toString("latin1", at + 1, value), value];
      at = endOf(this.#bytes, value, 0);
    }
  }

  #readText(): string | undefined {
    switch (this.kind) {
      case "int":
      case "uint":
        return String(this.number);
      case "bool":
        return this.#bytes[this.#start] === TYPE.true ? "true" : "false";
      case "buffer":
        return `0x${this.#decoded()}`;
      case "principal":
      case "string-ascii":
      case "string-utf8":
        return String(this.#decoded());
      default:
        return undefined;
    }
  }

  #decoded(): unknown {
    return this.#decode(this.#bytes.toString("hex", this.#start, endOf(this.#bytes, this.#start, 0)));
  }
}

/** Reads a serialised value, as hex with `0x`; undefined if it is not exactly one valid value. */
export function readClarity(hex: string, decode: Decode): ClarityValue | undefined {
  if (!hex.startsWith("0x")) return undefined;
  const bytes = Buffer.from(hex.slice(2), "hex");
  // The conversion stops at the first character that is not a digit.
  if (bytes.length * 2 !== hex.length - 2) return undefined;
  try {
    return endOf(bytes, 0, 0) === bytes.length ? new ClarityValue(bytes, 0, decode) : undefined;
  } catch (error) {
    if (error instanceof MalformedValue) return undefined;
    throw error;
  }
}

function kindAt(bytes: Buffer, at: number): Kind {
  const kind = KINDS[bytes[at] ?? KINDS.length];
  if (kind === undefined) throw new MalformedValue();
  return kind;
}

/** The end of the value that starts here. @throws MalformedValue */
function endOf(bytes: Buffer, start: number, depth: number): number {
  if (depth > MAX_DEPTH) throw new MalformedValue();
  const at = start + 1;
  switch (kindAt(bytes, start)) {
    case "bool":
    case "none":
      return at;
    case "int":
    case "uint":
      return within(bytes, at + INTEGER_BYTES);
    case "principal": {
      const end = within(bytes, at + ADDRESS_BYTES);
      return bytes[start] === TYPE.contract ? nameEnd(bytes, end) : end;
    }
    case "ok":
    case "err":
    case "some":
      return endOf(bytes, at, depth + 1);
    case "buffer":
    case "string-ascii":
      return textEnd(bytes, at);
    case "string-utf8": {
      const end = textEnd(bytes, at);
      if (!isUtf8(bytes.subarray(at + LENGTH_BYTES, end))) throw new MalformedValue();
      return end;
    }
    case "list": {
      let end = within(bytes, at + LENGTH_BYTES);
      for (let left = bytes.readUInt32BE(at); left > 0; left -= 1) end = endOf(bytes, end, depth + 1);
      return end;
    }
    case "tuple": {
      let end = within(bytes, at + LENGTH_BYTES);
      for (let left = bytes.readUInt32BE(at); left > 0; left -= 1) end = endOf(bytes, nameEnd(bytes, end), depth + 1);
      return end;
    }
  }
}

const textEnd = (bytes: Buffer, at: number): number =>
  within(bytes, within(bytes, at + LENGTH_BYTES) + bytes.readUInt32BE(at));

const nameEnd = (bytes: Buffer, at: number): number => within(bytes, within(bytes, at + 1) + (bytes[at] ?? 0));

function within(bytes: Buffer, end: number): number {
  if (end > bytes.length) throw new MalformedValue();
  return end;
}
