// Replicas whose tip is too high.
import type { Block } from "../chain/block.ts";
import type { Chain } from "../chain/chain.ts";
import { NOTHING } from "../chain/cost.ts";
import { digest } from "../chain/random.ts";
import type { Records, View } from "../chain/records.ts";

// Number of made-up blocks that can be looked up by hash.
const MAX_KNOWN = 1000;
// Limits block times, however high the tip is.
const MAX_SECONDS = 60;

// The chain with `count` made-up blocks on top. The parent of the lowest one does not exist.
function withMadeUpBlocks({ ledger, options }: Chain, count: number): Records {
  const known = new Map<string, Block>();
  const hashAt = (height: number) => digest(options.seed, "made up", height);
  const indexHashAt = (height: number) => digest("index", hashAt(height));
  const make = (height: number, tip: Block) => {
    const block: Block = {
      ...tip,
      height,
      hash: hashAt(height),
      indexHash: indexHashAt(height),
      parentHash: hashAt(height - 1),
      parentIndexHash: indexHashAt(height - 1),
      time: tip.time + Math.min(height - tip.height, MAX_SECONDS),
      txs: [],
      cost: NOTHING,
    };
    known.set(block.hash, block).set(block.indexHash, block);
    for (const oldest of known.keys()) {
      if (known.size <= 2 * MAX_KNOWN) break;
      known.delete(oldest);
    }
    return block;
  };
  const atHeight = (height: number) => {
    const { tip } = ledger;
    if (tip === undefined || height <= tip.height) return ledger.atHeight(height);
    return height <= tip.height + count ? make(height, tip) : undefined;
  };
  const isCanonical = ({ height, hash }: Block) => atHeight(height)?.hash === hash;
  // The chain may have reached the height since.
  const find = (hash: string) => {
    const block = known.get(hash);
    return block !== undefined && isCanonical(block) ? block : undefined;
  };
  return {
    get tip() {
      return ledger.tip && atHeight(ledger.tip.height + count);
    },
    transactions: ledger.transactions,
    principals: ledger.principals,
    sponsored: ledger.sponsored,
    prints: ledger.prints,
    balances: ledger.balances,
    atHeight,
    isCanonical,
    byHash: (hash) => find(hash) ?? ledger.byHash(hash),
    byIndexHash: (hash) => find(hash) ?? ledger.byIndexHash(hash),
    placeOf: (txId) => ledger.placeOf(txId),
  };
}

/** A view whose tip is `blocks` too high, with made-up blocks or only as a number. */
export function aheadOf(chain: Chain, blocks: number, claims: "made-up" | "height"): View {
  return {
    accounts: chain.accounts,
    ledger: claims === "height" ? chain.ledger : withMadeUpBlocks(chain, blocks),
    mempool: chain.mempool,
    get height() {
      return chain.height === 0 ? 0 : chain.height + blocks;
    },
  };
}
