// The mempool as a queue by fee, with its percentiles.

/** Types of waiting transactions, under their wire names. */
export const TYPES = ["token_transfer", "contract_call", "smart_contract"] as const;
export type Type = (typeof TYPES)[number];

/** A waiting transaction: fee in µSTX, times in seconds of the trace. */
export interface Transaction {
  readonly type: Type;
  readonly fee: number;
  /** Time when it arrived. */
  readonly at: number;
  /** Time when it is withdrawn or dropped, if no block includes it. */
  readonly leavesAt: number;
  /** False if an earlier nonce is missing. It can only wait until it leaves. */
  readonly canBeMined: boolean;
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
  /** Without a fee, in the order of arrival. */
  #free: Transaction[] = [];
  /** Ascending by fee. */
  #ready: Transaction[] = [];
  #stuck: Transaction[] = [];
  readonly #counts: Record<Type, number> = { token_transfer: 0, contract_call: 0, smart_contract: 0 };

  /** All that wait. */
  get size(): number {
    return this.ready + this.#stuck.length;
  }

  /** Those that a miner could take. */
  get ready(): number {
    return this.#free.length + this.#ready.length;
  }

  /** The transactions that wait, in no particular order. */
  *[Symbol.iterator](): Iterator<Transaction> {
    yield* this.#free;
    yield* this.#ready;
    yield* this.#stuck;
  }

  /** Those of one type that wait. */
  count(type: Type): number {
    return this.#counts[type];
  }

  /** A transaction arrives. */
  add(transaction: Transaction): void {
    this.#counts[transaction.type] += 1;
    if (transaction.fee === 0) this.#free.push(transaction);
    else {
      const queue = transaction.canBeMined ? this.#ready : this.#stuck;
      queue.splice(place(queue, transaction.fee), 0, transaction);
    }
  }

  /**
   * The next one leaves for a block: one without a fee, then the best paid one. Undefined when none is ready. Miners
   * include those without a fee for other reasons, so they never wait for a better price.
   */
  takeBest(): Transaction | undefined {
    const best = this.#free.shift() ?? this.#ready.pop();
    if (best !== undefined) this.#counts[best.type] -= 1;
    return best;
  }

  /** Removes expired transactions; returns their number. */
  expire(now: number): number {
    const before = this.size;
    const stays = (transaction: Transaction) => {
      if (transaction.leavesAt > now) return true;
      this.#counts[transaction.type] -= 1;
      return false;
    };
    this.#free = this.#free.filter(stays);
    this.#ready = this.#ready.filter(stays);
    this.#stuck = this.#stuck.filter(stays);
    return before - this.size;
  }

  /** The quantile of all waiting fees, interpolated like `percentile_cont`; NaN when empty. */
  quantile(part: number): number {
    if (this.size === 0) return Number.NaN;
    const position = part * (this.size - 1);
    const below = Math.floor(position);
    const low = this.#ranked(below);
    if (position === below) return low;
    return low + (this.#ranked(below + 1) - low) * (position - below);
  }

  #ranked(rank: number): number {
    const paid = rank - this.#free.length;
    return paid < 0 ? 0 : ranked(this.#ready, this.#stuck, paid);
  }
}
