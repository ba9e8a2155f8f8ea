// A list that grows at the new end, loses its newest entries in a reorganisation and drops its oldest ones.

/** Entries in the order of the chain, oldest first. */
export interface Listing<Entry> {
  /** The entries that are kept, oldest first. */
  readonly entries: readonly Entry[];
  /** Number of entries ever, the dropped ones included. */
  readonly total: number;
}

/** One listing, such as all transactions of the chain. */
export class List<Entry> implements Listing<Entry> {
  readonly #entries: Entry[] = [];
  #dropped: number;

  /** A list without entries that has dropped this number of them. */
  constructor(dropped = 0) {
    this.#dropped = dropped;
  }

  get entries(): readonly Entry[] {
    return this.#entries;
  }

  get total(): number {
    return this.#dropped + this.#entries.length;
  }

  /** A list without entries whose total is the number of dropped entries. */
  remainder(): List<Entry> {
    return new List(this.#dropped);
  }

  /** Adds the newest entry. */
  push(entry: Entry): void {
    this.#entries.push(entry);
  }

  /** Removes the newest entry. */
  pop(): void {
    this.#entries.pop();
  }

  /** Drops the oldest entries; the total still includes them. */
  dropOldest(count = 1): void {
    this.#dropped += this.#entries.splice(0, count).length;
  }
}

/** Listings by key, such as transactions by address. */
export class Index<Entry> {
  readonly #lists = new Map<string, List<Entry>>();

  /** An index without entries whose totals are the numbers of dropped entries. */
  remainder(): Index<Entry> {
    const index = new Index<Entry>();
    for (const [key, list] of this.#lists) {
      const remainder = list.remainder();
      if (remainder.total > 0) index.#lists.set(key, remainder);
    }
    return index;
  }

  /** The listing of a key; empty for an unknown key. */
  of(key: string): Listing<Entry> {
    return this.#lists.get(key) ?? { entries: [], total: 0 };
  }

  /** Adds the newest entry of a key. */
  push(key: string, entry: Entry): void {
    const list = this.#lists.get(key) ?? new List<Entry>();
    list.push(entry);
    this.#lists.set(key, list);
  }

  /** Removes the newest entry of a key. */
  pop(key: string): void {
    this.#lists.get(key)?.pop();
  }

  /** Drops the oldest entry of a key; the total still includes it. */
  dropOldest(key: string): void {
    this.#lists.get(key)?.dropOldest();
  }
}
