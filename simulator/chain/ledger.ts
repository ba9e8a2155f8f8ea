// The canonical chain and everything that is looked up in it: blocks by hash, transactions by principal, prints by
// contract, the next nonce of each sender. Knows nothing of time or of the mempool.
import type { Block, Place } from "./block.ts";
import { Index } from "./listing.ts";
import { type PrintEvent, parties } from "./transaction.ts";

/** A print with its place. */
export interface Print extends Place {
  readonly eventIndex: number;
  readonly event: PrintEvent;
}

const ORPHANS_KEPT = 500;

/** The chain as the API's database holds it. */
export class Ledger {
  /** Canonical blocks, oldest first; the oldest may be forgotten. */
  readonly blocks: Block[] = [];
  /** Transactions of each principal; those that one only sponsored are in `sponsored` as well. */
  readonly principals = new Index<Place>();
  readonly sponsored = new Index<Place>();
  readonly prints = new Index<Print>();
  readonly #byHash = new Map<string, Block>();
  readonly #byIndexHash = new Map<string, Block>();
  readonly #places = new Map<string, Place>();
  readonly #nonces = new Map<string, number>();
  readonly #orphans: Block[] = [];
  readonly #keep: number;

  constructor(keepBlocks: number) {
    this.#keep = keepBlocks;
  }

  /** The newest block; undefined before the first. */
  get tip(): Block | undefined {
    return this.blocks.at(-1);
  }

  /** Canonical block of a height; undefined when beyond the tip or forgotten. */
  atHeight(height: number): Block | undefined {
    const first = this.blocks[0];
    return first === undefined ? undefined : this.blocks[height - first.height];
  }

  /** Block of a block hash, orphans included. */
  byHash(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  /** Block of an index block hash, orphans included. */
  byIndexHash(hash: string): Block | undefined {
    return this.#byIndexHash.get(hash);
  }

  /** Where a transaction was mined last; the block may be an orphan. */
  placeOf(txId: string): Place | undefined {
    return this.#places.get(txId);
  }

  /** The nonce that the sender's next transaction must have. */
  nonceOf(address: string): number {
    return this.#nonces.get(address) ?? 0;
  }

  /** Puts a block on top. */
  append(block: Block): void {
    this.blocks.push(block);
    this.#byHash.set(block.hash, block);
    this.#byIndexHash.set(block.indexHash, block);
    block.txs.forEach((tx, index) => {
      const place: Place = { tx, block, index };
      this.#places.set(tx.id, place);
      this.#nonces.set(tx.sender, tx.nonce + 1);
      this.#eachKey(place, (index, key) => index.push(key, place));
      tx.events.forEach((event, eventIndex) => {
        if (event.kind === "print") this.prints.push(event.contract, { ...place, eventIndex, event });
      });
    });
    if (this.blocks.length > this.#keep) this.#forgetOldest();
  }

  /** Takes the tip off and makes it an orphan; its transactions stay known but belong to nobody's list. */
  removeTip(): Block | undefined {
    const block = this.blocks.pop();
    if (block === undefined) return undefined;
    block.canonical = false;
    for (const [index, tx] of [...block.txs.entries()].reverse()) {
      this.#nonces.set(tx.sender, tx.nonce);
      this.#eachKey({ tx, block, index }, (index, key) => index.pop(key));
      for (const event of tx.events) if (event.kind === "print") this.prints.pop(event.contract);
    }
    this.#orphans.push(block);
    if (this.#orphans.length > ORPHANS_KEPT) this.#drop(this.#orphans.shift());
    return block;
  }

  #eachKey(place: Place, act: (index: Index<Place>, key: string) => void): void {
    const all = parties(place.tx);
    for (const key of all) act(this.principals, key);
    const { sponsor } = place.tx;
    if (sponsor === null || all.has(sponsor)) return;
    act(this.principals, sponsor);
    act(this.sponsored, sponsor);
  }

  #forgetOldest(): void {
    const block = this.blocks.shift();
    block?.txs.forEach((tx, index) => {
      this.#eachKey({ tx, block, index }, (index, key) => index.forget(key));
      for (const event of tx.events) if (event.kind === "print") this.prints.forget(event.contract);
    });
    this.#drop(block);
  }

  #drop(block: Block | undefined): void {
    if (block === undefined) return;
    this.#byHash.delete(block.hash);
    this.#byIndexHash.delete(block.indexHash);
    for (const tx of block.txs) if (this.#places.get(tx.id)?.block === block) this.#places.delete(tx.id);
  }
}
