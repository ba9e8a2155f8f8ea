// Principals, with the checksum of their address. The API returns an empty list for a mistyped principal, so an error
// that is not found here is never found.
import { c32addressDecode } from "c32check";
import { isContractName } from "../collectors/clarity-names.ts";

/** Chains whose addresses differ. */
export const CHAINS = ["mainnet", "testnet"] as const;
export type ChainName = (typeof CHAINS)[number];

// Single-signature and multi-signature versions: 22 begins with SP, 20 with SM, 26 with ST, 21 with SN.
const VERSIONS: Readonly<Record<ChainName, readonly number[]>> = { mainnet: [22, 20], testnet: [26, 21] };

/** An identifier in its canonical spelling, or the error in a text. */
export type Identifier =
  | { readonly ok: true; readonly id: string; readonly isContract: boolean }
  | { readonly ok: false; readonly wrong: string };

/**
 * Reads `address` or `address.contract-name` of a chain. c32 allows O for 0, and I or L for 1: such spellings are
 * accepted and become canonical.
 */
export function readPrincipal(text: string, chain: ChainName): Identifier {
  const [written = "", ...names] = text.split(".");
  const address = written.replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  const wrong = errorInAddress(written, address, chain);
  if (wrong !== undefined) return { ok: false, wrong };
  if (names.length === 0) return { ok: true, id: address, isContract: false };
  const name = names.join(".");
  if (!isContractName(name)) return { ok: false, wrong: "a contract name that cannot exist" };
  return { ok: true, id: `${address}.${name}`, isContract: true };
}

const WRONG_CHECKSUM = "a wrong checksum, so a character is wrong or missing";

function errorInAddress(written: string, address: string, chain: ChainName): string | undefined {
  if (/[a-z]/.test(written)) return "lower case, which addresses do not have";
  if (!address.startsWith("S")) return "text that does not begin with S";
  if (address.length < 28 || address.length > 41) return `${address.length} characters, and an address has 28 to 41`;
  if (!/^[0-9A-HJKMNP-TV-Z]+$/.test(address)) return "a character that addresses do not have";
  const decoded = decode(address);
  // 20 bytes: with other leading zeros, a checksum can be right by itself.
  if (decoded === undefined || decoded.hash.length !== 40) return WRONG_CHECKSUM;
  if (VERSIONS[chain].includes(decoded.version)) return undefined;
  const other = CHAINS.find((candidate) => VERSIONS[candidate].includes(decoded.version));
  return `an address of ${other ?? `version ${decoded.version}`}`;
}

function decode(address: string): { readonly version: number; readonly hash: string } | undefined {
  try {
    const [version, hash] = c32addressDecode(address);
    return { version, hash };
  } catch {
    return undefined;
  }
}

// With what is often mistyped: other letters, other case, another chain, a character too many or too few.
const LIKE_PRINCIPAL = /^S[PMTN][0-9A-Z]{25,40}(\.[a-z][a-z0-9_-]{0,127})?$/i;

/** Whether a text looks like a principal. Any other text can be a secret in the wrong place. */
export const isLikePrincipal = (text: string): boolean => LIKE_PRINCIPAL.test(text);

/** The default name of a principal: the ends of its address, and its contract. */
export function shortName(principal: string): string {
  const [address = "", contract] = principal.split(".");
  const short = `${address.slice(0, 5)}..${address.slice(-5)}`;
  return contract === undefined ? short : `${short}.${contract}`;
}
