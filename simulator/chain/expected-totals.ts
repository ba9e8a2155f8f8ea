// Totals counted from the canonical blocks, without the indexes that the API responds from. Tests compare a client's
// counters with these.
import type { Place } from "./block.ts";
import type { Chain } from "./chain.ts";

/** All canonical transactions that are kept, oldest first. */
export function* canonicalTransactions({ ledger }: Chain): Generator<Place> {
  for (const block of ledger.blocks) {
    for (const [index, tx] of block.txs.entries()) yield { tx, block, index };
  }
}

/** Number of prints of a contract up to a height. @param to default the tip */
export function countPrints(chain: Chain, contract: string, to = Number.POSITIVE_INFINITY): number {
  let prints = 0;
  for (const { tx, block } of canonicalTransactions(chain)) {
    if (block.height > to) continue;
    for (const event of tx.events) if (event.kind === "print" && event.contract === contract) prints += 1;
  }
  return prints;
}
