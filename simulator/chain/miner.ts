// Selects the transactions of a block: highest fees first, in the order of nonces, as long as there is room. Transfers
// cost next to nothing, so they are included while calls wait.
import { add, type Cost, fits, NOTHING } from "./cost.ts";
import type { Tx } from "./transaction.ts";

/** The selected transactions. */
export interface Selection {
  readonly txs: readonly Tx[];
  readonly cost: Cost;
  /** Whether a transaction did not fit. */
  readonly isFull: boolean;
  /** The lowest fee among those that need a budget, µSTX; Infinity without any. */
  readonly cheapest: number;
}

const PASSES = 4;
// After this many transactions that do not fit, the miner looks for transfers only.
const MISSES = 25;

/** Selects from `byFee` (highest first) what fits into `room`. `nonceOf` returns a sender's next nonce on the chain. */
export function selectTransactions(
  byFee: readonly Tx[],
  room: Cost,
  now: number,
  nonceOf: (sender: string) => number,
): Selection {
  const txs: Tx[] = [];
  const expected = new Map<string, number>();
  let cost = NOTHING;
  let misses = 0;
  let cheapest = Number.POSITIVE_INFINITY;
  let candidates = byFee;
  // A high fee may have to wait for a lower one of the same sender, hence several passes.
  for (let pass = 0; pass < PASSES; pass += 1) {
    const later: Tx[] = [];
    const before = txs.length;
    for (const tx of candidates) {
      const isTransfer = tx.type === "token_transfer";
      if (tx.readyAt > now || (!isTransfer && misses >= MISSES)) continue;
      const next = expected.get(tx.sender) ?? nonceOf(tx.sender);
      if (tx.nonce !== next) {
        later.push(tx);
        continue;
      }
      const sum = add(cost, tx.cost);
      if (!fits(sum, room)) {
        misses += 1;
        continue;
      }
      txs.push(tx);
      cost = sum;
      if (!isTransfer) cheapest = Math.min(cheapest, tx.fee);
      expected.set(tx.sender, next + 1);
    }
    if (txs.length === before) break;
    candidates = later;
  }
  return { txs, cost, isFull: misses > 0, cheapest };
}
