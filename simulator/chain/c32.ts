// c32check, the encoding of Stacks addresses: base 32 without ambiguous letters, and four checksum bytes.
import { hash } from "node:crypto";

const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BIGINT_DIGITS = "0123456789abcdefghijklmnopqrstuv";

const sha256 = (bytes: Buffer): Buffer => hash("sha256", bytes, "buffer");

function checksum(version: number, hash160: string): string {
  const payload = Buffer.from(version.toString(16).padStart(2, "0") + hash160, "hex");
  return sha256(sha256(payload)).toString("hex", 0, 4);
}

/** The address of a version (22 `SP…` mainnet, 26 `ST…` testnet) and a public key hash of 40 hex digits. */
export function encodeAddress(version: number, hash160: string): string {
  const hex = hash160 + checksum(version, hash160);
  let leading = 0;
  while (hex.startsWith("00", leading * 2)) leading += 1;
  let digits = "0".repeat(leading);
  for (const digit of BigInt(`0x${hex}`).toString(32)) digits += ALPHABET[BIGINT_DIGITS.indexOf(digit)];
  return `S${ALPHABET[version]}${digits}`;
}

/** The version and public key hash of an address; undefined when a letter or the checksum is wrong. */
export function decodeAddress(address: string): { readonly version: number; readonly hash160: string } | undefined {
  if (!/^S[0-9A-HJKMNP-TV-Z]{27,40}$/.test(address)) return undefined;
  const version = ALPHABET.indexOf(address.charAt(1));
  let number = 0n;
  for (const letter of address.slice(2)) number = number * 32n + BigInt(ALPHABET.indexOf(letter));
  const hex = number.toString(16).padStart(48, "0");
  if (hex.length !== 48) return undefined;
  const hash160 = hex.slice(0, 40);
  return encodeAddress(version, hash160) === address ? { version, hash160 } : undefined;
}
