// A reorganisation: the newest blocks become orphans, others of the same heights replace them.
import { type Block, sealBlock } from "./block.ts";
import { err, none } from "./clarity.ts";
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

/** Options of a reorganisation. */
export interface ReorgOptions {
  /**
   * `same`: each transaction is mined again in the block of the same height, at the same index. `moved`: in order, in
   * any of the new blocks, without those of about every sixth sender (all of a sender's, or its nonces would have a
   * gap), which wait again. @default moved
   */
  readonly places?: "moved" | "same";
  /** Share of the transactions that fail in their new block, so that they have no events there. 0 to 1. @default 0 */
  readonly aborted?: number;
}

/** Replaces the newest `depth` blocks. */
export function reorganise(
  ledger: Ledger,
  random: Random,
  depth: number,
  fork: number,
  { seed, places, aborted = 0 }: ReorgOptions & { readonly seed: string },
): Reorg {
  const orphaned: Block[] = [];
  for (let left = depth; left > 0 && ledger.blocks.length > 1; left -= 1) {
    const block = ledger.removeTip();
    if (block !== undefined) orphaned.unshift(block);
  }
  const mined = orphaned.flatMap(({ txs }) => txs.filter(({ origin }) => origin !== "protocol"));
  const senders = new Set(mined.map(({ sender }) => sender));
  const isSame = places === "same";
  const unmined = new Set([...senders].filter(() => random.chance(0.16) && !isSame));
  const again = (tx: Tx): Tx => {
    if (tx.origin === "protocol") return { ...tx, id: digest(tx.id, "fork", fork) };
    if (aborted === 0 || !random.chance(aborted)) return tx;
    return { ...tx, status: "abort_by_response", result: err(none), events: [] };
  };
  const kept = mined.filter(({ sender }) => !unmined.has(sender)).map(again);

  const replaced = orphaned.map((old, position) => {
    const from = Math.floor((position * kept.length) / orphaned.length);
    const to = Math.floor(((position + 1) * kept.length) / orphaned.length);
    const protocol = old.txs.filter(({ origin }) => origin === "protocol").map(again);
    const txs = isSame ? old.txs.map(again) : [...protocol, ...kept.slice(from, to)];
    const cost = txs.reduce((sum, tx) => add(sum, tx.cost), NOTHING);
    const { height, time, burn, tenureHeight } = old;
    const block = sealBlock(seed, { height, time, burn, tenureHeight, txs, cost, fork }, ledger.tip);
    ledger.append(block);
    return block;
  });
  return { orphaned, replaced, returned: mined.filter(({ sender }) => unmined.has(sender)) };
}
