// The tenure: the current burn block, and how much of the execution budget is left. A new tenure renews the budget, and
// so do extends: of one dimension if at least half of that one alone is used, else of all of them.
import { buildCoinbase, buildTenureChange } from "../tx-builders/tenure.ts";
import type { Block, BurnBlock } from "./block.ts";
import { add, BUDGET, type Cost, DIMENSIONS, eachDimension, NOTHING } from "./cost.ts";
import { digest, Random } from "./random.ts";
import { burnInterval } from "./schedule.ts";
import type { TenureCause, UnsignedTx } from "./transaction.ts";

const FIRST_BURN_HEIGHT = 974_001;
/** A miner uses this share of the rest of a budget in one block. */
const BLOCK_SHARE = 0.25;
/** Least share of a dimension that is used when it is extended. */
const LEAST_USED = 0.5;
/** Number of miners, which alternate. */
export const MINER_COUNT = 4;

const EXTENDED: Readonly<Record<keyof Cost, TenureCause>> = {
  readCount: "extended_read_count",
  readLength: "extended_read_length",
  runtime: "extended_runtime",
  writeCount: "extended_write_count",
  writeLength: "extended_write_length",
};

/** Where a chain of tenures begins, and how often its budget is renewed. Times in virtual Unix seconds. */
export interface TenureOptions {
  readonly seed: string;
  readonly genesis: number;
  readonly miners: readonly string[];
  /** Least number of seconds between two renewals of a budget without a burn block. */
  readonly renewal: number;
}

/** Seconds between two renewals of a budget, as measured on mainnet in July 2026. */
export const RENEWAL_SECONDS = 144;

const BLOCK_SECONDS = 10;
const budgetsPerSecond = (renewal: number) => (1 - (1 - BLOCK_SHARE) ** (renewal / BLOCK_SECONDS)) / renewal;

/**
 * Cost of a call relative to a chain with the usual renewals: ordinary calls use about 40 % of the blocks, however
 * often budgets are renewed.
 */
export const callSize = (renewal: number): number => budgetsPerSecond(renewal) / budgetsPerSecond(RENEWAL_SECONDS);

/** Follows burn blocks and the execution budget. */
export class Tenure {
  burn: BurnBlock;
  /** Number of tenures so far. */
  height = 0;
  /** The cost of the blocks since the budget was renewed. */
  used: Cost = NOTHING;
  readonly #options: TenureOptions;
  readonly #random: Random;
  #nextBurnAt: number;
  #renewedAt: number;
  #blocks = 0;

  constructor(options: TenureOptions) {
    const { seed, genesis } = options;
    this.#options = options;
    this.#random = new Random(`${seed}:burn`);
    this.burn = { height: FIRST_BURN_HEIGHT - 1, hash: digest(seed, "burn", 0), time: genesis };
    this.#nextBurnAt = genesis;
    this.#renewedAt = genesis;
  }

  /** Protocol transactions that open a block at `now`: none, an extend, or a tenure change and its coinbase. */
  open(now: number, parent: Block | undefined): readonly UnsignedTx[] {
    if (now >= this.#nextBurnAt) return this.#begin(now, parent);
    const spent = DIMENSIONS.filter((dimension) => this.used[dimension] >= LEAST_USED * BUDGET[dimension]);
    const [first, ...others] = spent;
    if (first === undefined || now - this.#renewedAt < this.#options.renewal) return [];
    const isWhole = others.length > 0;
    this.used = isWhole ? NOTHING : { ...this.used, [first]: 0 };
    this.#renewedAt = now;
    const cause = isWhole ? "extended" : EXTENDED[first];
    return [buildTenureChange(this.#miner(), cause, this.burn.hash, parent, this.#blocks)];
  }

  /** The largest cost that the next block may have. */
  room(): Cost {
    return eachDimension((dimension) => BLOCK_SHARE * Math.max(0, BUDGET[dimension] - this.used[dimension]));
  }

  /** Counts a new block. */
  spend(cost: Cost): void {
    this.used = add(this.used, cost);
    this.#blocks += 1;
  }

  #begin(now: number, parent: Block | undefined): readonly UnsignedTx[] {
    const previous = this.#blocks;
    while (now >= this.#nextBurnAt) {
      const height = this.burn.height + 1;
      this.burn = { height, hash: digest(this.#options.seed, "burn", height), time: this.#nextBurnAt };
      this.#nextBurnAt += burnInterval(this.#random);
    }
    this.height += 1;
    this.used = NOTHING;
    this.#renewedAt = now;
    this.#blocks = 0;
    const miner = this.#miner();
    return [
      buildTenureChange(miner, "block_found", this.burn.hash, parent, previous),
      buildCoinbase(miner, this.burn.hash),
    ];
  }

  #miner(): string {
    return this.#options.miners[this.burn.height % MINER_COUNT] ?? "";
  }
}
