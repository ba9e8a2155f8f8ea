// The canonical chain and its indexes: all transactions, blocks by hash, transactions by principal, prints by contract,
// the next nonce of each sender, and balances. Independent of time and the mempool.
import { Balances } from "./balances.ts";
import type { Block, Place, Print } from "./block.ts";
import { Index, List } from "./listing.ts";
import { parties } from "./transaction.ts";

const ORPHANS_KEPT = 500;

/** The chain in the database of the API. */
export class Ledger {
  /** Canonical blocks that are kept, oldest first. */
  readonly blocks: Block[] = [];
  /** All transactions of the chain. */
  readonly transactions: List<Place>;
  /** Transactions of each principal. */
  readonly principals: Index<Place>;
  /** Transactions that the principal only sponsored. */
  readonly sponsored: Index<Place>;
  /** Prints of each contract. */
  readonly prints: Index<Print>;
  readonly balances: Balances;
  #first: Block | undefined;
  readonly #byHash = new Map<string, Block>();
  readonly #byIndexHash = new Map<string, Block>();
  readonly #places = new Map<string, Place>();
  readonly #nonces = new Map<string, number>();
  readonly #orphans: Block[] = [];
  readonly #keep: number;

  /**
   * An empty ledger. With a `source`, totals include what the source has dropped, and block 1 is kept even if the
   * source has dropped it. Appending the blocks of the source then gives an equal ledger.
   */
  constructor(keepBlocks: number, source?: Ledger) {
    this.#keep = keepBlocks;
    this.transactions = source?.transactions.remainder() ?? new List();
    this.principals = source?.principals.remainder() ?? new Index();
    this.sponsored = source?.sponsored.remainder() ?? new Index();
    this.prints = source?.prints.remainder() ?? new Index();
    this.balances = new Balances(source?.balances, source?.blocks);
    const first = source?.atHeight(1);
    if (first !== undefined && first !== source?.blocks[0]) this.#setFirst(first);
  }

  /** The newest block; undefined before the first. */
  get tip(): Block | undefined {
    return this.blocks.at(-1);
  }

  /** Canonical block of a height; undefined when above the tip or dropped. Block 1 is never dropped. */
  atHeight(height: number): Block | undefined {
    const oldest = this.blocks[0];
    if (oldest === undefined) return undefined;
    return height === 1 ? this.#first : this.blocks[height - oldest.height];
  }

  /** Whether a block is canonical, and not an orphan. */
  isCanonical({ height, hash }: Block): boolean {
    return this.atHeight(height)?.hash === hash;
  }

  /** Block of a block hash, orphans included. */
  byHash(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  /** Block of an index block hash, orphans included. */
  byIndexHash(hash: string): Block | undefined {
    return this.#byIndexHash.get(hash);
  }

  /** The last place where a transaction was mined; its block may be an orphan. */
  placeOf(txId: string): Place | undefined {
    return this.#places.get(txId);
  }

  /** The nonce that the sender's next transaction must have. */
  nonceOf(address: string): number {
    return this.#nonces.get(address) ?? 0;
  }

  /** Adds a block on top. */
  append(block: Block): void {
    this.blocks.push(block);
    this.#byHash.set(block.hash, block);
    this.#byIndexHash.set(block.indexHash, block);
    if (block.height === 1) this.#first = block;
    this.balances.apply(block.txs);
    block.txs.forEach((tx, index) => {
      const place: Place = { tx, block, index };
      this.#places.set(tx.id, place);
      this.transactions.push(place);
      this.#nonces.set(tx.sender, tx.nonce + 1);
      this.#eachKey(place, (index, key) => index.push(key, place));
      tx.events.forEach((event, eventIndex) => {
        if (event.kind === "print") this.prints.push(event.contract, { ...place, eventIndex, event });
      });
    });
    if (this.blocks.length > this.#keep) this.#dropOldest();
  }

  /** Makes the tip an orphan. Its transactions can still be looked up by id, but are in no list. */
  removeTip(): Block | undefined {
    const block = this.blocks.pop();
    if (block === undefined) return undefined;
    this.balances.undo(block.txs);
    for (const [index, tx] of [...block.txs.entries()].reverse()) {
      this.#nonces.set(tx.sender, tx.nonce);
      this.transactions.pop();
      this.#eachKey({ tx, block, index }, (index, key) => index.pop(key));
      for (const event of tx.events) if (event.kind === "print") this.prints.pop(event.contract);
    }
    this.#orphans.push(block);
    if (this.#orphans.length > ORPHANS_KEPT) this.#drop(this.#orphans.shift());
    return block;
  }

  #setFirst(block: Block): void {
    this.#first = block;
    this.#byHash.set(block.hash, block);
    this.#byIndexHash.set(block.indexHash, block);
    for (const [index, tx] of block.txs.entries()) this.#places.set(tx.id, { tx, block, index });
  }

  #eachKey(place: Place, visit: (index: Index<Place>, key: string) => void): void {
    const all = parties(place.tx);
    for (const key of all) visit(this.principals, key);
    const { sponsor } = place.tx;
    if (sponsor === null || all.has(sponsor)) return;
    visit(this.principals, sponsor);
    visit(this.sponsored, sponsor);
  }

  #dropOldest(): void {
    const block = this.blocks.shift();
    this.transactions.dropOldest(block?.txs.length ?? 0);
    block?.txs.forEach((tx, index) => {
      this.#eachKey({ tx, block, index }, (index, key) => index.dropOldest(key));
      for (const event of tx.events) if (event.kind === "print") this.prints.dropOldest(event.contract);
    });
    this.#drop(block);
  }

  #drop(block: Block | undefined): void {
    // Clients identify a chain by block 1, so it is never dropped.
    if (block === undefined || block === this.#first) return;
    this.#byHash.delete(block.hash);
    this.#byIndexHash.delete(block.indexHash);
    for (const tx of block.txs) if (this.#places.get(tx.id)?.block === block) this.#places.delete(tx.id);
  }
}
