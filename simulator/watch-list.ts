// Who of the simulated chain is worth watching, with the names and groups that a small company would give them.
import type { Accounts } from "./chain/accounts.ts";

/** Entries of a watch list, as the exporter's configuration spells them. */
export interface WatchList {
  readonly addresses: readonly { readonly address: string; readonly name: string; readonly group: string }[];
  readonly contracts: readonly { readonly contract_id: string; readonly name: string; readonly group: string }[];
}

/** Accounts that act all the time, a contract that holds STX, and every contract; the token and the collection print nothing. */
export function watchListOf({ users, sponsor, deployer, contracts }: Accounts): WatchList {
  const [hotWallet = "", deposits = "", treasury = "", payroll = ""] = users;
  return {
    addresses: [
      { address: hotWallet, name: "hot-wallet", group: "exchange" },
      { address: deposits, name: "deposits", group: "exchange" },
      { address: treasury, name: "treasury", group: "dao" },
      { address: payroll, name: "payroll", group: "dao" },
      { address: sponsor, name: "sponsor", group: "app" },
      { address: deployer, name: "deployer", group: "app" },
      { address: contracts.vault, name: "tide-vault", group: "app" },
    ],
    contracts: [
      { contract_id: contracts.logger, name: "event-logger", group: "app" },
      { contract_id: contracts.vault, name: "tide-vault", group: "app" },
      { contract_id: contracts.token, name: "harbour-token", group: "assets" },
      { contract_id: contracts.nft, name: "lighthouse-nft", group: "assets" },
    ],
  };
}
