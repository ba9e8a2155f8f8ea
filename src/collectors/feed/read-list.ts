// Reads the transactions that are new in a list since the last poll, and refuses a list of a server that is behind.
import { ApiError } from "../../api/errors.ts";
import type { StacksApi } from "../../api/operation.ts";
import { readBlock } from "../chain/block-source.ts";
import { blockStatus, type ChainView } from "../chain/chain-view.ts";
import { type Floor, type ListedTransaction, proofOf } from "./floor.ts";
import { type List, type Page, type ReadResult, readFromOpenEnd, readFromTop } from "./read.ts";
import { type FeedState, isNewer, missingRows, newestFirst, stopCondition, withoutForgotten } from "./state.ts";

/** The state of a list of transactions. */
export interface ListState<Item extends ListedTransaction> {
  readonly feed: FeedState<Item>;
  /** Transactions below are never read: they are counted, or older than the first poll. */
  readonly floor: Floor;
  /** Total of the list when it was last read down to processed transactions. */
  readonly settledTotal: number;
  /** Number of older transactions to count, until all of them are read. */
  readonly backfill?: number | undefined;
}

/** Limits of reading a list. */
export interface ReadSettings {
  /** Maximum number of pages of a poll. */
  readonly pages: number;
  /** Maximum number of transactions to catch up. */
  readonly catch_up: number;
}

/** The parts of a poll that reading needs. */
interface ReadPoll {
  readonly api: StacksApi;
  readonly chain: ChainView | undefined;
}

/** The transactions that a poll has read. */
export interface ListRead<Item extends ListedTransaction> {
  readonly result: ReadResult<Item>;
  /** Id of a transaction whose block was replaced, as a request has shown. */
  readonly replaced: string | undefined;
}

/**
 * Reads the list from its top, or from the open end.
 * @param isSameList whether the open end belongs to this list: cursors and offsets cannot be converted.
 */
export async function readList<Item extends ListedTransaction>(
  list: List<Item>,
  { feed, floor, backfill }: ListState<Item>,
  first: Page<Item> | undefined,
  { api, chain }: ReadPoll,
  settings: ReadSettings,
  isSameList = true,
): Promise<ListRead<Item>> {
  const isProcessed = stopCondition(feed, chain, proofOf, newestFirst);
  const limits = {
    stopsAt: (row: Item) => newestFirst(row, floor) > 0 || isProcessed(row),
    // Half of the current budget: the other half is for the other requests of the poll.
    pages: Math.max(2, Math.min(settings.pages, Math.floor(api.room() / 2))),
    rows: backfill ?? settings.catch_up,
  };
  const { open } = feed;
  if (open === undefined) {
    const result = await readFromTop(list, limits, first);
    return { result, replaced: await checkMissing(list, result, feed, { api, chain }) };
  }
  const resumed = isSameList ? await readFromOpenEnd(list, limits, open) : undefined;
  if (resumed !== undefined) return { result: withoutForgotten(resumed, feed), replaced: undefined };
  const result = withoutForgotten(await readFromTop(list, limits), feed);
  const isAbove = result.resume !== undefined && isNewer(result.resume.last, open.last);
  const isFound = isAbove || result.rows.some(({ id }) => id === open.last.id);
  const { height, hash } = open.last;
  const isReplaced = height !== undefined && blockStatus(chain, { height, hash }) === "replaced";
  if (!isFound && !isReplaced) throw behind(list, "the list lacks the transaction at which the last read stopped");
  return { result, replaced: await checkMissing(list, result, feed, { api, chain }) };
}

const behind = ({ operation }: { readonly operation: string }, message: string) =>
  new ApiError("behind", operation, message);

/**
 * Checks that the list has every transaction whose block is canonical. For a block that is too old to be known, it
 * requests the block at that height; if that is another block, it returns the id of the transaction.
 * @throws ApiError `behind`
 */
async function checkMissing<Item extends ListedTransaction>(
  list: List<Item>,
  result: ReadResult<Item>,
  feed: FeedState<Item>,
  { api, chain }: ReadPoll,
): Promise<string | undefined> {
  const missing = missingRows(feed, result, proofOf, newestFirst);
  const message = (height: number) => `the list lacks a transaction of block ${height}, which is canonical`;
  const canonical = missing.find((row) => blockStatus(chain, row) === "canonical");
  if (canonical !== undefined) throw behind(list, message(canonical.height));
  const old = missing.find((row) => blockStatus(chain, row) === "old");
  if (old === undefined) return undefined;
  const block = await readBlock(api, old.height);
  if (block === undefined || block.hash === old.hash) throw behind(list, message(old.height));
  return old.id;
}

/** A read, cut at the maximum number of rows. */
interface CutRead<Item extends ListedTransaction> {
  readonly result: ReadResult<Item>;
  /** Transactions that are skipped. */
  readonly gap: number;
  readonly floor: Floor;
}

/** Cuts a read at the maximum number of rows. The rows below are a gap, unless they are older than the first poll. */
export function cutAt<Item extends ListedTransaction>(
  maxRows: number,
  result: ReadResult<Item>,
  { feed, backfill, floor, settledTotal }: ListState<Item>,
): CutRead<Item> {
  const allowed = Math.max(0, maxRows - (result.isFromTop ? 0 : (feed.open?.rows ?? 0)));
  const isCut = result.rows.length > allowed || (result.resume !== undefined && result.rows.length >= allowed);
  if (!isCut) return { result, gap: 0, floor };
  const fresh = result.fresh.slice(0, allowed);
  const cut = { ...result, fresh, resume: undefined };
  if (backfill !== undefined) {
    const last = fresh.at(-1);
    return { result: cut, gap: 0, floor: last === undefined ? floor : { height: last.height, index: last.index } };
  }
  const isGap = result.resume !== undefined;
  return { result: cut, gap: isGap ? Math.max(1, (result.first.total ?? 0) - settledTotal - maxRows) : 0, floor };
}
