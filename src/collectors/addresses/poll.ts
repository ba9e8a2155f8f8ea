// One poll of an address: reads what is new, counts what is proved and deep enough, and gets the transfers of what it counts.
import { ApiError } from "../../api/errors.ts";
import { readBlock } from "../chain/block-source.ts";
import { blockStatus, type ChainView, depthOf } from "../chain/chain-view.ts";
import { transactionEvents } from "../chain/transaction-source.ts";
import { isPrincipal } from "../clarity-names.ts";
import type { Poll, Target, Watched } from "../collector.ts";
import { type List, type Page, type Reading, readDown, readOn } from "../feed/read.ts";
import {
  type Decision,
  decide,
  EMPTY_FEED,
  isNewer,
  knownRows,
  lackedBy,
  newestFirst,
  remembered,
  settle,
  withoutForgotten,
  withReading,
} from "../feed/state.ts";
import { type TransferSources, withTransfers } from "./address-transfers.ts";
import { NO_FACTS, seenIn } from "./facts.ts";
import { newList, oldList, type Transaction } from "./source.ts";
import { isBelow, type Observation, oldestOf, proofOf, raisedFloor, repairedFloor } from "./state.ts";
import { addUp, type Irregularity, NO_TOTALS } from "./totals.ts";
import { addressTransactionEvents, transactionsWithTransfers } from "./transfers.ts";

/** A watched address. */
export interface AddressTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
  /** Identifiers of the assets that have series in any case. @default none */
  readonly named?: readonly string[];
}

/** Settings of the collector that a poll needs. */
export interface PollSettings {
  readonly backfill: "none" | "all" | number;
  readonly transfers: boolean;
  readonly transaction_events: boolean;
  readonly pages: number;
  readonly catch_up: number;
  readonly max_assets: number;
  readonly zeros: boolean;
}

type AddressPoll = Poll<Observation, AddressTarget>;

/** Observes an address by operation 4.6, or by its replacement when `isNew`. */
export async function observeAddress(isNew: boolean, poll: AddressPoll, settings: PollSettings): Promise<Observation> {
  const { api, target, chain, previous } = poll;
  const { principal } = target.watched;
  const list = isNew ? newList(api, principal) : oldList(api, principal);
  const etag = previous !== undefined && mayTrust(previous, isNew, chain) ? previous.etag : undefined;
  const first = etag === undefined ? undefined : await list.changedSince(etag);
  const isUnchanged = etag !== undefined && first === undefined;
  if (previous !== undefined && isUnchanged && previous.feed.waiting.length === 0) {
    return { ...previous, zeros: settings.zeros, seen: [] };
  }
  const before = previous === undefined ? await firstSight(list, poll, settings) : repaired(previous, poll);
  const found = isUnchanged ? undefined : await read(list, before.state, first ?? before.first, poll, settings);
  return count(before, found, isNew, poll, settings);
}

interface Before {
  readonly state: Observation;
  readonly first?: Page<Transaction>;
  readonly irregularities: Partial<Record<Irregularity, number>>;
}

// A reorganisation can move a transaction and leave the validator of the list as it was.
function mayTrust({ feed, facts, isNew }: Observation, wasNew: boolean, chain: ChainView | undefined): boolean {
  const holds = (row: { readonly height: number; readonly hash: string }) => blockStatus(chain, row) !== "replaced";
  const rows = [
    ...feed.counted,
    ...feed.waiting.map(({ item }) => item),
    ...(facts.last === undefined ? [] : [facts.last]),
  ];
  return isNew === wasNew && feed.open === undefined && rows.every(holds);
}

async function firstSight(
  list: List<Transaction>,
  { chain, target }: AddressPoll,
  { backfill, zeros }: PollSettings,
): Promise<Before> {
  const first = (await list.page(0, undefined)) as Page<Transaction>;
  const total = first.total ?? 0;
  const wanted = backfill === "none" ? 0 : backfill === "all" ? Number.MAX_SAFE_INTEGER : backfill;
  const highest = first.rows.reduce((top, { height }) => Math.max(top, height), -1);
  // Without a tip, nothing says how deep the newest ones are: none of what is there now is counted.
  const height = chain === undefined ? highest + 1 : depthOf(chain, target.confirmations) + 1;
  const state: Observation = {
    feed: EMPTY_FEED,
    floor: wanted > 0 ? { height: 0, index: 0 } : { height, index: 0 },
    settledTotal: Math.max(0, total - wanted),
    totals: NO_TOTALS,
    facts: NO_FACTS,
    isNew: false,
    hasTransfers: false,
    zeros,
    backfill: wanted > 0 ? wanted : undefined,
    held: {},
    seen: [],
    etag: undefined,
  };
  return { state, first, irregularities: {} };
}

function repaired(previous: Observation, { chain, target, note }: AddressPoll): Before {
  const floor = repairedFloor(previous, chain, target.confirmations);
  if (floor === undefined) return { state: previous, irregularities: {} };
  note?.(
    `counting had stopped at height ${previous.floor.height}, above the tip ${chain?.tipHeight}: it goes on at height ${floor.height}`,
  );
  return { state: { ...previous, floor }, irregularities: { impossible_height: 1 } };
}

interface Read {
  readonly reading: Reading<Transaction>;
  /** A transaction whose block was replaced, as a request proved. */
  readonly replaced: string | undefined;
}

/** Reads the list from its top, or on from where the last reading ended. */
async function read(
  list: List<Transaction>,
  before: Observation,
  first: Page<Transaction> | undefined,
  poll: AddressPoll,
  settings: PollSettings,
): Promise<Read> {
  const { api, chain } = poll;
  const { feed, floor, backfill } = before;
  const known = knownRows(feed, chain, proofOf, newestFirst);
  const limits = {
    isKnown: (row: Transaction) => isBelow(row, floor) || known(row),
    // Half of what the budget has now, so that the transfers of what is read can be read too.
    pages: Math.max(2, Math.min(settings.pages, Math.floor(api.room() / 2))),
    rows: backfill ?? settings.catch_up,
  };
  const { open } = feed;
  if (open === undefined) {
    const reading = await readDown(list, limits, first);
    return { reading, replaced: await checkNotBehind(list, reading, feed, poll) };
  }
  // Cursors and offsets do not translate into each other.
  const resumed = before.isNew === list.hasCursors ? await readOn(list, limits, open) : undefined;
  if (resumed !== undefined) return { reading: withoutForgotten(resumed, feed), replaced: undefined };
  const reading = withoutForgotten(await readDown(list, limits), feed);
  const isAbove = reading.resume !== undefined && isNewer(reading.resume.last, open.last);
  const isMet = isAbove || reading.rows.some(({ id }) => id === open.last.id);
  const { height, hash } = open.last;
  const isReplaced = height !== undefined && blockStatus(chain, { height, hash }) === "replaced";
  if (!isMet && !isReplaced) throw behind(list, "the list lacks the transaction at which the last reading ended");
  return { reading, replaced: await checkNotBehind(list, reading, feed, poll) };
}

const behind = ({ operation }: List<Transaction>, message: string) => new ApiError("behind", operation, message);

/**
 * Refuses a list that lacks a transaction whose block is canonical. A block that is not known any more costs one request;
 * when another block is canonical at its height, the reading names the transaction as replaced.
 */
async function checkNotBehind(
  list: List<Transaction>,
  reading: Reading<Transaction>,
  feed: Observation["feed"],
  { api, chain }: AddressPoll,
): Promise<string | undefined> {
  const lacked = lackedBy(feed, reading, proofOf, newestFirst);
  const message = (height: number) => `the list lacks a transaction of block ${height}, which is canonical`;
  const canonical = lacked.find((row) => blockStatus(chain, row) === "canonical");
  if (canonical !== undefined) throw behind(list, message(canonical.height));
  const old = lacked.find((row) => blockStatus(chain, row) === "old");
  if (old === undefined) return undefined;
  const block = await readBlock(api, old.height);
  if (block === undefined || block.hash === old.hash) throw behind(list, message(old.height));
  return old.id;
}

async function count(
  { state: before, irregularities }: Before,
  found: Read | undefined,
  isNew: boolean,
  poll: AddressPoll,
  settings: PollSettings,
): Promise<Observation> {
  const { api, target, chain, previous, now } = poll;
  const { principal } = target.watched;
  const reading = found?.reading;
  const limit = before.backfill ?? settings.catch_up;
  const part = reading && upTo(limit, reading, before);
  const read = part === undefined ? before.feed : withReading(before.feed, part.reading, proofOf);
  const total = reading?.first.total ?? before.facts.total;

  const depth = depthIn(
    poll,
    read.waiting.map(({ item }) => item),
  );
  const decision = decide(read, chain, depth, proofOf);
  const isReplaced = (row: { readonly id: string; readonly height: number }) =>
    row.id === found?.replaced && row.height <= depth;
  const checked = await withoutDoubt(decision, reading, poll);
  const ready = checked.ready.filter((tx) => !isReplaced(tx));
  const dropped = new Set([
    ...checked.dropped,
    ...read.waiting.flatMap(({ item }) => (isReplaced(item) ? item.id : [])),
  ]);
  const counted = new Set(read.counted.map(({ id }) => id));
  const told = await withTransfers(
    api,
    principal,
    ready.filter(({ id }) => !counted.has(id)),
    transferSources(poll, settings, isNew),
    before.held,
    // While the server is behind the chain, that it lacks transfers proves nothing.
    chain?.seenAt ?? now,
  );
  const countable = ready.filter(({ id }) => counted.has(id) || told.transfers.has(id));
  const tipHeight = chain?.tipHeight ?? depth;
  const oldest = oldestOf(tipHeight, target.confirmations);
  const reverted = new Set([...decision.suspects, ...read.counted.filter(isReplaced)].map(({ id }) => id));
  const settled = settle(read, { ready: countable, dropped, reverted, tipHeight }, proofOf, newestFirst);
  const feed = remembered(settled.state, { oldest, most: Number.POSITIVE_INFINITY, least: 1 });

  const isSettled = feed.open === undefined;
  const rows = reading?.isFromTop ? reading.rows : [];
  const waiting = feed.waiting.filter(({ item }) => item.height > depth).length;
  const left = isSettled ? 0 : Math.max(1, total - before.settledTotal - (feed.open?.rows ?? 0));
  const facts = {
    ...before.facts,
    ...seenIn(before.facts, rows, principal, chain),
    total,
    pending: { unanchored: rows.filter(({ isUnanchored }) => isUnanchored).length, below_depth: waiting },
    backlog: left + feed.waiting.length - waiting,
  };
  const totals = addUp(
    before.totals,
    principal,
    settled.counted.map((transaction) => ({ transaction, transfers: told.transfers.get(transaction.id) ?? [] })),
    {
      reverted: settled.reverted,
      restored: settled.restored,
      gap: part?.gap ?? 0,
      irregularities: {
        ...irregularities,
        reread: reading?.rereads ?? 0,
        total_shrunk: previous !== undefined && total < previous.facts.total ? 1 : 0,
        transfers_missing: told.untold,
      },
    },
    { perClass: settings.max_assets, spareSeries: poll.spareSeries, named: target.named ?? [] },
  );
  const parties = previous === undefined || reading === undefined ? [] : partiesOf(reading.fresh);
  const others = [...parties, ...[...told.transfers.values()].flat().flatMap(({ other }) => other ?? [])];
  return {
    feed,
    floor: raisedFloor(part?.floor ?? before.floor, settled.state.counted, oldest),
    settledTotal: isSettled ? total : before.settledTotal,
    totals,
    facts,
    isNew,
    hasTransfers: told.hasTransfers,
    zeros: settings.zeros,
    backfill: isSettled ? undefined : before.backfill,
    held: told.held,
    seen: seenBy(principal, others, waiting > 0),
    etag: dropped.size + settled.reverted > 0 ? undefined : (reading?.first.etag ?? before.etag),
  };
}

// A chain of which so many blocks are known leaves no doubt about what is below them.
const ENOUGH_BLOCKS = 100;
const MOST_CHECKS = 8;

/**
 * The decision without what is below the known blocks of a chain of which few are known, unless a request proves it. One
 * proves everything below it in the same reading.
 */
async function withoutDoubt(
  { ready, dropped }: Decision<Transaction>,
  reading: Reading<Transaction> | undefined,
  { api, chain }: AddressPoll,
): Promise<Pick<Decision<Transaction>, "ready" | "dropped">> {
  const sorted = ready.toSorted((a, b) => newestFirst(b, a));
  if (chain === undefined || chain.lowest <= 1 || chain.tipHeight - chain.lowest >= ENOUGH_BLOCKS) {
    return { ready: sorted, dropped };
  }
  const listed = new Set(reading?.rows.map(({ id, hash }) => id + hash));
  const blocks = new Map<number, string | undefined>();
  const replaced = new Set(dropped);
  const doubtful = new Set<Transaction>();
  let isListProved = false;
  for (const tx of sorted.toReversed()) {
    if (blockStatus(chain, tx) !== "old") continue;
    const isListed = listed.has(tx.id + tx.hash);
    if (isListed && isListProved) continue;
    if (!blocks.has(tx.height) && blocks.size < MOST_CHECKS) {
      blocks.set(tx.height, (await readBlock(api, tx.height))?.hash);
    }
    const hash = blocks.get(tx.height);
    if (hash === tx.hash) isListProved ||= isListed;
    else doubtful.add(tx);
    if (hash !== undefined && hash !== tx.hash) replaced.add(tx.id);
  }
  return { ready: sorted.filter((tx) => !doubtful.has(tx)), dropped: replaced };
}

/** The reading as far as the limit of rows allows; what is below it is not read, and a gap unless it was before the first sight. */
function upTo(limit: number, reading: Reading<Transaction>, { feed, backfill, floor, settledTotal }: Observation) {
  const allowed = Math.max(0, limit - (reading.isFromTop ? 0 : (feed.open?.rows ?? 0)));
  const isCut = reading.rows.length > allowed || (reading.resume !== undefined && reading.rows.length >= allowed);
  if (!isCut) return { reading, gap: 0, floor };
  const fresh = reading.fresh.slice(0, allowed);
  const last = fresh.at(-1);
  const cut = { ...reading, fresh, resume: undefined };
  const bottom = backfill !== undefined && last !== undefined ? { height: last.height, index: last.index } : floor;
  if (backfill !== undefined || reading.resume === undefined) return { reading: cut, gap: 0, floor: bottom };
  return { reading: cut, gap: Math.max(1, (reading.first.total ?? 0) - settledTotal - limit), floor };
}

/** Height up to which transactions are deep enough. Without a chain to go by, the newest transaction stands for the tip. */
function depthIn({ chain, isFollowed, target }: AddressPoll, waiting: readonly Transaction[]): number {
  if (chain !== undefined) return depthOf(chain, target.confirmations);
  if (isFollowed) return -1;
  const tipHeight = waiting.reduce((top, { height }) => Math.max(top, height), -1);
  return depthOf({ tipHeight }, target.confirmations);
}

function transferSources({ api }: AddressPoll, settings: PollSettings, isNew: boolean): TransferSources {
  const isWanted = (isOffered: boolean) => settings.transfers && isOffered;
  const byBlock = isWanted(!isNew && !api.isRetired(transactionsWithTransfers));
  return {
    byBlock,
    byAddress: isWanted(settings.transaction_events && !isNew && !api.isRetired(addressTransactionEvents)),
    byTransaction: isWanted(!api.isRetired(transactionEvents)),
  };
}

// A hint is worth something when it is rare: of a crowd, the first ones are told.
const MOST_SEEN = 50;

/** Everybody who took part in transactions. */
const partiesOf = (transactions: readonly Transaction[]): string[] =>
  transactions
    .flatMap(({ sender, sponsor, transfer, called }) => [sender, sponsor, transfer?.recipient, called])
    .filter((party): party is string => party !== undefined && isPrincipal(party));

function seenBy(principal: string, others: readonly string[], isWaiting: boolean): string[] {
  const parties = others.filter((party) => party !== principal);
  return [...new Set(isWaiting ? [principal, ...parties] : parties)].slice(0, MOST_SEEN);
}
