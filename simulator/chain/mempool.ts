// Transactions that wait. Knows fees and nonces, not blocks.
import type { Pool } from "./records.ts";
import type { Tx } from "./transaction.ts";

const MOST = 8000;

/** The pool of one node. */
export class Mempool implements Pool {
  readonly #txs = new Map<string, Tx>();
  readonly #pendingNonces = new Map<string, number>();
  #byFee: Tx[] = [];
  #isSorted = true;
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

  /** Whether this transaction waits. */
  has(id: string): boolean {
    return this.#txs.has(id);
  }

  get mark(): string {
    return `${this.#touchedAt}.${String((this.#version * 7919) % 1_000_000).padStart(6, "0")}`;
  }

  /** Notes a bookkeeping at a virtual time (Unix seconds), as each new block causes one. */
  touch(now: number): void {
    this.#version += 1;
    this.#touchedAt = now;
  }

  /** Lets a transaction wait; a pool at its bound refuses, so that no scenario can eat the machine. */
  add(tx: Tx, now: number): void {
    if (this.#txs.size >= MOST) return;
    this.#txs.set(tx.id, tx);
    this.#byFee.push(tx);
    this.#isSorted = false;
    if (Number.isFinite(tx.readyAt)) {
      this.#pendingNonces.set(tx.sender, Math.max(this.#pendingNonces.get(tx.sender) ?? 0, tx.nonce + 1));
    }
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

  /** Takes mined transactions out. */
  take(mined: readonly Tx[], now: number): void {
    this.touch(now);
    let count = 0;
    for (const { id } of mined) if (this.#txs.delete(id)) count += 1;
    if (count > 0) this.#byFee = this.#byFee.filter(({ id }) => this.#txs.has(id));
  }

  /** Drops what the test names, and what the same senders sent after it, since its nonce is missing then. */
  drop(isUnwanted: (tx: Tx) => boolean, now: number): void {
    const gaps = new Map<string, number>();
    for (const tx of this.#txs.values()) {
      if (isUnwanted(tx)) gaps.set(tx.sender, Math.min(gaps.get(tx.sender) ?? Infinity, tx.nonce));
    }
    if (gaps.size === 0) return;
    for (const tx of this.#txs.values()) if (tx.nonce >= (gaps.get(tx.sender) ?? Infinity)) this.#txs.delete(tx.id);
    for (const [sender, nonce] of gaps) this.#pendingNonces.set(sender, nonce);
    this.#byFee = this.#byFee.filter(({ id }) => this.#txs.has(id));
    this.touch(now);
  }

  /** Drops everything. */
  clear(now: number): void {
    this.#txs.clear();
    this.#pendingNonces.clear();
    this.#byFee = [];
    this.touch(now);
  }
}
