// All operations, in the order in which paths are tried.
import type { Operation } from "./operation.ts";
import { addressEvents } from "./operations/address-events.ts";
import { blockByHash, blockByHeight } from "./operations/blocks.ts";
import { blockItem, blockList } from "./operations/blocks-v2.ts";
import { contractEvents, contractLogs } from "./operations/contract-events.ts";
import { mempoolFees, mempoolStats } from "./operations/mempool.ts";
import { oldStatus, status } from "./operations/status.ts";
import { principalTransactions, transactions } from "./operations/transactions.ts";
import {
  blockTransactions,
  transactionEvents,
  transactionItem,
  transactionList,
} from "./operations/transactions-v3.ts";
import { transfers } from "./operations/transfers.ts";

/** Every operation that the simulator answers. */
export const OPERATIONS: readonly Operation[] = [
  mempoolStats,
  mempoolFees,
  addressEvents,
  contractEvents,
  transfers,
  transactions,
  blockByHeight,
  blockByHash,
  status,
  oldStatus,
  blockList,
  blockItem,
  contractLogs,
  principalTransactions,
  transactionList,
  transactionItem,
  transactionEvents,
  blockTransactions,
];

/** An operation and the parts of the path that led to it. */
export interface Match {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The operation of a path (without query); a trailing slash does not matter. */
export function route(pathname: string): Match | undefined {
  const path = pathname.length > 1 ? pathname.replace(/\/$/, "") : pathname;
  for (const operation of OPERATIONS) {
    const groups = operation.pattern.exec(path);
    if (groups === null) continue;
    const parts = Object.entries(groups.groups ?? {}).map(([name, value]) => [name, decode(value)]);
    return { operation, path: Object.fromEntries(parts) };
  }
  return undefined;
}
