// An example watch list of the simulated chain, with the names and groups that a small company would use.
import type { Accounts } from "./chain/accounts.ts";

/** Entries of a watch list, in the format of the exporter's configuration. */
export interface WatchList {
  readonly addresses: readonly {
    readonly address: string;
    readonly name: string;
    readonly group: string;
    readonly min_balance?: { readonly stx: string };
    readonly max_outflow?: { readonly stx: string };
  }[];
  readonly contracts: readonly {
    readonly contract_id: string;
    readonly name: string;
    readonly group: string;
    /** Time without calls and events after which it is silent. */
    readonly silent_after?: string;
  }[];
}

/** Accounts with steady activity, a contract that holds STX, and every contract; token and nft print nothing. */
export function watchListOf({ users, sponsor, deployer, contracts }: Accounts): WatchList {
  const [hotWallet = "", deposits = "", treasury = "", payroll = ""] = users;
  return {
    addresses: [
      {
        address: hotWallet,
        name: "hot-wallet",
        group: "exchange",
        min_balance: { stx: "5000000 STX" },
        max_outflow: { stx: "20000 STX" },
      },
      { address: deposits, name: "deposits", group: "exchange" },
      { address: treasury, name: "treasury", group: "dao", max_outflow: { stx: "20000 STX" } },
      { address: payroll, name: "payroll", group: "dao", min_balance: { stx: "1000000 STX" } },
      { address: sponsor, name: "sponsor", group: "app" },
      { address: deployer, name: "deployer", group: "app" },
      { address: contracts.vault, name: "tide-vault", group: "app" },
    ],
    contracts: [
      { contract_id: contracts.logger, name: "event-logger", group: "app" },
      { contract_id: contracts.vault, name: "tide-vault", group: "app", silent_after: "20m" },
      { contract_id: contracts.token, name: "harbour-token", group: "assets" },
      { contract_id: contracts.nft, name: "lighthouse-nft", group: "assets" },
    ],
  };
}
