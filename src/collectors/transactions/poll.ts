// One poll of the chain's transactions: reads the new ones, counts those with the configured confirmations, and samples
// at most one page of the past for the usual fees.
import { ApiError, isShortage } from "../../api/errors.ts";
import type { Page } from "../../ledger/ledger.ts";
import { type List, type ReadResult, readList } from "../../ledger/read.ts";
import { noteFloor, viewOf } from "../lists/view.ts";
import { type Baseline, nextPage, type PlacedRow, withMiss, withNewest, withPage } from "./baseline.ts";
import { busiest, callsOf } from "./busiest.ts";
import type { Options } from "./options.ts";
import * as recent from "./recent.ts";
import { type ChainTransaction, chainList, partiesOf, readPageAt } from "./source.ts";
import { type ChainPoll, NOTHING, type Observation } from "./state.ts";
import { addUp } from "./totals.ts";
import { rowsInWindow, WINDOW_SECONDS } from "./window.ts";

// Contracts with the most calls that have series.
const BUSIEST = 10;

type ChainPage = Page<ChainTransaction>;

/** Observes the transactions of the chain. */
export async function observeChain(poll: ChainPoll, settings: Options): Promise<Observation> {
  const { api, previous = NOTHING } = poll;
  const list = chainList(api);
  const { ledger } = previous;
  // Half of the current budget: the other half is for the other requests.
  const requests = Math.max(2, Math.min(settings.pages, Math.floor(api.room() / 2)));
  const newest = await list.newest(ledger?.etag);
  const window = newest === undefined ? UNCHANGED : await readWindow(list, newest, previous, poll, requests);
  const { pages, isWhole } = window;
  const viewAt = (page: ChainPage | undefined) => viewOf(poll, page);
  // While older transactions are unread, the newest ones do not reduce their requests.
  const left = newest === undefined ? 0 : ledger?.isFar ? requests : Math.max(1, requests - pages.length);
  const read = await readList({ list, ledger, viewAt, pages, requests: left, catchUp: settings.catch_up });
  noteFloor(ledger, read.ledger, poll);
  const observation = await nextObservation(previous, read, pages, poll);
  return { ...observation, readAt: isWhole ? poll.now : previous.readAt };
}

/** The newest rows. */
interface Window {
  /** From the newest one down, without gaps. */
  readonly pages: readonly ChainPage[];
  /** Whether they reach a known block, or the end of the window. */
  readonly isWhole: boolean;
}

const UNCHANGED: Window = { pages: [], isWhole: true };

// More than the transactions of a minute.
const NEWEST_PAGES = 4;

/** Reads from the newest page down to a known block or the oldest of the window: the fees are always those of now. */
async function readWindow(
  list: List<ChainTransaction>,
  newest: ChainPage,
  { ledger, recent: blocks }: Observation,
  { now }: ChainPoll,
  requests: number,
): Promise<Window> {
  const known = new Set(blocks.map(({ hash }) => hash));
  const isEnd = ({ hash, at = 0 }: ChainTransaction) => known.has(hash) || at <= now / 1000 - WINDOW_SECONDS;
  const max = ledger?.isFar ? NEWEST_PAGES : requests;
  const pages = [newest];
  try {
    for (let page = newest; page.next !== undefined && !page.rows.some(isEnd); pages.push(page)) {
      const lower = pages.length < max ? await list.atCursor?.(page.next) : undefined;
      if (lower === undefined) return { pages, isWhole: false };
      page = lower;
    }
    return { pages, isWhole: true };
  } catch (error) {
    if (!isShortage(error)) throw error;
    return { pages, isWhole: false };
  }
}

async function nextObservation(
  before: Observation,
  { ledger, counted, reverted, restored, skipped }: ReadResult<ChainTransaction>,
  pages: readonly ChainPage[],
  poll: ChainPoll,
): Promise<Omit<Observation, "readAt">> {
  const { chain, now, spareSeries } = poll;
  const { depth } = viewOf(poll, pages[0]);
  const listed = pages.flatMap((page) => page.rows);
  const blocks =
    listed.length === 0
      ? recent.pruned(before.recent, chain, now / 1000)
      : recent.withRead(before.recent, { rows: listed, isFromTop: true }, chain, now / 1000);
  const rows = recent.rowsOf(blocks);
  const calls = callsOf(rowsInWindow(rows, now / 1000));
  // The principals of known transactions are announced when the chain confirms them.
  const known = new Set(
    chain === undefined ? [] : before.recent.flatMap(({ transactions }) => transactions.map(({ id }) => id)),
  );
  return {
    ledger,
    totals: addUp(before.totals, counted, { gap: skipped, reverted: reverted.length, restored: restored.length }),
    recent: blocks,
    // A page of a quiet chain goes further back than the recent blocks.
    baseline: await nextBaseline(before.baseline, placed(listed.length > rows.length ? listed : rows), poll),
    busiest: busiest(before.busiest, calls, { max: BUSIEST, spareSeries, now: now / 1000 }),
    moved: [...new Set(counted.filter(({ id }) => !known.has(id)).flatMap(partiesOf))],
    depth,
    pending: pages.length === 0 ? before.pending : listed.filter(({ height }) => height > depth).length,
    at: now,
  };
}

const placed = (rows: readonly { readonly at: number | undefined }[]): readonly PlacedRow[] =>
  rows.filter((row): row is PlacedRow => row.at !== undefined);

const isPassing = ({ reason }: ApiError): boolean => reason === "network" || reason === "http_server";

/** The baseline with the newest transactions, and with one page of the past if there is one to sample. */
async function nextBaseline(before: Baseline, rows: readonly PlacedRow[], { api, now }: ChainPoll): Promise<Baseline> {
  const baseline = withNewest(before, rows, now / 1000);
  const page = nextPage(baseline, rows, now / 1000);
  if (page === undefined || api.room() < 1) return baseline;
  try {
    return withPage(baseline, page, placed(await readPageAt(api, page.height)));
  } catch (error) {
    // The list has been read: what it counts is valid without the sample, which the next poll requests again.
    if (!(error instanceof ApiError)) throw error;
    return isShortage(error) || isPassing(error) ? baseline : withMiss(baseline, page);
  }
}
