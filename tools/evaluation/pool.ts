// The mempool as a queue by fee.
import { firstIndex, placeOf } from "./search.ts";

/** Types of transactions, under their wire names. */
export type Type = "token_transfer" | "contract_call" | "smart_contract";

/** A waiting transaction: fee in µSTX, times in seconds of the trace. */
export interface Transaction {
  readonly type: Type;
  readonly fee: number;
  /** Time when it is withdrawn or dropped, if no block includes it. */
  readonly leavesAt: number;
  /** False if an earlier nonce is missing. It can only wait until it leaves. */
  readonly canBeMined: boolean;
}

/** The waiting transactions of one chain. */
export class Pool {
  /** Without a fee, in the order of arrival. */
  #free: Transaction[] = [];
  /** Ascending by fee. */
  #ready: Transaction[] = [];
  /** Those that cannot be mined. */
  #stuck: Transaction[] = [];
  readonly #fees: number[] = [];

  /** Number of those that a miner could take. */
  get ready(): number {
    return this.#free.length + this.#ready.length;
  }

  /** The fees of all waiting transactions, ascending. */
  get fees(): readonly number[] {
    return this.#fees;
  }

  /** A transaction arrives. */
  add(transaction: Transaction): void {
    const { fee, canBeMined } = transaction;
    this.#fees.splice(placeOf(this.#fees, fee), 0, fee);
    if (!canBeMined) this.#stuck.push(transaction);
    else if (fee === 0) this.#free.push(transaction);
    else {
      // Of equal fees the first to arrive is taken first, so is further right.
      const ready = this.#ready;
      const at = firstIndex(ready.length, (index) => (ready[index] as Transaction).fee >= fee);
      ready.splice(at, 0, transaction);
    }
  }

  /**
   * The next one leaves for a block: one without a fee, then the best paid one. Undefined when none is ready. Miners
   * include those without a fee for other reasons, so they never wait for a better price.
   */
  takeBest(): Transaction | undefined {
    const best = this.#free.shift() ?? this.#ready.pop();
    if (best !== undefined) this.#leave(best);
    return best;
  }

  /** Removes expired transactions. */
  expire(now: number): void {
    const stays = (transaction: Transaction) => {
      if (transaction.leavesAt > now) return true;
      this.#leave(transaction);
      return false;
    };
    this.#free = this.#free.filter(stays);
    this.#ready = this.#ready.filter(stays);
    this.#stuck = this.#stuck.filter(stays);
  }

  #leave({ fee }: Transaction): void {
    this.#fees.splice(placeOf(this.#fees, fee), 1);
  }
}
