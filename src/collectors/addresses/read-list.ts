// Reads the transactions of an address that are new since the last poll, and refuses a list of a server that is behind.
import { ApiError } from "../../api/errors.ts";
import { readBlock } from "../chain/block-source.ts";
import { blockStatus } from "../chain/chain-view.ts";
import { type List, type Page, type ReadResult, readFromOpenEnd, readFromTop } from "../feed/read.ts";
import { isNewer, missingRows, newestFirst, stopCondition, withoutForgotten } from "../feed/state.ts";
import type { Options } from "./options.ts";
import type { Transaction } from "./source.ts";
import { type AddressPoll, type Observation, type Position, proofOf } from "./state.ts";

/** The transactions that a poll has read. */
export interface ListRead {
  readonly result: ReadResult<Transaction>;
  /** Id of a transaction whose block was replaced, as a request has shown. */
  readonly replaced: string | undefined;
}

/** Reads the list from its top, or from the open end. */
export async function readList(
  list: List<Transaction>,
  before: Observation,
  first: Page<Transaction> | undefined,
  poll: AddressPoll,
  settings: Options,
): Promise<ListRead> {
  const { api, chain } = poll;
  const { feed, floor, backfill } = before;
  const isProcessed = stopCondition(feed, chain, proofOf, newestFirst);
  const limits = {
    stopsAt: (row: Transaction) => newestFirst(row, floor) > 0 || isProcessed(row),
    // Half of the present budget: the other half is for transfers.
    pages: Math.max(2, Math.min(settings.pages, Math.floor(api.room() / 2))),
    rows: backfill ?? settings.catch_up,
  };
  const { open } = feed;
  if (open === undefined) {
    const result = await readFromTop(list, limits, first);
    return { result, replaced: await checkMissing(list, result, feed, poll) };
  }
  // An open end of one list has no meaning in the other: cursors and offsets cannot be converted.
  const resumed = before.isNew === list.hasCursors ? await readFromOpenEnd(list, limits, open) : undefined;
  if (resumed !== undefined) return { result: withoutForgotten(resumed, feed), replaced: undefined };
  const result = withoutForgotten(await readFromTop(list, limits), feed);
  const isAbove = result.resume !== undefined && isNewer(result.resume.last, open.last);
  const isFound = isAbove || result.rows.some(({ id }) => id === open.last.id);
  const { height, hash } = open.last;
  const isReplaced = height !== undefined && blockStatus(chain, { height, hash }) === "replaced";
  if (!isFound && !isReplaced) throw behind(list, "the list lacks the transaction at which the last read stopped");
  return { result, replaced: await checkMissing(list, result, feed, poll) };
}

const behind = ({ operation }: List<Transaction>, message: string) => new ApiError("behind", operation, message);

/**
 * Checks that the list has every transaction whose block is canonical. For a block that is too old to be known, it
 * requests the block at that height; if that is another block, it returns the id of the transaction.
 * @throws ApiError `behind`
 */
async function checkMissing(
  list: List<Transaction>,
  result: ReadResult<Transaction>,
  feed: Observation["feed"],
  { api, chain }: AddressPoll,
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
interface CutRead {
  readonly result: ReadResult<Transaction>;
  /** Transactions that are skipped. */
  readonly gap: number;
  readonly floor: Position;
}

/** Cuts a read at the maximum number of rows. The rows below are a gap, unless they are older than the first poll. */
export function cutAt(
  maxRows: number,
  result: ReadResult<Transaction>,
  { feed, backfill, floor, settledTotal }: Observation,
): CutRead {
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
