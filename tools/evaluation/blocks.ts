// Blocks and the budgets that limit them: the included transactions, and the price of inclusion.
import type { Random } from "../../simulator/chain/random.ts";
import { type Pool, rateOf, type Transaction } from "./pool.ts";
import type { World } from "./world.ts";

/** A block. */
export interface Block {
  /** In the order in which they were taken. */
  readonly transactions: readonly Transaction[];
  /**
   * Any higher rate would have been included, µSTX for an average call: the lowest included rate of a full block, 0
   * with room, Infinity if nothing was included although something waited.
   */
  readonly entry: number;
}

// Deviations of the logarithms of the share of a budget in a block, and of the time to a renewal.
const SHARE_SIGMA = 0.3;
const EXTEND_SIGMA = 0.2;

/** The miners of one chain. */
export class Miner {
  /** The lowest rate in the last full block, µSTX; 0 while blocks have room. Kept while the budget is used up. */
  price = 0;
  readonly #random: Random;
  readonly #chain: World["chain"];
  #burnAt = 0;
  /** When each kind of renewal is possible. */
  readonly #extendAt: number[];
  /** Unused calls of the budget: its reads, and its writes. */
  readonly #left: [reads: number, writes: number] = [0, 0];

  constructor(random: Random, chain: World["chain"]) {
    this.#random = random;
    this.#chain = chain;
    this.#extendAt = chain.extends.map(() => 0);
  }

  /** Seconds until the next block. */
  interval(): number {
    return this.#random.int(...this.#chain.blockSeconds);
  }

  /** Mines a block at `now` from the pool. */
  mine(now: number, pool: Pool): Block {
    const { blockShare, transfersPerBlock } = this.#chain;
    this.#renew(now);
    const transactions: Transaction[] = [];
    for (let one = pool.takeFree(); one !== undefined; one = pool.takeFree()) {
      transactions.push(one);
      if (transactions.length >= transfersPerBlock) break;
    }
    const room = Math.min(...this.#left) * blockShare * this.#random.logNormal(1, SHARE_SIGMA);
    let used = 0;
    let cheapest = Number.POSITIVE_INFINITY;
    while (used < Math.min(room, ...this.#left)) {
      const best = pool.takeBest();
      if (best === undefined) break;
      transactions.push(best);
      used += best.cost;
      cheapest = rateOf(best);
    }
    const isFull = pool.ready > 0;
    if (!isFull) this.price = 0;
    else if (cheapest < Infinity) this.price = cheapest;
    this.#left[0] -= used;
    // Calls read more than they write.
    this.#left[1] -= used * this.#chain.writes;
    return { transactions, entry: isFull ? cheapest : 0 };
  }

  #renew(now: number): void {
    const { burnLeast, burnMore, budget } = this.#chain;
    if (now >= this.#burnAt) {
      while (now >= this.#burnAt) this.#burnAt += burnLeast + Math.round(this.#random.exponential(burnMore));
      this.#open([0, 1], now);
    }
    for (const [kind, { from, until, leastUsed, only }] of this.#chain.extends.entries()) {
      if (now < from || now >= until || now < (this.#extendAt[kind] as number)) continue;
      if (Math.min(...this.#left) > (1 - leastUsed) * budget) continue;
      this.#open(only === "reads" ? [0] : [0, 1], now);
    }
  }

  #open(dimensions: readonly (0 | 1)[], now: number): void {
    for (const dimension of dimensions) this.#left[dimension] = this.#chain.budget;
    for (const [kind, { seconds, only }] of this.#chain.extends.entries())
      if (dimensions.length > 1 || only !== undefined)
        this.#extendAt[kind] = now + seconds * this.#random.logNormal(1, EXTEND_SIGMA);
  }
}
