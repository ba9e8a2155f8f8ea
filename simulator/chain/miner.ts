// Which waiting transactions get in: the best paid, in the order of nonces, as long as there is room.
import { add, type Cost, fits, NOTHING } from "./cost.ts";
import type { Tx } from "./transaction.ts";

/** What a miner chose. */
export interface Selection {
  readonly txs: readonly Tx[];
  readonly cost: Cost;
  /** Whether something was left out for lack of room. */
  readonly isFull: boolean;
}

const PASSES = 4;
// After so many that do not fit, the rest is not worth the look.
const MISSES = 25;

/** Selects from `byFee` (best first) what fits into `room`; `nonceOf` tells the next nonce on the chain. */
export function select(byFee: readonly Tx[], room: Cost, now: number, nonceOf: (sender: string) => number): Selection {
  const chosen: Tx[] = [];
  const expected = new Map<string, number>();
  let cost = NOTHING;
  let misses = 0;
  let candidates = byFee;
  // A well paid transaction may have to wait for a badly paid one of the same sender, hence several passes.
  for (let pass = 0; pass < PASSES && misses < MISSES; pass += 1) {
    const later: Tx[] = [];
    const before = chosen.length;
    for (const tx of candidates) {
      if (tx.readyAt > now) continue;
      const next = expected.get(tx.sender) ?? nonceOf(tx.sender);
      if (tx.nonce !== next) {
        later.push(tx);
        continue;
      }
      const sum = add(cost, tx.cost);
      if (!fits(sum, room)) {
        misses += 1;
        if (misses >= MISSES) break;
        continue;
      }
      chosen.push(tx);
      cost = sum;
      expected.set(tx.sender, next + 1);
    }
    if (chosen.length === before) break;
    candidates = later;
  }
  return { txs: chosen, cost, isFull: misses > 0 };
}
