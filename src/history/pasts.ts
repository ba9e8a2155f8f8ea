// The pasts of a network: of each collector that is enabled and chosen, and of its targets.
import { addresses } from "../collectors/addresses/addresses.ts";
import { blocks } from "../collectors/blocks/blocks.ts";
import { contractCalls } from "../collectors/contract-calls/contract-calls.ts";
import { contracts } from "../collectors/contracts/contracts.ts";
import { loadDecoder } from "../collectors/event-rules/clarity-value.ts";
import { evaluate } from "../collectors/event-rules/evaluate.ts";
import type { EventRule } from "../collectors/event-rules/rule.ts";
import { transactions } from "../collectors/transactions/transactions.ts";
import type { NetworkConfig } from "../config/config.ts";
import { pastOfAddress } from "./addresses.ts";
import { pastOfBlocks } from "./blocks.ts";
import { pastOfCalls } from "./contract-calls.ts";
import { pastOfContract } from "./contracts.ts";
import type { Past } from "./past.ts";
import { pastOfTransactions } from "./transactions.ts";

/** The collectors that have a past, in the order of reading: events use the transactions that were read before. */
export const COLLECTORS_WITH_PAST = [
  blocks.name,
  transactions.name,
  addresses.name,
  contractCalls.name,
  contracts.name,
] as const;

/** The pasts of a network, in the order of reading. @param only names of collectors */
export async function pastsOf(network: NetworkConfig, only: readonly string[]): Promise<readonly Past[]> {
  const { name } = network;
  // The settings of a collector; undefined if it has no past here.
  const settingsOf = <Settings>({
    name: of,
  }: {
    readonly name: string;
    readonly options: { parse(value: unknown): Settings };
  }) => {
    const found = network.collectors.find((one) => one.name === of);
    return only.includes(of) && found !== undefined && !found.isHidden ? (found.options as Settings) : undefined;
  };
  const ofBlocks = settingsOf(blocks);
  const ofTransactions = settingsOf(transactions);
  const ofAddresses = settingsOf(addresses);
  const ofCalls = settingsOf(contractCalls);
  const ofContracts = settingsOf(contracts);
  const events = ofContracts === undefined ? [] : contracts.targets(network);
  const pasts: Past[] = [];
  if (ofBlocks !== undefined) pasts.push(pastOfBlocks(name, ofBlocks));
  if (ofTransactions !== undefined) pasts.push(pastOfTransactions(name, ofTransactions));
  if (ofAddresses !== undefined) {
    for (const target of addresses.targets(network, ofAddresses)) pasts.push(pastOfAddress(name, target, ofAddresses));
  }
  if (ofCalls !== undefined) {
    for (const target of contractCalls.targets(network)) pasts.push(pastOfCalls(name, target, ofCalls));
  }
  if (ofContracts !== undefined) {
    for (const target of events) {
      pasts.push(pastOfContract(name, target, ofContracts, await evaluatorOf(target.watched.rules ?? [])));
    }
  }
  return pasts;
}

async function evaluatorOf(rules: readonly EventRule[]) {
  if (rules.length === 0) return undefined;
  const decode = await loadDecoder();
  return (event: Parameters<typeof evaluate>[1]) => evaluate(rules, event, decode);
}
