// Blocks and tenures: their capacity, the included transactions, and the price of inclusion.
import type { Random } from "../../simulator/chain/random.ts";
import type { Pool } from "./pool.ts";
import type { World } from "./world.ts";

/** The miners of one chain; a transaction uses one unit of the tenure's budget. */
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
  #mined = 0;

  constructor(random: Random, chain: World["chain"]) {
    this.#random = random;
    this.#chain = chain;
  }

  /** Seconds until the next block. */
  interval(): number {
    return this.#random.int(...this.#chain.blockSeconds);
  }

  /** Mines a block at `now` from the pool; returns how many transactions it took. */
  mine(now: number, pool: Pool): number {
    const { tenureUnits, blockShare } = this.#chain;
    this.#open(now);
    const room = Math.min(this.#left, this.#random.poisson(blockShare * tenureUnits));
    let taken = 0;
    let cheapest = Number.NaN;
    while (taken < room) {
      const best = pool.takeBest();
      if (best === undefined) break;
      cheapest = best.fee;
      taken += 1;
    }
    const isFull = pool.ready > 0;
    if (!isFull) this.price = 0;
    else if (taken > 0) this.price = cheapest;
    this.#left -= taken;
    this.#mined += taken;
    this.cost = this.#mined / tenureUnits;
    return taken;
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
