// The tenure: the current burn block, and how much of the execution budget is left.
import { buildCoinbase, buildTenureChange } from "../tx-builders/tenure.ts";
import type { Block, BurnBlock } from "./block.ts";
import { add, type Cost, eachDimension, fullness, NOTHING, TENURE_LIMIT } from "./cost.ts";
import type { Ledger } from "./ledger.ts";
import { digest, Random } from "./random.ts";
import { burnInterval } from "./schedule.ts";
import type { UnsignedTx } from "./transaction.ts";

const FIRST_BURN_HEIGHT = 974_001;
/** The largest cost of one block. A mint rush therefore takes a few minutes to fill a tenure. */
export const BLOCK_LIMIT = eachDimension((dimension) => Math.round(TENURE_LIMIT[dimension] * 0.03));
// Seconds without a burn block after which a used-up budget is extended.
const EXTEND_AFTER = 600;
/** Number of miners, which alternate. */
export const MINER_COUNT = 4;

/** Follows burn blocks and the execution budget. Times in virtual Unix seconds. */
export class Tenure {
  burn: BurnBlock;
  /** Number of tenures so far. */
  height = 0;
  readonly #seed: string;
  readonly #random: Random;
  readonly #miners: readonly string[];
  #nextBurnAt: number;
  #used: Cost = NOTHING;
  #extendedAt: number;
  #blocks = 0;

  constructor(seed: string, genesis: number, miners: readonly string[]) {
    this.#seed = seed;
    this.#random = new Random(`${seed}:burn`);
    this.#miners = miners;
    this.burn = { height: FIRST_BURN_HEIGHT - 1, hash: digest(seed, "burn", 0), time: genesis };
    this.#nextBurnAt = genesis;
    this.#extendedAt = genesis;
  }

  /** Protocol transactions that open a block at `now`: none, an extension, or a tenure change and its coinbase. */
  open(now: number, parent: Block | undefined): readonly UnsignedTx[] {
    if (now >= this.#nextBurnAt) return this.#begin(now, parent);
    if (fullness(this.#used) < 0.9 || now - this.#extendedAt < EXTEND_AFTER) return [];
    this.#used = NOTHING;
    this.#extendedAt = now;
    return [buildTenureChange(this.#miner(), "extended", this.burn.hash, parent, this.#blocks)];
  }

  /** The largest cost that the next block may have. */
  room(): Cost {
    return eachDimension((dimension) =>
      Math.min(BLOCK_LIMIT[dimension], Math.max(0, TENURE_LIMIT[dimension] - this.#used[dimension])),
    );
  }

  /** Counts a new block. */
  spend(cost: Cost): void {
    this.#used = add(this.#used, cost);
    this.#blocks += 1;
  }

  #begin(now: number, parent: Block | undefined): readonly UnsignedTx[] {
    const previous = this.#blocks;
    while (now >= this.#nextBurnAt) {
      const height = this.burn.height + 1;
      this.burn = { height, hash: digest(this.#seed, "burn", height), time: this.#nextBurnAt };
      this.#nextBurnAt += burnInterval(this.#random);
    }
    this.height += 1;
    this.#used = NOTHING;
    this.#extendedAt = now;
    this.#blocks = 0;
    const miner = this.#miner();
    return [
      buildTenureChange(miner, "block_found", this.burn.hash, parent, previous),
      buildCoinbase(miner, this.burn.hash),
    ];
  }

  #miner(): string {
    return this.#miners[this.burn.height % MINER_COUNT] ?? "";
  }
}

/** Cost of the canonical blocks of the newest burn block. Above the limit once the tenure was extended. */
export function tenureCost({ blocks }: Ledger): Cost {
  const tip = blocks.at(-1);
  const start = blocks.findLastIndex(({ burn }) => burn.hash !== tip?.burn.hash) + 1;
  return blocks.slice(start).reduce((sum, { cost }) => add(sum, cost), NOTHING);
}
