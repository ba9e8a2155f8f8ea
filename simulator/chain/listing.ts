// A list that grows at the new end, loses its newest entries in a reorganisation and drops its oldest ones.

/** Entries in the order of the chain, oldest first. */
export interface Listing<Entry> {
  /** The entries that are kept, oldest first. */
  readonly entries: readonly Entry[];
  /** Number of entries ever, the dropped ones included. */
  readonly total: number;
}

/** Listings by key, such as transactions by address. */
export class Index<Entry> {
  readonly #listings = new Map<string, { entries: Entry[]; total: number }>();

  /** An index without entries whose totals are the numbers of dropped entries. */
  remainder(): Index<Entry> {
    const index = new Index<Entry>();
    for (const [key, { entries, total }] of this.#listings) {
      if (total > entries.length) index.#listings.set(key, { entries: [], total: total - entries.length });
    }
    return index;
  }

  /** The listing of a key; empty for an unknown key. */
  of(key: string): Listing<Entry> {
    return this.#listings.get(key) ?? { entries: [], total: 0 };
  }

  /** Adds the newest entry of a key. */
  push(key: string, entry: Entry): void {
    const listing = this.#listings.get(key) ?? { entries: [], total: 0 };
    listing.entries.push(entry);
    listing.total += 1;
    this.#listings.set(key, listing);
  }

  /** Removes the newest entry of a key. */
  pop(key: string): void {
    const listing = this.#listings.get(key);
    if (listing?.entries.pop() !== undefined) listing.total -= 1;
  }

  /** Drops the oldest entry of a key; the total still includes it. */
  dropOldest(key: string): void {
    this.#listings.get(key)?.entries.shift();
  }
}
