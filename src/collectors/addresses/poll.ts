// One poll of an address: reads new transactions, and counts those with enough confirmations, and their transfers.
import { depthOf } from "../chain/chain-view.ts";
import { confirmedChanges, countableHeight } from "../feed/confirm.ts";
import { highestOf, oldestHeight, proofOf, raisedFloor } from "../feed/floor.ts";
import { repaired, validatorOf } from "../feed/previous.ts";
import type { List, Page, ReadResult } from "../feed/read.ts";
import { cutAt, type ListRead, readList } from "../feed/read-list.ts";
import { applyChanges, EMPTY_FEED, newestFirst, pruned, withReadRows } from "../feed/state.ts";
import { NO_LAST_VALUES, newestValues } from "./last-values.ts";
import { limitedOutflow } from "./limits.ts";
import { readNeededTransfers, transferSources } from "./needed-transfers.ts";
import type { Options } from "./options.ts";
import { originalList, replacementList, type Transaction } from "./source.ts";
import type { AddressPoll, Observation } from "./state.ts";
import { addUp, type Irregularity, NO_TOTALS } from "./totals.ts";

/** Observes an address by `address_transactions`, or by its replacement. */
export async function observeAddress(
  useReplacement: boolean,
  poll: AddressPoll,
  settings: Options,
): Promise<Observation> {
  const { api, target, chain, previous } = poll;
  const list = (useReplacement ? replacementList : originalList)(api, target.watched.principal);
  const etag = previous?.isNew === useReplacement ? validatorOf(previous, previous.facts.last, chain) : undefined;
  const first = etag === undefined ? undefined : await list.changedSince(etag);
  const isUnchanged = etag !== undefined && first === undefined;
  if (previous !== undefined && isUnchanged && previous.feed.waiting.length === 0) {
    const outflow = limitedOutflow(previous.outflow, target.watched, [], poll.now);
    return { ...previous, outflow };
  }
  const before = previous === undefined ? await firstPoll(list, poll, settings) : continued(previous, poll);
  const isSameList = before.state.isNew === list.hasCursors;
  const read = isUnchanged
    ? undefined
    : await readList(list, before.state, first ?? before.first, poll, settings, isSameList);
  return nextObservation(before, read, useReplacement, poll, settings);
}

/** The start of a poll. */
interface Before {
  readonly state: Observation;
  readonly first?: Page<Transaction>;
  readonly irregularities: Partial<Record<Irregularity, number>>;
}

async function firstPoll(
  list: List<Transaction>,
  { chain, target }: AddressPoll,
  { backfill }: Options,
): Promise<Before> {
  const first = (await list.page(0, undefined)) as Page<Transaction>;
  const older = backfill === "none" ? 0 : backfill === "all" ? Number.MAX_SAFE_INTEGER : backfill;
  // Without a chain, confirmations are unknown: none of the listed transactions is counted.
  const height = (chain === undefined ? highestOf(first.rows) : depthOf(chain, target.confirmations)) + 1;
  const state: Observation = {
    feed: EMPTY_FEED,
    floor: { height: older > 0 ? 0 : height, index: 0 },
    settledTotal: Math.max(0, (first.total ?? 0) - older),
    totals: NO_TOTALS,
    facts: NO_LAST_VALUES,
    isNew: false,
    hasTransfers: false,
    backfill: older > 0 ? older : undefined,
    held: {},
    etag: undefined,
  };
  return { state, first, irregularities: {} };
}

function continued(previous: Observation, poll: AddressPoll): Before {
  const state = repaired(previous, previous.facts.last, poll);
  return { state, irregularities: state.floor === previous.floor ? {} : { impossible_height: 1 } };
}

async function nextObservation(
  { state: before, irregularities }: Before,
  read: ListRead<Transaction> | undefined,
  useReplacement: boolean,
  poll: AddressPoll,
  settings: Options,
): Promise<Observation> {
  const { api, target, chain, previous, now } = poll;
  const { principal } = target.watched;
  const result = read?.result;
  const cut = result && cutAt(before.backfill ?? settings.catch_up, result, before);
  const merged = cut === undefined ? before.feed : withReadRows(before.feed, cut.result, proofOf);
  const maxHeight = countableHeight(poll, merged);
  const changes = await confirmedChanges(merged, maxHeight, read, poll);

  const known = new Set(merged.counted.map(({ id }) => id));
  const needed = await readNeededTransfers(
    api,
    principal,
    changes.ready.filter(({ id }) => !known.has(id)),
    transferSources(api, settings, useReplacement),
    before.held,
    // A server that is behind the chain can lack transfers: only polls of the chain count as waiting time.
    chain?.seenAt ?? now,
  );
  const ready = changes.ready.filter(({ id }) => known.has(id) || needed.transfers.has(id));
  const tipHeight = chain?.tipHeight ?? maxHeight;
  const applied = applyChanges(merged, { ...changes, ready, tipHeight }, proofOf, newestFirst);
  const oldest = oldestHeight(tipHeight, target.confirmations);
  const feed = pruned(applied.state, { oldest, max: Number.POSITIVE_INFINITY, min: 1 });

  const total = result?.first.total ?? before.facts.total;
  const counted = applied.counted.map((transaction) => ({
    transaction,
    transfers: needed.transfers.get(transaction.id) ?? [],
  }));
  // Older transactions of a backfill are not new.
  const fresh = counted.filter(({ transaction: { time = 0 } }) => time > now / 1000 - 3600);
  const totals = addUp(
    before.totals,
    principal,
    counted,
    {
      reverted: applied.reverted,
      restored: applied.restored,
      gap: cut?.gap ?? 0,
      irregularities: {
        ...irregularities,
        reread: result?.rereads ?? 0,
        total_shrunk: previous !== undefined && total < previous.facts.total ? 1 : 0,
        transfers_missing: needed.withoutTransfers,
      },
    },
    { perClass: settings.max_assets, spareSeries: poll.spareSeries, named: target.named ?? [] },
  );
  const facts = lastValues(before, feed, result, total, maxHeight, poll);
  const isComplete = feed.open === undefined;
  return {
    feed,
    floor: raisedFloor(cut?.floor ?? before.floor, applied.state.counted, oldest),
    settledTotal: isComplete ? total : before.settledTotal,
    totals,
    facts,
    isNew: useReplacement,
    hasTransfers: needed.hasTransfers,
    backfill: isComplete ? undefined : before.backfill,
    held: needed.missing,
    outflow: limitedOutflow(before.outflow, target.watched, before.backfill === undefined ? counted : fresh, now),
    etag: changes.dropped.size + applied.reverted > 0 ? undefined : (result?.first.etag ?? before.etag),
  };
}

function lastValues(
  { facts, settledTotal }: Observation,
  { open, waiting }: Observation["feed"],
  result: ReadResult<Transaction> | undefined,
  total: number,
  maxHeight: number,
  { target, chain }: AddressPoll,
): Observation["facts"] {
  const rows = result?.isFromTop ? result.rows : [];
  const belowDepth = waiting.filter(({ item }) => item.height > maxHeight).length;
  const unread = open === undefined ? 0 : Math.max(1, total - settledTotal - open.rows);
  return {
    ...facts,
    ...newestValues(facts, rows, target.watched.principal, chain),
    total,
    pending: { unanchored: rows.filter(({ isUnanchored }) => isUnanchored).length, below_depth: belowDepth },
    backlog: unread + waiting.length - belowDepth,
  };
}
