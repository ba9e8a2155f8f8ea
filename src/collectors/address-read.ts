// One poll of an address: reads what is new within bounds, moves the horizon, and gets the transfers of what is counted.
// Whatever ends before everything is read leaves a horizon that everything below has been counted of.
import { ApiError, isShortage } from "../api/errors.ts";
import { type Listing, type Reading, readDown, readUp, transactionAt } from "./address-list.ts";
import { PAGE, type Transaction } from "./address-source.ts";
import type { Countable, Irregularity } from "./address-totals.ts";
import { type Advance, advance, type Evidence, type Horizon, isBelow, type Read } from "./horizon.ts";
import {
  directionOf,
  readEvents,
  readTransfers,
  type Transfer,
  transactionEvents,
  transactionsWithTransfers,
} from "./transfers.ts";

/** What bounds a poll, and what it knows of the one before. */
export interface Bounds {
  readonly window: number;
  /** Most pages of the list. */
  readonly pages: number;
  /** Most transactions to catch up. */
  readonly catchUp: number;
  /** Transactions that the poll before left unread, and the total that it saw. */
  readonly backlog: number;
  readonly total: number;
  /** 0 at first sight, where the total before says nothing. */
  readonly growth: 0 | 1;
  /** Height up to which transactions are deep enough, given the newest ones. */
  readonly depthOf: (newest: readonly Transaction[]) => number;
  readonly transfers: TransferSources;
  readonly held: Held | undefined;
  readonly evidence: Evidence;
}

/** What is asked for transfers: by block (4.5), and for transactions of which that tells nothing, one by one (4.3). */
export interface TransferSources {
  readonly byBlock: boolean;
  readonly byTransaction: boolean;
}

/** A block whose transfers the server does not tell yet. */
interface Held {
  readonly height: number;
  readonly polls: number;
}

/** What a poll found. */
export interface Gathered extends Omit<Advance<Transaction>, "counted" | "late"> {
  readonly counted: readonly Countable[];
  /** The first page or pages of the list, newest first. */
  readonly newest: readonly Transaction[];
  readonly total: number;
  /** Validator of the list as it was read. */
  readonly etag: string | undefined;
  /** Transactions left for the next poll. */
  readonly backlog: number;
  /** Transactions passed over. */
  readonly gap: number;
  readonly hasTransfers: boolean;
  readonly held: Held | undefined;
  readonly irregularities: Readonly<Partial<Record<Irregularity, number>>>;
}

interface Part {
  readonly horizon: Horizon;
  readonly read: Read<Transaction>;
  /** Transactions above those that were read; undefined when everything up to the newest was. */
  readonly backlog: number | undefined;
  readonly gap: number;
}

// Pages of a list with cursors: it can only be read from the newest down, so what is not read in one poll is passed over.
const CURSOR_PAGES = 4;

/** Reads and counts within the bounds. */
export async function gather(listing: Listing, horizon: Horizon, bounds: Bounds): Promise<Gathered> {
  const below = lowest(horizon, bounds.window);
  const mostPages = listing.isNew ? bounds.pages * CURSOR_PAGES : bounds.pages;
  // Somebody who is far behind need not read the newest pages in vain.
  const rowsOf = (total: number) => {
    const grown = Math.max(0, bounds.growth * (total - bounds.total));
    return listing.isNew ? 0 : Math.min(total, bounds.backlog + grown + horizon.window.length);
  };
  const reading = await readDown(listing, below, mostPages, rowsOf);
  const part = reading.isComplete
    ? { horizon, read: toTop(reading), backlog: undefined, gap: 0 }
    : listing.isNew
      ? skipRest(horizon, reading, bounds)
      : await catchUp(listing, horizon, reading, bounds);

  const depth = bounds.depthOf(reading.items);
  const moved = await withTransfers(listing, part, depth, bounds);
  const { late, ...rest } = moved.advance;
  const irregularities = {
    late,
    reread: reading.rereads,
    unordered: reading.isUnordered ? 1 : 0,
    transfers_missing: moved.withoutTransfers,
  };
  const waiting = reading.items.filter(({ height }) => height > depth).length;
  const uncounted = part.read.items.filter(
    (tx) => tx.height <= depth && tx.height > rest.horizon.height && !isBelow(tx, rest.horizon.floor),
  ).length;
  return {
    ...rest,
    counted: moved.counted,
    newest: reading.items,
    total: reading.total,
    etag: reading.etag,
    backlog: part.backlog === undefined ? uncounted : Math.max(0, part.backlog - moved.counted.length - waiting),
    gap: part.gap,
    hasTransfers: moved.hasTransfers,
    held: moved.held,
    irregularities,
  };
}

// Where rows are out of order, what was read says nothing about what is missing.
const toTop = (reading: Reading): Read<Transaction> => ({
  items: reading.items,
  from: reading.isUnordered ? Number.MAX_SAFE_INTEGER : reading.from,
  to: Number.MAX_SAFE_INTEGER,
});

/** The lowest height that has to be read: that of the window, or where counting begins. */
function lowest({ height, floor }: Horizon, window: number): number {
  return Math.max(height - window + 1, floor.height);
}

// Cursors lead downward only, so here the oldest cannot come first: what is out of reach is passed over.
function skipRest(horizon: Horizon, reading: Reading, { total, growth }: Bounds): Part {
  const floor = { height: reading.from, index: 0 };
  const fresh = growth === 0 ? reading.total : reading.total - total;
  return {
    horizon: { ...horizon, height: Math.max(horizon.height, floor.height - 1), floor },
    read: toTop(reading),
    backlog: undefined,
    gap: Math.max(1, fresh - reading.items.length),
  };
}

async function catchUp(listing: Listing, horizon: Horizon, reading: Reading, bounds: Bounds): Promise<Part> {
  const { total } = reading;
  const grown = bounds.backlog + (bounds.growth === 0 ? 0 : Math.max(0, total - bounds.total));
  // So far below the tip nothing is replaced any more: what was counted need not be read again to get on.
  const isDeep = bounds.depthOf(reading.items) - horizon.height > bounds.window;
  const below = isDeep ? Math.max(horizon.height + 1, horizon.floor.height) : lowest(horizon, bounds.window);
  const stretch = await readUp(listing, below, horizon.height + 1, Math.max(0, grown - PAGE / 2), total, bounds.pages);
  const behind = stretch.backlog - (isDeep ? 0 : horizon.window.length);
  const isTop = stretch.to === Number.MAX_SAFE_INTEGER;
  if (behind <= bounds.catchUp) return { horizon, read: stretch, backlog: isTop ? undefined : behind, gap: 0 };
  const first = await transactionAt(listing, bounds.catchUp - 1);
  if (first === undefined) throw new ApiError("bad_body", "address_transactions", "the list ends before its total");
  const floor = { height: first.height, index: first.index };
  const moved: Horizon = { ...horizon, height: floor.height - 1, floor };
  const rest = await readUp(listing, floor.height, floor.height, bounds.catchUp - PAGE / 2, total, bounds.pages);
  const isWhole = rest.to === Number.MAX_SAFE_INTEGER;
  return { horizon: moved, read: rest, backlog: isWhole ? undefined : bounds.catchUp, gap: behind - bounds.catchUp };
}

interface Moved {
  readonly advance: Advance<Transaction>;
  readonly counted: readonly Countable[];
  readonly hasTransfers: boolean;
  readonly held: Held | undefined;
  readonly withoutTransfers: number;
}

// A request each; more would not fit into the deadline of a poll.
const MOST_BLOCKS = 60;
// Of one block, which has to be counted at once.
const MOST_LOOKED_UP = 10;
// Servers behind one address can be out of step for a moment; two polls later that is no excuse.
const MOST_HELD = 2;

async function withTransfers(listing: Listing, part: Part, depth: number, bounds: Bounds): Promise<Moved> {
  const { window, evidence } = bounds;
  const upTo = (height: number) => advance(part.horizon, part.read, height, window, evidence);
  const whole = upTo(depth);
  const told = (tx: Transaction) => ownTransfer(listing.principal, tx);
  const sources = { ...bounds.transfers };
  const read = new Map<string, readonly Transfer[]>();
  let held: Held | undefined;
  // The height up to which everything is known that is needed to count.
  let ready = whole.horizon.height;
  let withoutTransfers = 0;
  const asked = byHeight(whole.counted.filter((tx) => told(tx) === undefined));
  for (const [place, [height, wanted]] of [...asked].entries()) {
    if (!sources.byBlock && !sources.byTransaction) break;
    if (place >= MOST_BLOCKS) {
      ready = height - 1;
      break;
    }
    try {
      await readBlock(listing, height, wanted, sources, read);
    } catch (error) {
      // What was read is worth keeping, but for a late transaction there is no height to stop at.
      if (!isShortage(error) || place === 0 || height <= part.horizon.height) throw error;
      ready = height - 1;
      break;
    }
    const missing = wanted.filter((tx) => !read.has(tx.txId));
    if (missing.length === 0 || (!sources.byBlock && !sources.byTransaction)) continue;
    const polls = bounds.held?.height === height ? bounds.held.polls + 1 : 1;
    if (polls <= MOST_HELD && height > part.horizon.height) {
      held = { height, polls };
      ready = height - 1;
      break;
    }
    withoutTransfers += missing.length;
  }
  const moved = ready === whole.horizon.height ? whole : upTo(ready);
  const hasTransfers = sources.byBlock || sources.byTransaction;
  const counted = moved.counted.map((transaction) => ({
    transaction,
    transfers: hasTransfers ? (told(transaction) ?? read.get(transaction.txId) ?? []) : [],
  }));
  return { advance: moved, counted, hasTransfers, held, withoutTransfers };
}

function byHeight(transactions: readonly Transaction[]): Map<number, Transaction[]> {
  const heights = new Map<number, Transaction[]>();
  for (const tx of transactions) heights.set(tx.height, [...(heights.get(tx.height) ?? []), tx]);
  return heights;
}

/** Reads the transfers of what is wanted of a block, as far as they are told. A source that is gone is taken from `sources`. */
async function readBlock(
  { api, principal }: Listing,
  height: number,
  wanted: readonly Transaction[],
  sources: { byBlock: boolean; byTransaction: boolean },
  read: Map<string, readonly Transfer[]>,
): Promise<void> {
  const unlessGone = async (source: keyof TransferSources, operation: string, ask: () => Promise<void>) => {
    try {
      if (sources[source]) await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "gone" || error.operation !== operation) throw error;
      sources[source] = false;
    }
  };
  await unlessGone("byBlock", transactionsWithTransfers.name, async () => {
    for (const [txId, transfers] of await readTransfers(api, principal, height)) read.set(txId, transfers);
  });
  const missing = wanted.filter(({ txId }) => !read.has(txId));
  if (missing.length > MOST_LOOKED_UP) return;
  await unlessGone("byTransaction", transactionEvents.name, async () => {
    for (const { txId } of missing) {
      const transfers = await readEvents(api, principal, txId);
      if (transfers !== undefined) read.set(txId, transfers);
    }
  });
}

/** The transfers of a transaction as far as the list itself tells them; undefined when they have to be asked for. */
function ownTransfer(principal: string, tx: Transaction): readonly Transfer[] | undefined {
  const events = tx.detail?.events;
  if (events === undefined) return undefined;
  const { stx, ft, nft } = events;
  const others = [stx.mint, stx.burn, ft.transfer, ft.mint, ft.burn, nft.transfer, nft.mint, nft.burn];
  if (others.some((count) => count > 0)) return undefined;
  if (stx.transfer === 0) return [];
  // A plain transfer is its only event; to oneself it is counted twice.
  if (tx.type !== "token_transfer" || tx.transfer === undefined || tx.detail?.eventCount !== 1) return undefined;
  const direction = directionOf(principal, tx.sender, tx.transfer.recipient);
  return direction === undefined
    ? undefined
    : [{ kind: "stx", asset: "", direction, amount: tx.transfer.amount, other: undefined }];
}
