// Transactions that wait to be mined. Knows fees and nonces, not blocks.
import type { Pool } from "./records.ts";
import { sortByReceipt, type Tx } from "./transaction.ts";

const MAX_TRANSACTIONS = 8000;
// Removed transactions that are kept, for replicas that lag.
const REMOVED_KEPT = 200;

/** A transaction that was replaced or dropped. */
export interface Removed {
  readonly tx: Tx;
  /** Virtual Unix seconds. */
  readonly at: number;
}

/** The mempool of one node. */
export class Mempool implements Pool {
  readonly #txs = new Map<string, Tx>();
  readonly #pendingNonces = new Map<string, number>();
  readonly #removedTxs: Removed[] = [];
  #byFee: Tx[] = [];
  #isSorted = true;
  #byReceipt: readonly Tx[] | undefined;
  #version = 0;
  #touchedAt = 0;

  /** Number of waiting transactions. */
  get size(): number {
    return this.#txs.size;
  }

  values(): Iterable<Tx> {
    return this.#txs.values();
  }

  get(id: string): Tx | undefined {
    return this.#txs.get(id);
  }

  byReceipt(): readonly Tx[] {
    this.#byReceipt ??= sortByReceipt(this.#txs.values());
    return this.#byReceipt;
  }

  get mark(): string {
    return `${this.#touchedAt}.${String((this.#version * 7919) % 1_000_000).padStart(6, "0")}`;
  }

  /** Changes the mark. The API recomputes its statistics at each new block. */
  touch(now: number): void {
    this.#version += 1;
    this.#byReceipt = undefined;
    this.#touchedAt = now;
  }

  /** Adds a transaction. A full mempool drops it, which bounds memory in every scenario. */
  add(tx: Tx, now: number): void {
    if (this.#txs.size >= MAX_TRANSACTIONS) return;
    this.#txs.set(tx.id, tx);
    this.#byFee.push(tx);
    this.#isSorted = false;
    if (Number.isFinite(tx.readyAt)) this.#pendingNonces.set(tx.sender, this.nextNonce(tx.sender, tx.nonce + 1));
    this.touch(now);
  }

  /** The nonce for the sender's next transaction, given the next one on the chain. */
  nextNonce(sender: string, onChain: number): number {
    return Math.max(onChain, this.#pendingNonces.get(sender) ?? 0);
  }

  /** Highest fee first; equal fees in order of arrival. */
  byFee(): readonly Tx[] {
    if (!this.#isSorted) this.#byFee.sort((one, other) => other.fee - one.fee);
    this.#isSorted = true;
    return this.#byFee;
  }

  /** Removes mined transactions. */
  take(mined: readonly Tx[], now: number): void {
    for (const { id } of mined) this.#txs.delete(id);
    this.#removed(now);
  }

  /** Drops the transactions that match, and later ones of the same senders, whose nonces would have a gap. */
  drop(isUnwanted: (tx: Tx) => boolean, now: number): void {
    const gaps = new Map<string, number>();
    for (const tx of this.#txs.values()) {
      if (isUnwanted(tx)) gaps.set(tx.sender, Math.min(gaps.get(tx.sender) ?? Infinity, tx.nonce));
    }
    if (gaps.size === 0) return;
    for (const tx of this.#txs.values()) if (tx.nonce >= (gaps.get(tx.sender) ?? Infinity)) this.#txs.delete(tx.id);
    for (const [sender, nonce] of gaps) this.#pendingNonces.set(sender, nonce);
    this.#removed(now);
  }

  /** Removes one transaction. Later ones of its sender stay. */
  remove(id: string, now: number): void {
    const tx = this.#txs.get(id);
    if (tx === undefined) return;
    this.#txs.delete(id);
    this.#removedTxs.push({ tx, at: now });
    if (this.#removedTxs.length > REMOVED_KEPT) this.#removedTxs.shift();
    this.#removed(now);
  }

  /** The newest transactions that were removed one by one, oldest first. */
  get removed(): readonly Removed[] {
    return this.#removedTxs;
  }

  /** Drops all transactions. */
  clear(now: number): void {
    this.#txs.clear();
    this.#pendingNonces.clear();
    this.#removed(now);
  }

  #removed(now: number): void {
    if (this.#byFee.length !== this.#txs.size) this.#byFee = this.#byFee.filter(({ id }) => this.#txs.has(id));
    this.touch(now);
  }
}
