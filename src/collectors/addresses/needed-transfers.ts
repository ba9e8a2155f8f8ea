// Reads the transfers of transactions that are about to be counted: from the list itself, by block, or
// by transaction.
import { type ApiError, isShortage } from "../../api/errors.ts";
import type { Operation, StacksApi } from "../../api/operation.ts";
import { isNotOffered } from "../../api/replacement.ts";
import { transactionEvents } from "../chain/transaction-source.ts";
import type { Options } from "./options.ts";
import type { Transaction } from "./source.ts";
import {
  addressTransactionEvents,
  readAddressEvents,
  readBlockTransfers,
  readTransactionEvents,
  type Transfer,
  transactionsWithTransfers,
  transferDirection,
} from "./transfer-source.ts";

/** The operations that return transfers. Set to false when the server has removed the operation. */
interface TransferSources {
  /** `transactions_with_transfers`, one request per block. */
  byBlock: boolean;
  /** `address_transaction_events`, one request per transaction that `transactions_with_transfers` lacks. */
  byAddress: boolean;
  /** `/extended/v3/transactions/{tx_id}/events`, one request per transaction, without the operation for blocks. */
  byTransaction: boolean;
}

/** The operations to use. */
export function transferSources(api: StacksApi, settings: Options, useReplacement: boolean): TransferSources {
  const isUsed = (operation: Operation) => settings.transfers && !api.isRetired(operation);
  return {
    byBlock: !useReplacement && isUsed(transactionsWithTransfers),
    byAddress: settings.transaction_events && !useReplacement && isUsed(addressTransactionEvents),
    byTransaction: isUsed(transactionEvents),
  };
}

/** Transactions without transfers in any response: since when (Unix time in milliseconds), and in how many polls. */
export type MissingTransfers = Readonly<Record<string, { readonly since: number; readonly polls: number }>>;

/** The transfers of transactions. */
interface NeededTransfers {
  /** By transaction id. Transactions that are not in it have to wait. */
  readonly transfers: ReadonlyMap<string, readonly Transfer[]>;
  /** Number of transactions to count without their transfers, because no response had them for too long. */
  readonly withoutTransfers: number;
  readonly missing: MissingTransfers;
  /** Whether any operation returns transfers. */
  readonly hasTransfers: boolean;
  /** Why the others were not read; undefined if nothing failed. */
  readonly shortage: ApiError | undefined;
}

/** Maximum number of requests for transfers in one poll. More would exceed its deadline. */
export const MAX_REQUESTS = 60;
// Time that a backend may lag behind the block.
const MAX_WAIT = { polls: 3, milliseconds: 3_600_000 };

/** Reads the transfers of transactions, oldest first. When the budget is used up, returns those read so far. */
export async function readNeededTransfers(
  api: StacksApi,
  principal: string,
  transactions: readonly Transaction[],
  sources: TransferSources,
  missingBefore: MissingTransfers,
  now: number,
): Promise<NeededTransfers> {
  const transfers = new Map<string, readonly Transfer[]>();
  const unlisted: Transaction[] = [];
  const hasSource = () => sources.byBlock || sources.byAddress || sources.byTransaction;
  for (const tx of transactions) {
    const listed = hasSource() ? listedTransfers(principal, tx) : [];
    if (listed === undefined) unlisted.push(tx);
    else transfers.set(tx.id, listed);
  }
  let shortage: ApiError | undefined;
  const requests: Requests = { ids: new Set(), left: MAX_REQUESTS };
  for (const block of Map.groupBy(unlisted, ({ hash }) => hash).values()) {
    if (requests.left <= 0) break;
    try {
      await readForBlock(api, principal, block, sources, transfers, requests);
    } catch (error) {
      if (!isShortage(error)) throw error;
      shortage = error;
      break;
    }
  }
  const missing: Record<string, MissingTransfers[string]> = {};
  let withoutTransfers = 0;
  for (const { id } of unlisted) {
    if (transfers.has(id)) continue;
    const { since, polls } = missingBefore[id] ?? { since: now, polls: 0 };
    if (!hasSource()) transfers.set(id, []);
    else if (!requests.ids.has(id)) {
      // Not requested in this poll: the number of polls stays.
      if (polls > 0) missing[id] = { since, polls };
    } else if (polls + 1 < MAX_WAIT.polls || now - since < MAX_WAIT.milliseconds) {
      missing[id] = { since, polls: polls + 1 };
    } else {
      transfers.set(id, []);
      withoutTransfers += 1;
    }
  }
  return { transfers, withoutTransfers, missing, hasTransfers: hasSource(), shortage };
}

/** Transactions whose transfers were requested, and the number of requests left. */
interface Requests {
  readonly ids: Set<string>;
  left: number;
}

/** Reads the transfers of transactions of one block into `transfers`. */
async function readForBlock(
  api: StacksApi,
  principal: string,
  block: readonly Transaction[],
  sources: TransferSources,
  transfers: Map<string, readonly Transfer[]>,
  requests: Requests,
): Promise<void> {
  const [{ height, hash }] = block as [Transaction];
  const unread = () => block.filter(({ id }) => !transfers.has(id));
  const add = (id: string, found: readonly Transfer[] | undefined) => {
    requests.ids.add(id);
    if (found !== undefined) transfers.set(id, found);
  };
  const ifOffered = async (source: keyof TransferSources, operation: Operation, read: () => Promise<void>) => {
    try {
      if (sources[source] && unread().length > 0) await read();
    } catch (error) {
      if (!isNotOffered(error, operation)) throw error;
      sources[source] = false;
    }
  };
  const readEach = async (read: typeof readAddressEvents) => {
    for (const { id } of unread()) {
      if (requests.left <= 0) return;
      requests.left -= 1;
      add(id, await read(api, principal, id));
    }
  };
  await ifOffered("byBlock", transactionsWithTransfers, async () => {
    requests.left -= 1;
    const found = await readBlockTransfers(api, principal, height, hash);
    for (const { id } of block) add(id, found.get(id));
  });
  await ifOffered("byAddress", addressTransactionEvents, () => readEach(readAddressEvents));
  if (!sources.byBlock) await ifOffered("byTransaction", transactionEvents, () => readEach(readTransactionEvents));
}

/** The transfers of a transaction as listed; undefined when they have to be read. */
function listedTransfers(principal: string, tx: Transaction): readonly Transfer[] | undefined {
  if (!canHaveTransfers(principal, tx)) return [];
  const isPlain = tx.type === "token_transfer" && (tx.detail === undefined || tx.detail.eventCount === 1);
  if (!isPlain || tx.transfer === undefined || tx.tokens?.ft || tx.tokens?.nft) return undefined;
  const direction = transferDirection(principal, tx.sender, tx.transfer.recipient);
  if (direction === undefined) return undefined;
  return [{ kind: "stx", asset: "", direction, amount: tx.transfer.amount }];
}

function canHaveTransfers(
  principal: string,
  { detail, tokens, sent, received, fee, sender, sponsor }: Transaction,
): boolean {
  if (detail !== undefined) return detail.hasTransfers;
  const paid = (sponsor ?? sender) === principal ? (fee ?? 0n) : 0n;
  return tokens?.ft === true || tokens?.nft === true || (sent ?? 0n) > paid || (received ?? 0n) > 0n;
}
