// The transfers of transactions that are about to be counted: told by the list itself, by block (4.5), or by transaction.
import { isShortage } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import { isNotOffered } from "../../api/replacement.ts";
import { transactionEvents } from "../chain/transaction-source.ts";
import type { Transaction } from "./source.ts";
import {
  addressTransactionEvents,
  directionOf,
  readEvents,
  readTransfers,
  readTransfersOf,
  type Transfer,
  transactionsWithTransfers,
} from "./transfers.ts";

/** Where transfers are read. */
export interface TransferSources {
  /** Operation 4.5, a request for each block. */
  readonly byBlock: boolean;
  /** Operation 4.3, a request for each transaction that 4.5 lacks. */
  readonly byAddress: boolean;
  /** `/extended/v3/transactions/{tx_id}/events`, a request for each transaction, where 4.5 is not requested. */
  readonly byTransaction: boolean;
}

/** Blocks and transactions whose transfers no server tells yet, and since when. Unix times in milliseconds. */
export type Held = Readonly<Record<string, { readonly since: number; readonly polls: number }>>;

/** What can be counted now. */
export interface WithTransfers {
  /** By transaction; those that are missing here have to wait. */
  readonly transfers: ReadonlyMap<string, readonly Transfer[]>;
  /** Transactions that are counted without their transfers, because no server tells them. */
  readonly untold: number;
  readonly held: Held;
  /** Whether any source tells transfers. */
  readonly hasTransfers: boolean;
}

// A request each; more would not fit into the deadline of a poll.
const MOST_REQUESTS = 60;
// A backend that is behind does not have the block yet. After this it is no longer a matter of time.
const PATIENCE = { polls: 3, milliseconds: 3_600_000 };

/** Reads the transfers of transactions, which are in chain order. What was read before requests ran out is kept. */
export async function withTransfers(
  api: StacksApi,
  principal: string,
  ready: readonly Transaction[],
  wanted: TransferSources,
  before: Held,
  now: number,
): Promise<WithTransfers> {
  const sources = { ...wanted };
  const found = new Map<string, readonly Transfer[]>();
  const asked: Transaction[] = [];
  const isWanted = () => sources.byBlock || sources.byAddress || sources.byTransaction;
  for (const tx of ready) {
    const told = isWanted() ? ownTransfers(principal, tx) : [];
    if (told === undefined) asked.push(tx);
    else found.set(tx.id, told);
  }
  const requested: Requested = { ids: new Set(), left: MOST_REQUESTS };
  for (const block of Map.groupBy(asked, ({ hash }) => hash).values()) {
    if (requested.left <= 0) break;
    try {
      await readTransfersOfBlock(api, principal, block, sources, found, requested);
    } catch (error) {
      if (!isShortage(error)) throw error;
      break;
    }
  }
  const held: Record<string, Held[string]> = {};
  let untold = 0;
  for (const { id } of asked) {
    if (found.has(id)) continue;
    const { since, polls } = before[id] ?? { since: now, polls: 0 };
    const isGivenUp = polls + 1 >= PATIENCE.polls && now - since >= PATIENCE.milliseconds;
    if (!isWanted()) found.set(id, []);
    else if (!requested.ids.has(id)) {
      // What was not reached keeps its patience.
      if (polls > 0) held[id] = { since, polls };
    } else if (!isGivenUp) held[id] = { since, polls: polls + 1 };
    else {
      found.set(id, []);
      untold += 1;
    }
  }
  return { transfers: found, untold, held, hasTransfers: isWanted() };
}

/** Transactions whose transfers were requested, and the requests that are left. */
interface Requested {
  readonly ids: Set<string>;
  left: number;
}

/** Reads the transfers of the transactions of one block. */
async function readTransfersOfBlock(
  api: StacksApi,
  principal: string,
  block: readonly Transaction[],
  sources: { byBlock: boolean; byAddress: boolean; byTransaction: boolean },
  found: Map<string, readonly Transfer[]>,
  requested: Requested,
): Promise<void> {
  const [{ height, hash }] = block as [Transaction];
  const missing = () => block.filter(({ id }) => !found.has(id));
  const unlessGone = async (source: keyof TransferSources, operation: { name: string }, read: () => Promise<void>) => {
    try {
      if (sources[source] && missing().length > 0) await read();
    } catch (error) {
      if (!isNotOffered(error, operation)) throw error;
      sources[source] = false;
    }
  };
  await unlessGone("byBlock", transactionsWithTransfers, async () => {
    requested.left -= 1;
    const ofTheBlock = await readTransfers(api, principal, height, hash);
    for (const { id } of block) {
      requested.ids.add(id);
      const transfers = ofTheBlock.get(id);
      if (transfers !== undefined) found.set(id, transfers);
    }
  });
  const each = async (
    read: (api: StacksApi, principal: string, id: string) => Promise<readonly Transfer[] | undefined>,
  ) => {
    for (const { id } of missing()) {
      if (requested.left <= 0) return;
      requested.left -= 1;
      const transfers = await read(api, principal, id);
      requested.ids.add(id);
      if (transfers !== undefined) found.set(id, transfers);
    }
  };
  await unlessGone("byAddress", addressTransactionEvents, () => each(readEvents));
  if (!sources.byBlock) await unlessGone("byTransaction", transactionEvents, () => each(readTransfersOf));
}

/** The transfers of a transaction as far as the list itself tells them; undefined when they have to be read. */
function ownTransfers(principal: string, tx: Transaction): readonly Transfer[] | undefined {
  if (!mayHaveMoved(principal, tx)) return [];
  const isPlain = tx.type === "token_transfer" && (tx.detail === undefined || tx.detail.eventCount === 1);
  if (!isPlain || tx.transfer === undefined || tx.tokens?.ft || tx.tokens?.nft) return undefined;
  const direction = directionOf(principal, tx.sender, tx.transfer.recipient);
  if (direction === undefined) return undefined;
  return [{ kind: "stx", asset: "", direction, amount: tx.transfer.amount, other: undefined }];
}

function mayHaveMoved(
  principal: string,
  { detail, tokens, sent, received, fee, sender, sponsor }: Transaction,
): boolean {
  if (detail !== undefined) {
    return Object.values(detail.events).some((actions) => Object.values(actions).some((count) => count > 0));
  }
  const paid = (sponsor ?? sender) === principal ? (fee ?? 0n) : 0n;
  return tokens?.ft === true || tokens?.nft === true || (sent ?? 0n) > paid || (received ?? 0n) > 0n;
}
