// Who acts on the simulated chain: regular users, a sponsor, a deployer with four contracts, and a occasional.
import { encodeAddress } from "./c32.ts";
import { digest } from "./random.ts";

/** Which addresses the chain uses: `SP…` or `ST…`. */
export type Network = "mainnet" | "testnet";

/** The contracts of the deployer, each as `address.name`. */
export interface Contracts {
  /** Prints tuples with an `event` field. */
  readonly logger: string;
  /** A fungible token. */
  readonly token: string;
  /** A collection of non-fungible tokens. */
  readonly nft: string;
  /** Takes, burns and mints STX. */
  readonly vault: string;
}

/** Everyone who can send or receive. All addresses have correct checksums. */
export interface Accounts {
  readonly network: Network;
  readonly deployer: string;
  readonly sponsor: string;
  /** Accounts that act all the time: good examples to watch. */
  readonly users: readonly string[];
  readonly contracts: Contracts;
  /** Identifiers of the assets: `contract::name`. */
  readonly assets: { readonly token: string; readonly nft: string };
  /** One of the many occasional senders. */
  readonly occasional: (index: number) => string;
  /** An address that no other transaction uses. */
  readonly unused: (index: number) => string;
}

/** Number of occasional senders. Bounded, because the chain remembers a nonce for each. */
export const OCCASIONAL_ACCOUNTS = 4000;
const USERS = 24;
const VERSIONS: Readonly<Record<Network, number>> = { mainnet: 22, testnet: 26 };

/** The accounts of a seed; the same seed has the same hashes on both networks. */
export function createAccounts(seed: string, network: Network): Accounts {
  const address = (role: string, index: number) =>
    encodeAddress(VERSIONS[network], digest(seed, role, index).slice(2, 42));
  const deployer = address("deployer", 0);
  const contracts: Contracts = {
    logger: `${deployer}.event-logger`,
    token: `${deployer}.harbour-token`,
    nft: `${deployer}.lighthouse-nft`,
    vault: `${deployer}.tide-vault`,
  };
  const known = new Map<number, string>();
  return {
    network,
    deployer,
    sponsor: address("sponsor", 0),
    users: Array.from({ length: USERS }, (_, index) => address("user", index)),
    contracts,
    assets: { token: `${contracts.token}::harbour`, nft: `${contracts.nft}::lighthouse` },
    occasional(index) {
      const member = index % OCCASIONAL_ACCOUNTS;
      const found = known.get(member) ?? address("crowd", member);
      known.set(member, found);
      return found;
    },
    unused: (index) => address("stranger", index),
  };
}
