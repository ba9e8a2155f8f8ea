// Entity tags: the part of the state that a response depends on, and whether the client has it already.
import { digest } from "../chain/random.ts";
import type { View } from "../chain/records.ts";
import { lockOf } from "../chain/stacking.ts";
import type { Tx } from "../chain/transaction.ts";

const hexTag = (...parts: readonly string[]) => digest(...parts).slice(2);

/** Mempool responses: the last change of the mempool. */
export const mempoolTag = (chain: View): string => chain.mempool.mark;

/** Everything that follows the chain tip; none before the first block. */
export const tipTag = (chain: View): string | undefined => chain.ledger.tip?.indexHash;

/** Lists of a principal: its newest transaction, wherever that is mined. None for a principal without any. */
export function principalTag(chain: View, principal: string): string | undefined {
  const newest = chain.ledger.principals.of(principal).entries.at(-1);
  return newest && hexTag("principal", newest.tx.id);
}

/** Waiting transactions that a principal sends, sponsors or receives as a transfer, in order of arrival. */
export function waitingOf({ mempool }: View, principal: string): Tx[] {
  return [...mempool.values()].filter(
    ({ sender, sponsor, payload }) =>
      sender === principal ||
      sponsor === principal ||
      (payload.type === "token_transfer" && payload.recipient === principal),
  );
}

/** A principal with its waiting transactions: its newest mined transaction, its newest waiting one, and its lock. */
export function activityTag(chain: View, principal: string): string | undefined {
  const confirmed = principalTag(chain, principal);
  const waiting = waitingOf(chain, principal).at(-1);
  const lock = lockOf(chain, principal);
  if (waiting === undefined && lock === undefined) return confirmed;
  if (waiting === undefined && confirmed === undefined) return undefined;
  return hexTag("activity", confirmed ?? "", waiting?.id ?? "", lock?.txId ?? "");
}

/** A transaction and its events: the transaction and its block, if it is mined. None for an unknown one. */
export function transactionTag({ ledger, mempool }: View, txId: string): string | undefined {
  const place = ledger.placeOf(txId);
  if (place === undefined) return mempool.get(txId) && hexTag("tx", txId);
  return hexTag("tx", txId, place.block.indexHash, place.tx.status, String(ledger.isCanonical(place.block)));
}

/** Whether If-None-Match contains the tag: strong or weak, alone or in a list. The server ignores `*`. */
export function matches(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined || tag === undefined) return false;
  return ifNoneMatch.split(",").some((entry) => entry.trim().replace(/^W\//, "") === `"${tag}"`);
}
