// Blocks and tenures: their capacity, the included transactions, and the price of inclusion.
import type { Random } from "../../simulator/chain/random.ts";
import type { Pool, Transaction } from "./pool.ts";
import type { World } from "./world.ts";

/** A block; the first one has the height 1. */
export interface Block {
  readonly height: number;
  /** In the order in which they were taken. */
  readonly transactions: readonly Transaction[];
  /**
   * Any higher fee would have been included, µSTX: the lowest included fee of a full block, 0 with room, Infinity if
   * nothing that pays was included although something waited.
   */
  readonly entry: number;
}

/** The miners of one chain. */
export class Miner {
  /** Execution cost of all blocks so far, in budgets of a tenure. */
  cost = 0;
  /** The lowest fee in the last full block, µSTX; 0 while blocks have room. Kept while the budget is used up. */
  price = 0;
  readonly #random: Random;
  readonly #chain: World["chain"];
  #burnAt = 0;
  #renewedAt = 0;
  #left = 0;
  #used = 0;
  #height = 0;

  constructor(random: Random, chain: World["chain"]) {
    this.#random = random;
    this.#chain = chain;
  }

  /** Seconds until the next block. */
  interval(): number {
    return this.#random.int(...this.#chain.blockSeconds);
  }

  /** Mines a block at `now` from the pool. */
  mine(now: number, pool: Pool): Block {
    const { tenureUnits, blockShare, units } = this.#chain;
    this.#open(now);
    const room = Math.min(this.#left, this.#random.poisson(blockShare * tenureUnits));
    const transactions: Transaction[] = [];
    let used = 0;
    let cheapest = Number.POSITIVE_INFINITY;
    while (used < room) {
      const best = pool.takeBest();
      if (best === undefined) break;
      transactions.push(best);
      used += units[best.type];
      if (best.fee > 0) cheapest = best.fee;
    }
    const isFull = pool.ready > 0;
    if (!isFull) this.price = 0;
    else if (cheapest < Infinity) this.price = cheapest;
    this.#left -= used;
    this.#used += used;
    this.cost = this.#used / tenureUnits;
    this.#height += 1;
    return { height: this.#height, transactions, entry: isFull ? cheapest : 0 };
  }

  #open(now: number): void {
    const { burnLeast, burnMore, tenureUnits, extendSeconds } = this.#chain;
    const isNew = now >= this.#burnAt;
    const isUsedUp = this.#left < 0.1 * tenureUnits && now - this.#renewedAt >= extendSeconds;
    if (!isNew && !isUsedUp) return;
    while (now >= this.#burnAt) this.#burnAt += burnLeast + Math.round(this.#random.exponential(burnMore));
    this.#left = tenureUnits;
    this.#renewedAt = now;
  }
}
