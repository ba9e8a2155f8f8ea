// The mempool as a queue by fee, with its percentiles.

/** Types of waiting transactions, under their wire names. */
export const TYPES = ["token_transfer", "contract_call", "smart_contract"] as const;
export type Type = (typeof TYPES)[number];

/** A waiting transaction: fee in µSTX, times in seconds of the trace. */
export interface Transaction {
  readonly type: Type;
  readonly fee: number;
  /** When it is withdrawn or forgotten, if no block takes it. */
  readonly leavesAt: number;
}

/** First index with a fee above `fee`. Of equal fees the first to arrive is taken first, so is further right. */
function place(queue: readonly Transaction[], fee: number): number {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((queue[middle] as Transaction).fee < fee) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The fee at a rank of two ascending queues taken together. */
function ranked(one: readonly Transaction[], other: readonly Transaction[], rank: number): number {
  // How many of the `rank` lower ones are of `one`: the least number after which none of `other` is out of order.
  let low = Math.max(0, rank - other.length);
  let high = Math.min(rank, one.length);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((one[middle] as Transaction).fee < (other[rank - middle - 1] as Transaction).fee) low = middle + 1;
    else high = middle;
  }
  return Math.min(one[low]?.fee ?? Infinity, other[rank - low]?.fee ?? Infinity);
}

/** The waiting transactions of one chain. */
export class Pool {
  /** Ascending by fee. */
  #ready: Transaction[] = [];
  #stuck: Transaction[] = [];
  readonly #counts: Record<Type, number> = { token_transfer: 0, contract_call: 0, smart_contract: 0 };

  /** All that wait. */
  get size(): number {
    return this.#ready.length + this.#stuck.length;
  }

  /** Those that a miner could take. */
  get ready(): number {
    return this.#ready.length;
  }

  /** Those of one type that wait. */
  count(type: Type): number {
    return this.#counts[type];
  }

  /** A transaction arrives; one whose nonce is too high can only wait until it leaves. */
  add(transaction: Transaction, canBeMined: boolean): void {
    const queue = canBeMined ? this.#ready : this.#stuck;
    queue.splice(place(queue, transaction.fee), 0, transaction);
    this.#counts[transaction.type] += 1;
  }

  /** The best paid one leaves for a block; undefined when none is ready. */
  takeBest(): Transaction | undefined {
    const best = this.#ready.pop();
    if (best !== undefined) this.#counts[best.type] -= 1;
    return best;
  }

  /** Everything whose time is over leaves; returns how many did. */
  expire(now: number): number {
    const before = this.size;
    const stays = (transaction: Transaction) => {
      if (transaction.leavesAt > now) return true;
      this.#counts[transaction.type] -= 1;
      return false;
    };
    this.#ready = this.#ready.filter(stays);
    this.#stuck = this.#stuck.filter(stays);
    return before - this.size;
  }

  /** The quantile of all waiting fees, interpolated like `percentile_cont`; NaN when empty. */
  quantile(part: number): number {
    if (this.size === 0) return Number.NaN;
    const position = part * (this.size - 1);
    const below = Math.floor(position);
    const low = ranked(this.#ready, this.#stuck, below);
    if (position === below) return low;
    return low + (ranked(this.#ready, this.#stuck, below + 1) - low) * (position - below);
  }
}
