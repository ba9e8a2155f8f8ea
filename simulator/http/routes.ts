// All operations, in the order in which paths are matched.
import type { Operation } from "./operation.ts";
import { addressEvents } from "./operations/address-events.ts";
import { stxBalance, tokenBalances } from "./operations/balances.ts";
import { blockByHash, blockByHeight, blockItem, blockList } from "./operations/blocks.ts";
import { contractEvents, contractLogs } from "./operations/contract-events.ts";
import { mempoolFees, mempoolStats, mempoolTransactions } from "./operations/mempool.ts";
import { nonces, principalMempool } from "./operations/principal-mempool.ts";
import { pox, staking } from "./operations/staking.ts";
import { status } from "./operations/status.ts";
import { principalTransactions, transactionDetails, transactions } from "./operations/transactions.ts";
import { transactionEvents, transactionItem, transactionList } from "./operations/transactions-v3.ts";
import { transfers } from "./operations/transfers.ts";

const OPERATIONS: readonly Operation[] = [
  mempoolStats,
  mempoolFees,
  mempoolTransactions,
  addressEvents,
  contractEvents,
  transfers,
  transactions,
  transactionDetails,
  blockByHeight,
  blockByHash,
  status,
  blockList,
  blockItem,
  contractLogs,
  principalTransactions,
  transactionList,
  transactionItem,
  transactionEvents,
  stxBalance,
  tokenBalances,
  principalMempool,
  nonces,
  staking,
  pox,
];

function decode(part = ""): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The operation of a path (without query), with its path parameters. A trailing slash is ignored. */
export function route(
  pathname: string,
): { readonly operation: Operation; readonly path: Readonly<Record<string, string>> } | undefined {
  const trimmed = pathname.length > 1 ? pathname.replace(/\/$/, "") : pathname;
  for (const operation of OPERATIONS) {
    const parts = operation.pattern.exec(trimmed);
    if (parts === null) continue;
    const names = [...operation.template.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    return { operation, path: Object.fromEntries(names.map((name, index) => [name, decode(parts[index + 1])])) };
  }
  return undefined;
}
