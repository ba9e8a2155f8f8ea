// Entity tags: which state of the world an answer depends on, and whether the client has it already.
import { digest } from "../chain/random.ts";
import type { View } from "../chain/records.ts";

const quoteless = (...parts: readonly (string | number)[]) => digest(...parts).slice(2);

/** Operations 1 and 2: the last bookkeeping of the mempool. */
export function mempoolTag(chain: View): string {
  return chain.mempool.mark;
}

/** Everything that follows the chain tip; none while there is no block. */
export function tipTag(chain: View): string | undefined {
  return chain.ledger.tip?.indexHash;
}

/** Lists of a principal: its newest transaction, wherever that is mined. None for a principal without any. */
export function principalTag(chain: View, principal: string): string | undefined {
  const newest = chain.ledger.principals.of(principal).entries.at(-1);
  return newest === undefined ? undefined : quoteless("principal", newest.tx.id);
}

/** A transaction and its events: the transaction and its block, or that it waits. None for an unknown one. */
export function transactionTag(chain: View, txId: string): string | undefined {
  const place = chain.ledger.placeOf(txId);
  if (place === undefined) return chain.mempool.get(txId) === undefined ? undefined : quoteless("tx", txId);
  const isCanonical = chain.ledger.isCanonical(place.block);
  return quoteless("tx", txId, place.block.indexHash, place.tx.status, String(isCanonical));
}

/** Whether If-None-Match names the tag: strong or weak, alone or in a list. The server does not know `*`. */
export function matches(ifNoneMatch: string | undefined, tag: string | undefined): boolean {
  if (ifNoneMatch === undefined || tag === undefined) return false;
  return ifNoneMatch.split(",").some((entry) => entry.trim().replace(/^W\//, "") === `"${tag}"`);
}
