// A reorganisation: the newest blocks turn out not to count, others of the same heights take their place.
import { type Block, sealBlock } from "./block.ts";
import { add, NOTHING } from "./cost.ts";
import type { Ledger } from "./ledger.ts";
import { digest, type Random } from "./random.ts";
import type { Tx } from "./transaction.ts";

/** What changed. */
export interface Reorg {
  /** The blocks that were turned off, oldest first. */
  readonly orphaned: readonly Block[];
  /** The blocks in their place, oldest first. */
  readonly replaced: readonly Block[];
  /** Transactions that are in no block now and wait again. */
  readonly returned: readonly Tx[];
}

/**
 * Replaces the newest `depth` blocks. Most transactions are mined again, in order, in the new blocks; all those of
 * about every sixth sender are returned (all of a sender's, or its nonces would have a gap).
 */
export function reorganise(
  ledger: Ledger,
  random: Random,
  depth: number,
  fork: number,
  { seed, returns }: { readonly seed: string; readonly returns: boolean },
): Reorg {
  const orphaned: Block[] = [];
  for (let left = depth; left > 0 && ledger.blocks.length > 1; left -= 1) {
    const block = ledger.removeTip();
    if (block !== undefined) orphaned.unshift(block);
  }
  const users = orphaned.flatMap(({ txs }) => txs.filter(({ origin }) => origin !== "protocol"));
  const luckless = new Set(
    [...new Set(users.map(({ sender }) => sender))].filter(() => random.chance(0.16) && returns),
  );
  const kept = users.filter(({ sender }) => !luckless.has(sender));

  const replaced = orphaned.map((old, position) => {
    const from = Math.floor((position * kept.length) / orphaned.length);
    const to = Math.floor(((position + 1) * kept.length) / orphaned.length);
    const protocol = old.txs
      .filter(({ origin }) => origin === "protocol")
      .map((tx): Tx => ({ ...tx, id: digest(tx.id, "fork", fork) }));
    const txs = [...protocol, ...kept.slice(from, to)];
    const cost = txs.reduce((sum, tx) => add(sum, tx.cost), NOTHING);
    const { height, time, burn, tenureHeight } = old;
    const block = sealBlock(seed, { height, time, burn, tenureHeight, txs, cost, fork }, ledger.tip);
    ledger.append(block);
    return block;
  });
  return { orphaned, replaced, returned: users.filter(({ sender }) => luckless.has(sender)) };
}
