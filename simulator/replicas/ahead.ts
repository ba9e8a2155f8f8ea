// Replicas whose tip is too high.
import type { Block, Place, Position } from "../chain/block.ts";
import type { Chain } from "../chain/chain.ts";
import { NOTHING } from "../chain/cost.ts";
import type { Ledger } from "../chain/ledger.ts";
import { digest } from "../chain/random.ts";
import type { Records, View } from "../chain/records.ts";

// Number of made-up blocks that can be looked up by hash.
const REMEMBERED = 1000;
// Limits block times, however high the tip is.
const MOST_SECONDS = 60;

/** Adds `blocks` made-up blocks to the top of the chain. The parent of the lowest one does not exist. */
class MadeUp implements Records {
  readonly principals: Ledger["principals"];
  readonly sponsored: Ledger["sponsored"];
  readonly prints: Ledger["prints"];
  readonly #truth: Ledger;
  readonly #blocks: number;
  readonly #seed: string;
  readonly #known = new Map<string, Block>();

  constructor(truth: Ledger, blocks: number, seed: string) {
    this.principals = truth.principals;
    this.sponsored = truth.sponsored;
    this.prints = truth.prints;
    this.#truth = truth;
    this.#blocks = blocks;
    this.#seed = seed;
  }

  get tip(): Block | undefined {
    const { tip } = this.#truth;
    return tip === undefined ? undefined : this.atHeight(tip.height + this.#blocks);
  }

  get txCount(): number {
    return this.#truth.txCount;
  }

  atHeight(height: number): Block | undefined {
    const { tip } = this.#truth;
    if (tip === undefined || height <= tip.height) return this.#truth.atHeight(height);
    return height <= tip.height + this.#blocks ? this.#make(height, tip) : undefined;
  }

  isCanonical({ height, hash }: Block): boolean {
    return this.atHeight(height)?.hash === hash;
  }

  byHash(hash: string): Block | undefined {
    return this.#find(hash) ?? this.#truth.byHash(hash);
  }

  byIndexHash(hash: string): Block | undefined {
    return this.#find(hash) ?? this.#truth.byIndexHash(hash);
  }

  placeOf(txId: string): Place | undefined {
    return this.#truth.placeOf(txId);
  }

  older(from: Position): Iterable<Place> {
    return this.#truth.older(from);
  }

  newer(than: Position): Iterable<Place> {
    return this.#truth.newer(than);
  }

  // The chain may have reached the height since.
  #find(hash: string): Block | undefined {
    const block = this.#known.get(hash);
    return block !== undefined && this.isCanonical(block) ? block : undefined;
  }

  #make(height: number, top: Block): Block {
    const hashAt = (at: number) => digest(this.#seed, "made up", at);
    const indexAt = (at: number) => digest("index", hashAt(at));
    const block: Block = {
      ...top,
      height,
      hash: hashAt(height),
      indexHash: indexAt(height),
      parentHash: hashAt(height - 1),
      parentIndexHash: indexAt(height - 1),
      time: top.time + Math.min(height - top.height, MOST_SECONDS),
      txs: [],
      cost: NOTHING,
    };
    this.#known.set(block.hash, block).set(block.indexHash, block);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= 2 * REMEMBERED) break;
      this.#known.delete(oldest);
    }
    return block;
  }
}

/** A view whose tip is `blocks` too high, with made-up blocks or only as a number. */
export function aheadOf(chain: Chain, blocks: number, claims: "made-up" | "height"): View {
  const ledger = claims === "height" ? chain.ledger : new MadeUp(chain.ledger, blocks, chain.options.seed);
  return {
    ledger,
    mempool: chain.mempool,
    get height() {
      return chain.height === 0 ? 0 : chain.height + blocks;
    },
  };
}
