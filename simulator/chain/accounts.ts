// The accounts of the simulated chain: regular users, a sponsor, a deployer with four contracts, occasional senders.
import { encodeAddress } from "./c32.ts";
import { digest } from "./random.ts";

/** The kind of addresses: `SP…` or `ST…`. */
export type Network = "mainnet" | "testnet";

/** Everyone who can send or receive. All addresses have valid checksums. */
export interface Accounts {
  readonly network: Network;
  readonly deployer: string;
  readonly sponsor: string;
  /** Accounts with steady activity: good examples to watch. */
  readonly users: readonly string[];
  /** The user that stacks STX. */
  readonly stacker: string;
  /**
   * The contracts of the deployer, each as `address.name`. The logger prints tuples with an `event` field; the token is
   * fungible; nft is a collection of non-fungible tokens; the vault takes, burns and mints STX.
   */
  readonly contracts: Readonly<Record<"logger" | "token" | "nft" | "vault", string>>;
  /** Asset identifiers: `contract::name`. */
  readonly assets: { readonly token: string; readonly nft: string };
  /** One of the `OCCASIONAL_ACCOUNTS` occasional senders. */
  readonly occasional: (index: number) => string;
  /** An address that no other transaction uses. */
  readonly unused: (index: number) => string;
}

/** Number of occasional senders. Bounded, because the chain stores a nonce for each. */
export const OCCASIONAL_ACCOUNTS = 4000;
const STACKER = 2;
const VERSIONS: Readonly<Record<Network, number>> = { mainnet: 22, testnet: 26 };

/** The accounts of a seed. The same seed has the same hashes on both networks. */
export function createAccounts(seed: string, network: Network): Accounts {
  const address = (role: string, index: number) =>
    encodeAddress(VERSIONS[network], digest(seed, role, index).slice(2, 42));
  const deployer = address("deployer", 0);
  const contracts = {
    logger: `${deployer}.event-logger`,
    token: `${deployer}.harbour-token`,
    nft: `${deployer}.lighthouse-nft`,
    vault: `${deployer}.tide-vault`,
  };
  const users = Array.from({ length: 24 }, (_, index) => address("user", index));
  const known = new Map<number, string>();
  return {
    network,
    deployer,
    sponsor: address("sponsor", 0),
    users,
    stacker: users[STACKER] ?? "",
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
