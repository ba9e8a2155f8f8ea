// One poll of the chain's transactions: reads the new ones, counts those with the configured confirmations, and samples
// at most one page of the past for the usual fees.
import { ApiError, isShortage } from "../../api/errors.ts";
import { blockStatus, type ChainView, depthOf, type Proof } from "../chain/chain-view.ts";
import { confirmedChanges, countableHeight } from "../feed/confirm.ts";
import { highestOf, oldestHeight, proofOf, raisedFloor } from "../feed/floor.ts";
import { repaired, validatorOf } from "../feed/previous.ts";
import { type List, type Page, type ReadResult, readFromTop } from "../feed/read.ts";
import { cutAt, type ListRead, readList } from "../feed/read-list.ts";
import { applyChanges, newestFirst, pruned, withReadRows } from "../feed/state.ts";
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

/** Observes the transactions of the chain. */
export async function observeChain(poll: ChainPoll, settings: Options): Promise<Observation> {
  const { api, chain, previous } = poll;
  const list = chainList(api);
  const etag = previous && validatorOf(previous, previous.last, chain);
  const first = etag === undefined ? undefined : await list.changedSince(etag);
  if (previous === undefined) return firstObservation(list, poll, settings);
  const isUnchanged = etag !== undefined && first === undefined;
  const before = repaired(previous, previous.last, poll);
  const top = before.feed.open === undefined ? undefined : await readNewest(list, before, poll);
  const read = isUnchanged ? undefined : await readList(list, before, first, poll, settings);
  return nextObservation(before, read, top, poll, settings);
}

/** The first poll counts nothing that is listed already, and reads the window. */
async function firstObservation(
  list: List<ChainTransaction>,
  poll: ChainPoll,
  settings: Options,
): Promise<Observation> {
  const { chain, target, now } = poll;
  const first = (await list.page(0, undefined)) as Page<ChainTransaction>;
  // Without a chain, confirmations are unknown: none of the listed transactions is counted.
  const height = (chain === undefined ? highestOf(first.rows) : depthOf(chain, target.confirmations)) + 1;
  const before: Observation = {
    ...NOTHING,
    floor: { height, index: 0 },
    settledTotal: first.total ?? 0,
    at: now,
  };
  const isOld = (row: ChainTransaction) => newestFirst(row, before.floor) > 0;
  const limits = {
    stopsAt: (row: ChainTransaction) => isOld(row) && (row.at ?? 0) <= now / 1000 - WINDOW_SECONDS,
    pages: Math.max(2, Math.min(settings.pages, Math.floor(poll.api.room() / 2))),
    rows: Number.POSITIVE_INFINITY,
  };
  const window = await readFromTop(list, limits, first);
  const { rows, resume } = window;
  const result = {
    ...window,
    fresh: rows.filter((row) => !isOld(row)),
    resume: rows.some(isOld) ? undefined : resume,
  };
  return nextObservation(before, { result, replaced: undefined }, undefined, poll, settings);
}

// More than the transactions of a minute.
const NEWEST_PAGES = 4;

/**
 * Reads the newest transactions while older ones are still to be read, so that the fees are those of now. They are read
 * again for the totals.
 */
function readNewest(
  list: List<ChainTransaction>,
  { recent: blocks }: Observation,
  { now }: ChainPoll,
): Promise<ReadResult<ChainTransaction>> {
  const known = new Set(blocks.map(({ hash }) => hash));
  const oldest = now / 1000 - WINDOW_SECONDS;
  const stopsAt = ({ hash, at = 0 }: ChainTransaction) => known.has(hash) || at <= oldest;
  return readFromTop(list, { stopsAt, pages: NEWEST_PAGES, rows: Number.POSITIVE_INFINITY });
}

async function nextObservation(
  before: Observation,
  read: ListRead<ChainTransaction> | undefined,
  newest: ReadResult<ChainTransaction> | undefined,
  poll: ChainPoll,
  settings: Options,
): Promise<Observation> {
  const { target, chain, now } = poll;
  const result = read?.result;
  const cut = result && cutAt(settings.catch_up, result, before);
  const merged = cut === undefined ? before.feed : withReadRows(before.feed, cut.result, proofOf);
  const maxHeight = countableHeight(poll, merged);
  const changes = await confirmedChanges(merged, maxHeight, read, poll);
  const tipHeight = chain?.tipHeight ?? maxHeight;
  const applied = applyChanges(merged, { ...changes, tipHeight }, proofOf, newestFirst);
  const { counted, reverted, restored } = applied;
  // Those that waited have been announced when the chain confirmed them.
  const waited = new Set(chain === undefined ? [] : before.feed.waiting.map(({ item }) => item.id));
  const oldest = oldestHeight(tipHeight, target.confirmations);
  const feed = pruned(applied.state, { oldest, max: Number.POSITIVE_INFINITY, min: 1 });

  const top = newest ?? (result?.isFromTop ? result : undefined);
  const isCurrent = result === undefined ? newest === undefined : top !== undefined && top.resume === undefined;
  const blocks = recentBlocks(before, [result, newest], chain, now / 1000);
  const rows = recent.rowsOf(blocks);
  const calls = callsOf(rowsInWindow(rows, now / 1000));
  const { spareSeries } = poll;
  const isComplete = feed.open === undefined;
  const listed = top?.rows ?? [];
  return {
    feed,
    floor: raisedFloor(cut?.floor ?? before.floor, applied.state.counted, oldest),
    settledTotal: isComplete && result !== undefined ? (result.first.total ?? 0) : before.settledTotal,
    totals: addUp(before.totals, counted, { gap: cut?.gap ?? 0, reverted, restored }),
    recent: blocks,
    // A page of a quiet chain goes further back than the recent blocks.
    baseline: await nextBaseline(before.baseline, placed(listed.length > rows.length ? listed : rows), poll),
    busiest: busiest(before.busiest, calls, { max: BUSIEST, spareSeries, now: now / 1000 }),
    moved: [...new Set(counted.filter(({ id }) => !waited.has(id)).flatMap(partiesOf))],
    last: newestBlock(before.last, listed, chain),
    etag: changes.dropped.size + reverted > 0 ? undefined : (result?.first.etag ?? before.etag),
    at: now,
    readAt: isCurrent ? now : before.readAt,
  };
}

function recentBlocks(
  before: Observation,
  reads: readonly (ReadResult<ChainTransaction> | undefined)[],
  chain: ChainView | undefined,
  now: number,
): Observation["recent"] {
  let blocks = recent.pruned(before.recent, chain, now);
  for (const read of reads) if (read !== undefined) blocks = recent.withRead(blocks, read, chain, now);
  return blocks;
}

function newestBlock(
  before: Proof | undefined,
  rows: readonly ChainTransaction[],
  chain: ChainView | undefined,
): Proof | undefined {
  const isValid = (block: Proof) => blockStatus(chain, block) !== "replaced";
  const newest = rows.find(isValid) ?? (before && isValid(before) ? before : undefined);
  return newest && { height: newest.height, hash: newest.hash };
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
