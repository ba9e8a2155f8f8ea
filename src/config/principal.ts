// Principals: the c32check spelling of addresses with its checksum, and names of contracts. The server answers a mistyped
// principal with an empty list, so a mistake that is not found here is never found.
import { createHash } from "node:crypto";
import { isContractName } from "../collectors/clarity-names.ts";

/** Chains whose addresses can be told apart. */
export const CHAINS = ["mainnet", "testnet"] as const;
export type ChainName = (typeof CHAINS)[number];

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const HEX_LENGTH = 48;

// Of one signature and of several; version 22 begins with SP, 20 with SM, 26 with ST, 21 with SN.
const VERSIONS: Readonly<Record<ChainName, readonly number[]>> = { mainnet: [22, 20], testnet: [26, 21] };

/** A principal in its canonical spelling, or what is wrong with a text. */
export type ReadPrincipal =
  | { readonly ok: true; readonly principal: string; readonly isContract: boolean }
  | { readonly ok: false; readonly wrong: string };

/**
 * Reads `address` or `address.contract-name` of a chain. c32 lets O be written for 0, and I or L for 1: such spellings are
 * accepted and made canonical.
 */
export function readPrincipal(text: string, chain: ChainName): ReadPrincipal {
  const dot = text.indexOf(".");
  const address = dot < 0 ? text : text.slice(0, dot);
  const name = dot < 0 ? undefined : text.slice(dot + 1);
  const decoded = decodeAddress(address);
  if (typeof decoded === "string") return { ok: false, wrong: decoded };
  if (!VERSIONS[chain].includes(decoded.version)) {
    const other = CHAINS.find((candidate) => VERSIONS[candidate].includes(decoded.version));
    return {
      ok: false,
      wrong: other === undefined ? `an address of version ${decoded.version}` : `an address of ${other}`,
    };
  }
  if (name !== undefined && !isContractName(name)) return { ok: false, wrong: "a contract name that cannot exist" };
  return {
    ok: true,
    principal: name === undefined ? decoded.address : `${decoded.address}.${name}`,
    isContract: name !== undefined,
  };
}

interface Decoded {
  readonly version: number;
  readonly address: string;
}

/** The version and the canonical spelling of an address, or what is wrong with it. */
function decodeAddress(text: string): Decoded | string {
  if (/[a-z]/.test(text)) return "lower case, which addresses do not have";
  const letters = text.replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  if (!letters.startsWith("S")) return "text that does not begin with S";
  if (letters.length < 28 || letters.length > 41) return `${text.length} characters, and an address has 28 to 41`;
  let number = 0n;
  for (const letter of letters.slice(2)) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return "a character that addresses do not have";
    number = number * 32n + BigInt(digit);
  }
  const version = ALPHABET.indexOf(letters.charAt(1));
  const hex = number.toString(16).padStart(HEX_LENGTH, "0");
  if (version < 0 || hex.length > HEX_LENGTH) return "text that is no address";
  const hash = hex.slice(0, 40);
  if (checksum(version, hash) !== hex.slice(40)) return "a wrong checksum, so a character is wrong or missing";
  const address = encodeAddress(version, hash);
  // Leading zeros are part of the spelling; another number of them names nothing.
  return address === letters ? { version, address } : "a wrong checksum, so a character is wrong or missing";
}

/** The address of a public key hash of 40 hex digits. */
export function encodeAddress(version: number, hash: string): string {
  const hex = hash + checksum(version, hash);
  let digits = "";
  for (let rest = BigInt(`0x${hex}`); rest > 0n; rest /= 32n) digits = ALPHABET.charAt(Number(rest % 32n)) + digits;
  const zeros = /^(00)*/.exec(hex)?.[0].length ?? 0;
  return `S${ALPHABET.charAt(version)}${"0".repeat(zeros / 2)}${digits}`;
}

function checksum(version: number, hash: string): string {
  const payload = Buffer.from(version.toString(16).padStart(2, "0") + hash, "hex");
  return sha256(sha256(payload)).toString("hex", 0, 4);
}

const sha256 = (bytes: Buffer): Buffer => createHash("sha256").update(bytes).digest();

// What people mistype: other letters, other case, another chain, a character too many or too few.
const LIKE_PRINCIPAL = /^S[PMTN][0-9A-Z]{25,40}(\.[a-z][a-z0-9_-]{0,127})?$/i;

/** Whether a text is a principal, or was meant to be one; any other text may be a secret in the wrong place. */
export const isLikePrincipal = (text: string): boolean => LIKE_PRINCIPAL.test(text);

/** What a principal without a name is called: the ends of its address, and its contract. */
export function shortName(principal: string): string {
  const [address = "", contract] = principal.split(".");
  const short = `${address.slice(0, 5)}..${address.slice(-5)}`;
  return contract === undefined ? short : `${short}.${contract}`;
}
