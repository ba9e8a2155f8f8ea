// The tenure: which burn block is current, and how much of its budget is left.
import { buildCoinbase, buildTenureChange } from "../tx-builders/tenure.ts";
import type { Block, BurnBlock } from "./block.ts";
import { add, type Cost, fullness, NOTHING, rest, scale, smaller, TENURE_LIMIT } from "./cost.ts";
import { digest, Random } from "./random.ts";
import { burnInterval } from "./schedule.ts";
import type { UnsignedTx } from "./transaction.ts";

const FIRST_BURN_HEIGHT = 974_001;
// One block takes at most this part of the budget, so a rush fills a tenure in a few minutes.
const BLOCK_SHARE = scale(TENURE_LIMIT, 0.03);
// A used-up budget is renewed after this long without a burn block, seconds.
const EXTEND_AFTER = 600;
const MINERS = 4;

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
  #renewedAt: number;
  #blocks = 0;

  constructor(seed: string, genesis: number, miners: readonly string[]) {
    this.#seed = seed;
    this.#random = new Random(`${seed}:burn`);
    this.#miners = miners;
    this.burn = { height: FIRST_BURN_HEIGHT - 1, hash: digest(seed, "burn", 0), time: genesis };
    this.#nextBurnAt = genesis;
    this.#renewedAt = genesis;
  }

  /** What the protocol puts at the head of a block at `now`: nothing, an extension, or a new tenure with its coinbase. */
  open(now: number, parent: Block | undefined): readonly UnsignedTx[] {
    if (now >= this.#nextBurnAt) return this.#begin(now, parent);
    if (fullness(this.#used) < 0.9 || now - this.#renewedAt < EXTEND_AFTER) return [];
    this.#used = NOTHING;
    this.#renewedAt = now;
    return [buildTenureChange(this.#miner(), "extended", this.burn.hash, parent, this.#blocks)];
  }

  /** What the block that is being built may cost. */
  room(): Cost {
    return smaller(BLOCK_SHARE, rest(TENURE_LIMIT, this.#used));
  }

  /** Counts a sealed block. */
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
    this.#renewedAt = now;
    this.#blocks = 0;
    const miner = this.#miner();
    return [
      buildTenureChange(miner, "block_found", this.burn.hash, parent, previous),
      buildCoinbase(miner, this.burn.hash),
    ];
  }

  #miner(): string {
    return this.#miners[this.burn.height % MINERS] ?? "";
  }
}

/** Number of miners that take turns. */
export const MINER_COUNT = MINERS;
