// The mempool as a queue by fee rate.
import { firstIndex, placeOf } from "./search.ts";

/** Types of transactions, under their wire names. */
export const TYPES = ["token_transfer", "contract_call", "smart_contract"] as const;
export type Type = (typeof TYPES)[number];

/** A waiting transaction: fee in µSTX, times in seconds of the trace. */
export interface Transaction {
  readonly type: Type;
  /** Number of its sender. */
  readonly sender: number;
  readonly fee: number;
  /** Execution cost, in average calls. Nearly nothing for a transfer of STX. */
  readonly cost: number;
  /** The cost by which miners compare it: that of earlier calls of the function. */
  readonly expected: number;
  /** The function that it calls, if those have different costs. */
  readonly calledFunction?: string | undefined;
  /** Time of its arrival. */
  readonly at: number;
  /** Time when it is withdrawn or dropped, if no block includes it. */
  readonly leavesAt: number;
  /** False if an earlier nonce is missing. It can only wait until it leaves. */
  readonly canBeMined: boolean;
}

/** The fee for an average call at the same rate, µSTX. Miners compare these. */
export const rateOf = ({ fee, expected }: Transaction): number => fee / expected;

/** The waiting transactions of one chain. */
export class Pool {
  /** Those that pay nothing or cost nothing, in the order of arrival: miners include them for other reasons. */
  #free: Transaction[] = [];
  /** Ascending by rate. */
  #ready: Transaction[] = [];
  /** Those that cannot be mined. */
  #stuck: Transaction[] = [];
  /** The fees of all waiting transactions, ascending. */
  readonly fees: number[] = [];

  /** Number of those that compete for space. */
  get ready(): number {
    return this.#ready.length;
  }

  /** All that wait. */
  get waiting(): readonly Transaction[] {
    return [...this.#free, ...this.#ready, ...this.#stuck];
  }

  /** A transaction arrives. */
  add(transaction: Transaction): void {
    const { fee, cost, canBeMined } = transaction;
    this.fees.splice(placeOf(this.fees, fee), 0, fee);
    if (!canBeMined) this.#stuck.push(transaction);
    else if (fee === 0 || cost === 0) this.#free.push(transaction);
    else {
      // Of equal rates the first to arrive is taken first, so is further right.
      const ready = this.#ready;
      const rate = rateOf(transaction);
      const at = firstIndex(ready.length, (index) => rateOf(ready[index] as Transaction) >= rate);
      ready.splice(at, 0, transaction);
    }
  }

  /** One that does not compete leaves for a block; undefined if there is none. */
  takeFree(): Transaction | undefined {
    return this.#taken(this.#free.shift());
  }

  /** The next one with the highest rate leaves for a block; undefined if none is ready. */
  takeBest(): Transaction | undefined {
    return this.#taken(this.#ready.pop());
  }

  /** Removes expired transactions. */
  expire(now: number): void {
    const stays = (transaction: Transaction) => {
      if (transaction.leavesAt > now) return true;
      this.#taken(transaction);
      return false;
    };
    this.#free = this.#free.filter(stays);
    this.#ready = this.#ready.filter(stays);
    this.#stuck = this.#stuck.filter(stays);
  }

  #taken(transaction: Transaction | undefined): Transaction | undefined {
    if (transaction !== undefined) this.fees.splice(placeOf(this.fees, transaction.fee), 1);
    return transaction;
  }
}
