// Reading the list of a principal's transactions down to a height. The list is newest first and moves while it is read, so
// pages overlap, and what does not fit together is read again rather than believed.
import { ApiError, isShortage } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import {
  addressTransactions,
  type ListPage,
  PAGE,
  principalTransactions,
  readNew,
  readOld,
  type Transaction,
} from "./address-source.ts";
import { isBelow } from "./horizon.ts";

/** Rows that a page shares with the one before: as many may leave the list unnoticed while it is read. */
export const OVERLAP = 2;

/** How a list is read. */
export interface Listing {
  readonly api: StacksApi;
  readonly principal: string;
  readonly isNew: boolean;
  /** The first page, when it has been read already. */
  readonly first?: ListPage | undefined;
}

/** What was read of a list, from its beginning. */
export interface Reading {
  /** Newest first, each transaction once. */
  readonly items: readonly Transaction[];
  /** Transactions in all, as the server counts them. */
  readonly total: number;
  /** Every transaction at or above this height was read; 0 when the end of the list was. */
  readonly from: number;
  /** The end, or the wanted height, was reached. */
  readonly isComplete: boolean;
  /** The rows were not in chain order. */
  readonly isUnordered: boolean;
  /** Validator of the first page. */
  readonly etag: string | undefined;
  /** How often the list had to be begun again, because it did not fit together. */
  readonly rereads: number;
}

const MOST_REREADS = 2;
// New rows push the others down. Of a busy address that can be more than a page between two requests, which may wait for the budget.
const MOST_PUSHES = 5;

/**
 * Reads from the newest down to below the height, at most so many pages; only the first when `rowsOf` its total, which tells how many
 * rows that would take, are more than those pages have.
 */
export async function readDown(
  listing: Listing,
  below: number,
  mostPages: number,
  rowsOf: (total: number) => number = () => 0,
): Promise<Reading> {
  for (let rereads = 0; ; rereads += 1) {
    const reading = await tryDown(rereads === 0 ? listing : { ...listing, first: undefined }, below, mostPages, rowsOf);
    if (reading !== undefined) return { ...reading, rereads };
    if (rereads === MOST_REREADS) throw torn(listing, "the list changed faster than it could be read");
  }
}

const torn = ({ isNew }: Listing, message: string) =>
  new ApiError("bad_body", (isNew ? principalTransactions : addressTransactions).name, message);

async function tryDown(
  listing: Listing,
  below: number,
  mostPages: number,
  rowsOf: (total: number) => number,
): Promise<Reading | undefined> {
  const rows = new Map<string, Transaction>();
  let offset = 0;
  let cursor: string | undefined;
  let total = 0;
  let etag: string | undefined;
  let isUnordered = false;
  let last: Transaction | undefined;
  for (let pages = 1; ; pages += 1) {
    const page = await pageAt(listing, offset, cursor);
    if (page === undefined) return undefined;
    if (pages === 1) ({ total, etag } = page);
    // Cursors cannot miss; an offset that no longer meets the page before has passed over something, or is not there yet.
    if (!listing.isNew && last !== undefined && !has(page, last)) {
      const bottom = last;
      const isPushedDown = page.transactions.length > 0 && page.transactions.every((row) => !isBelow(row, bottom));
      if (!isPushedDown || pages >= mostPages + MOST_PUSHES) return undefined;
      offset += page.transactions.length - OVERLAP;
      continue;
    }
    const known = rows.size;
    for (const row of page.transactions) {
      const same = rows.get(row.txId);
      // The same transaction in two blocks: the chain was reorganised between two pages.
      if (same !== undefined && same.blockHash !== row.blockHash) return undefined;
      if (same !== undefined) continue;
      if (last !== undefined && !isBelow(row, last)) isUnordered = true;
      rows.set(row.txId, row);
      last = row;
    }
    const items = [...rows.values()];
    const lowest = items.reduce((low, { height }) => Math.min(low, height), Number.POSITIVE_INFINITY);
    const isEnd = page.transactions.length < page.size || (listing.isNew && page.older === undefined);
    const result = { items, total, etag, isUnordered, rereads: 0 };
    if (isEnd) return { ...result, from: 0, isComplete: true };
    if (lowest < below) return { ...result, from: lowest + 1, isComplete: true };
    const isInVain = rowsOf(total) > mostPages * (page.size - OVERLAP);
    if (pages >= mostPages || isInVain) return { ...result, from: lowest + 1, isComplete: false };
    if (rows.size === known) throw torn(listing, "a page repeats the one before");
    offset += page.transactions.length - OVERLAP;
    cursor = page.older;
  }
}

const has = ({ transactions }: ListPage, { txId }: Transaction) => transactions.some((row) => row.txId === txId);

async function pageAt(
  { api, principal, isNew, first }: Listing,
  offset: number,
  cursor: string | undefined,
): Promise<ListPage | undefined> {
  if (first !== undefined && offset === 0 && cursor === undefined) return first;
  if (!isNew) return readOld(api, principal, offset);
  try {
    return await readNew(api, principal, cursor);
  } catch (error) {
    // The row that the cursor names is gone: the chain was reorganised since the page before.
    if (cursor !== undefined && error instanceof ApiError && error.reason === "not_found") return undefined;
    throw error;
  }
}

/** A part of the list that begins where counting stopped, oldest first. */
export interface Stretch {
  /** Oldest first, each transaction once. */
  readonly items: readonly Transaction[];
  /** All transactions from and to these heights were read. */
  readonly from: number;
  readonly to: number;
  /** Transactions above the wanted height that were there when the beginning was found. */
  readonly backlog: number;
}

const MOST_SEEKS = 24;

/** The page (by offset, newest first) on which the list falls below the height, or ends. */
async function seek(
  listing: Listing,
  below: number,
  guess: number,
  total: number,
): Promise<{ readonly offset: number; readonly page: ListPage }> {
  // The place is at or after `low`, and before `high`.
  let low = 0;
  let high = Math.max(1, total);
  let offset = Math.max(0, Math.min(guess, high - 1));
  for (let seeks = 0; seeks < MOST_SEEKS; seeks += 1) {
    const page = await readOld(listing.api, listing.principal, offset);
    const first = page.transactions[0];
    const last = page.transactions.at(-1);
    const isFull = page.transactions.length >= page.size;
    if (offset > 0 && (first === undefined || first.height < below)) high = offset;
    else if (last !== undefined && last.height >= below && isFull) low = offset + page.transactions.length - OVERLAP;
    else return { offset, page };
    // A good guess is off by a page at most.
    const middle = seeks < 1 ? (high === offset ? offset - PAGE / 2 : low) : Math.floor((low + high) / 2);
    offset = Math.max(low, Math.min(middle, high - 1));
    high = Math.max(high, low + 1);
  }
  throw torn(listing, "the place where counting stopped was not found");
}

/**
 * Reads upward from where the list falls below the height, at most so many pages, so that what waits longest is counted
 * first. `guess` is the offset where that place is expected. Of the block at `atLeast` everything is read, however many
 * pages that takes: otherwise a poll might not get on.
 */
export async function readUp(
  listing: Listing,
  below: number,
  atLeast: number,
  guess: number,
  total: number,
  mostPages: number,
): Promise<Stretch> {
  const found = await seek(listing, below, guess, total);
  const rows = new Map<string, Transaction>();
  let { offset, page } = found;
  const bottom = page.transactions.at(-1);
  const isEnd = page.transactions.length < page.size;
  const backlog = offset + page.transactions.filter(({ height }) => height >= below).length;
  let newest: Transaction | undefined;
  let pushes = 0;
  for (let pages = 1; ; pages += 1) {
    if (newest !== undefined && !has(page, newest)) {
      pushes += 1;
      if (pushes > MOST_PUSHES) throw torn(listing, "the list changed faster than it could be read");
      offset += page.size - OVERLAP;
      page = await readOld(listing.api, listing.principal, offset);
      continue;
    }
    for (const row of [...page.transactions].reverse()) {
      const same = rows.get(row.txId);
      if (same !== undefined && same.blockHash !== row.blockHash) {
        throw torn(listing, "the chain was reorganised while the list was read");
      }
      rows.set(row.txId, row);
    }
    newest = page.transactions[0] ?? newest;
    if (offset === 0 || (pages >= mostPages && (newest?.height ?? 0) > atLeast)) break;
    const next = Math.max(0, offset - page.size + OVERLAP);
    try {
      page = await readOld(listing.api, listing.principal, next);
    } catch (error) {
      // What was read is worth keeping, if it is enough to get on.
      if (!isShortage(error) || (newest?.height ?? 0) <= atLeast) throw error;
      break;
    }
    offset = next;
  }
  return {
    items: [...rows.values()],
    from: isEnd || bottom === undefined ? 0 : bottom.height + 1,
    // Of the block of the newest row there may be more.
    to: offset === 0 ? Number.MAX_SAFE_INTEGER : (newest?.height ?? 1) - 1,
    backlog,
  };
}

/** The transaction at an offset from the newest. */
export async function transactionAt(listing: Listing, offset: number): Promise<Transaction | undefined> {
  const page = await readOld(listing.api, listing.principal, offset);
  return page.transactions[0];
}
