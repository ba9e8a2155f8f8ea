// Principals, with the checksum of their address. The API returns an empty list for a mistyped principal, so an error
// that is not found here is never found.
import { c32addressDecode } from "c32check";
import { isContractName } from "../collectors/values.ts";

/** Chains whose addresses differ. */
export const CHAINS = ["mainnet", "testnet"] as const;
export type ChainName = (typeof CHAINS)[number];

// Single-signature and multi-signature versions: 22 begins with SP, 20 with SM, 26 with ST, 21 with SN.
const VERSIONS: Readonly<Record<ChainName, readonly number[]>> = { mainnet: [22, 20], testnet: [26, 21] };

/** An identifier in its canonical spelling, or why a text is none. */
export type Identifier = { readonly id: string } | { readonly wrong: string };

/**
 * Reads `address` or `address.contract-name` of a chain. c32 allows O for 0, and I or L for 1: such spellings are
 * accepted and become canonical.
 */
export function readPrincipal(text: string, chain: ChainName): Identifier {
  const [written = "", ...names] = text.split(".");
  const address = written.replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  const version = versionOf(address);
  if (version === undefined) return { wrong: "a wrong checksum, so a character is wrong or missing" };
  const of = CHAINS.find((name) => VERSIONS[name].includes(version));
  if (of !== chain) return { wrong: `an address of ${of ?? `version ${version}`}` };
  if (names.length === 0) return { id: address };
  const name = names.join(".");
  return isContractName(name) ? { id: `${address}.${name}` } : { wrong: "a contract name that cannot exist" };
}

/** Reads `address.contract-name` of a chain. */
export function readContract(text: string, chain: ChainName): Identifier {
  const read = readPrincipal(text, chain);
  return "id" in read && !read.id.includes(".") ? { wrong: "an address without a contract name" } : read;
}

function versionOf(address: string): number | undefined {
  if (!/^S[0-9A-Z]{27,40}$/.test(address)) return undefined;
  try {
    const [version, hash] = c32addressDecode(address);
    // 20 bytes: with other leading zeros, a checksum can be right by itself.
    return hash.length === 40 ? version : undefined;
  } catch {
    return undefined;
  }
}

// With what is often mistyped: other letters, other case, another chain, a character too many or too few.
const LIKE_PRINCIPAL = /^S[PMTN][0-9A-Z]{25,40}(\.[a-z][a-z0-9_-]{0,127})?(::\S{1,128})?$/i;

/** Whether a text looks like a principal or a token. Any other text can be a secret in the wrong place. */
export const isLikePrincipal = (text: string): boolean => LIKE_PRINCIPAL.test(text);

/** The default name of a principal: the ends of its address, and its contract. */
export function shortName(principal: string): string {
  const [address = "", contract] = principal.split(".");
  const short = `${address.slice(0, 5)}..${address.slice(-5)}`;
  return contract === undefined ? short : `${short}.${contract}`;
}
