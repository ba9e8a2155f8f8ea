// All collectors and their families.
import type { Family } from "../exposition/family.ts";
import { addresses } from "./addresses/addresses.ts";
import { balances } from "./balances/balances.ts";
import { blocks } from "./blocks/blocks.ts";
import type { AnyCollector, WatchedNetwork } from "./collector.ts";
import { configuredFamilies } from "./configured.ts";
import { contractCalls } from "./contract-calls/contract-calls.ts";
import { contracts } from "./contracts/contracts.ts";
import { fees } from "./fees.ts";
import { mempool } from "./mempool.ts";
import { mempoolTransactions } from "./mempool-transactions/mempool-transactions.ts";
import { pox } from "./pox.ts";
import { staking } from "./staking.ts";
import { transactions } from "./transactions/transactions.ts";
import { waiting } from "./waiting/waiting.ts";

/** The collectors, in the order of the metrics page. */
export const collectors = [
  fees,
  mempool,
  blocks,
  transactions,
  mempoolTransactions,
  pox,
  addresses,
  balances,
  staking,
  waiting,
  contracts,
  contractCalls,
] as readonly AnyCollector[];

/** The families of the configuration and of all collectors, each once, in the order of the metrics page. */
export const collectorFamilies: readonly Family[] = [
  ...configuredFamilies,
  ...new Set(collectors.flatMap(({ families }) => families)),
];

/** The families of the event rules of networks, each once. */
export function ruleFamilies(networks: readonly Pick<WatchedNetwork, "contracts">[]): readonly Family[] {
  const rules = networks.flatMap(({ contracts }) => contracts.flatMap(({ rules = [] }) => rules));
  return [...new Set(rules.map(({ family }) => family))];
}

/** The collector with this name. There is one: a valid configuration has no other name. */
export const collectorOf = (name: string): AnyCollector =>
  collectors.find((collector) => collector.name === name) as AnyCollector;
