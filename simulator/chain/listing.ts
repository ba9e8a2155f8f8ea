// A list that grows at the new end, loses its newest entries in a reorganisation and its oldest to forgetting.

/** Entries in the order of the chain, oldest first. */
export interface Listing<Entry> {
  /** What is remembered, oldest first. */
  readonly entries: readonly Entry[];
  /** All entries ever, the forgotten ones included. */
  readonly total: number;
}

interface Growing<Entry> extends Listing<Entry> {
  entries: Entry[];
  total: number;
}

const EMPTY: Listing<never> = { entries: [], total: 0 };

/** Listings by key, such as transactions by address. */
export class Index<Entry> {
  readonly #listings = new Map<string, Growing<Entry>>();

  /** An index without entries whose totals are the numbers of forgotten entries. */
  remainder(): Index<Entry> {
    const index = new Index<Entry>();
    for (const [key, { entries, total }] of this.#listings) {
      if (total > entries.length) index.#listings.set(key, { entries: [], total: total - entries.length });
    }
    return index;
  }

  /** The listing of a key; empty for a key never seen. */
  of(key: string): Listing<Entry> {
    return this.#listings.get(key) ?? EMPTY;
  }

  /** Adds the newest entry of a key. */
  push(key: string, entry: Entry): void {
    const listing = this.#listings.get(key) ?? { entries: [], total: 0 };
    listing.entries.push(entry);
    listing.total += 1;
    this.#listings.set(key, listing);
  }

  /** Takes the newest entry of a key back. */
  pop(key: string): void {
    const listing = this.#listings.get(key);
    if (listing?.entries.pop() !== undefined) listing.total -= 1;
  }

  /** Forgets the oldest entry of a key; the total keeps counting it. */
  forget(key: string): void {
    this.#listings.get(key)?.entries.shift();
  }
}
