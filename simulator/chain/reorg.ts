// A reorganisation: the newest blocks become orphans, others of the same heights replace them.
import { type Block, sealBlock } from "./block.ts";
import { add, NOTHING } from "./cost.ts";
import type { Ledger } from "./ledger.ts";
import { digest, type Random } from "./random.ts";
import type { Tx } from "./transaction.ts";

/** The changes of a reorganisation. */
export interface Reorg {
  /** The orphaned blocks, oldest first. */
  readonly orphaned: readonly Block[];
  /** The blocks that replace them, oldest first. */
  readonly replaced: readonly Block[];
  /** Transactions that are no longer in a block and wait again. */
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
  const mined = orphaned.flatMap(({ txs }) => txs.filter(({ origin }) => origin !== "protocol"));
  const senders = new Set(mined.map(({ sender }) => sender));
  const unmined = new Set([...senders].filter(() => random.chance(0.16) && returns));
  const kept = mined.filter(({ sender }) => !unmined.has(sender));

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
  return { orphaned, replaced, returned: mined.filter(({ sender }) => unmined.has(sender)) };
}
