import { z } from "zod";
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import type { Sample } from "../metrics/family.ts";
import { EXAMPLE_TOTALS } from "./address-example.ts";
import { type AddressFacts, addressFamilies, addressSamples } from "./address-families.ts";
import { type Listing, readDown, transactionAt } from "./address-list.ts";
import { type Bounds, type Gathered, gather } from "./address-read.ts";
import {
  addressTransactions,
  type ListPage,
  PAGE,
  principalTransactions,
  readIfChanged,
  type Transaction,
} from "./address-source.ts";
import { type AddressTotals, addUp, directionOf, type Irregularity, NO_TOTALS, ROLES } from "./address-totals.ts";
import type { ChainView, Collector, Poll, Target, Watched } from "./collector.ts";
import { advanceUnchanged, depthOf, type Horizon, horizonFrom, windowOf } from "./horizon.ts";
import { transactionEvents, transactionsWithTransfers } from "./transfers.ts";

const options = z.object({
  backfill: z
    .union([z.literal("none"), z.literal("all"), z.int().min(1).max(10_000_000).meta({ unit: "transactions" })])
    .default("none")
    .meta({
      description:
        "What is counted of the time before an address was seen first: nothing, that many of its newest transactions, or all. Read oldest first, within the budget.",
    }),
  transfers: z.boolean().default(true).meta({
    description: "Whether transfers are read: one request for each block with new transactions that moved something.",
  }),
  transaction_events: z.boolean().default(false).meta({
    description:
      "Whether transfers that are not told by block are asked for by transaction, a request each: where the older operation for blocks is gone, or lacks a transaction.",
  }),
  api: z.enum(["auto", "v1", "v3"]).default("auto").meta({
    description:
      "Operations that are asked. `auto`: the older ones, which tell more, and where those are gone their replacement.",
  }),
  pages: z
    .int()
    .min(2)
    .max(200)
    .default(10)
    .meta({
      description: `Most pages of ${PAGE} transactions that one poll reads; what is left is read by the next ones.`,
    }),
  catch_up: z.int().min(PAGE).max(10_000_000).default(100_000).meta({
    unit: "transactions",
    description: "Most transactions of one address that are caught up after a pause; older ones are counted as gap.",
  }),
  max_assets: z.int().min(0).max(10_000).default(50).meta({
    description: "Assets of one address, fungible and not, that have series of their own; the others become `other`.",
  }),
  zeros: z.boolean().default(true).meta({
    description:
      "Whether every combination of labels that can be foreseen has a series from the start, with the value 0. About 330 series per address; without them those that occur, from 20 of a quiet one to 180 of a busy one.",
  }),
});
type Options = z.infer<typeof options>;

interface AddressTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
}

interface Observation {
  readonly horizon: Horizon;
  readonly totals: AddressTotals;
  readonly facts: AddressFacts;
  readonly isNew: boolean;
  readonly hasTransfers: boolean;
  readonly zeros: boolean;
  /** Still reading back what the first poll was asked to. */
  readonly isBackfilling: boolean;
  /** When the list was last read without trusting what is stored. Unix time, milliseconds. */
  readonly freshAt: number;
  /** The block whose transfers were not told yet, and for how many polls. */
  readonly held: { readonly height: number; readonly polls: number } | undefined;
  /** Who took part in what this poll saw first; itself while something waits for its depth. */
  readonly seen: readonly string[];
  /** Validator of the list that this was made from. */
  readonly etag: string | undefined;
}

// A server can be behind a reorganisation for a moment; what it confirms meanwhile is not to be trusted either.
const REORG_GRACE_MS = 60_000;

const wanted = ({ backfill }: Options): number =>
  backfill === "none" ? 0 : backfill === "all" ? Number.MAX_SAFE_INTEGER : backfill;

/** A reorganisation can have moved a transaction and left the validator of the list as it was. */
function mustBeFresh(previous: Observation, chain: ChainView | undefined, now: number): boolean {
  const reorg = chain?.lastReorg;
  if (reorg === undefined || (previous.facts.lastHeight ?? -1) < reorg.height) return false;
  return previous.freshAt <= reorg.at + REORG_GRACE_MS && now >= reorg.at;
}

async function firstSight(
  listing: Listing,
  { backfill, pages }: Options,
  { chain, now }: Poll<Observation, AddressTarget>,
  confirmations: number,
): Promise<{ readonly horizon: Horizon; readonly isBackfilling: boolean }> {
  if (backfill === "all") return { horizon: horizonFrom({ height: 0, index: 0 }, now), isBackfilling: true };
  if (backfill !== "none") {
    const floor = listing.isNew
      ? (await readDown(listing, 0, Math.max(pages, Math.ceil(backfill / PAGE)))).items[backfill - 1]
      : await transactionAt(listing, backfill - 1);
    const { height, index } = floor ?? { height: 0, index: 0 };
    return { horizon: horizonFrom({ height, index }, now), isBackfilling: true };
  }
  if (chain !== undefined) {
    const height = depthOf(chain.tipHeight, confirmations) + 1;
    return { horizon: horizonFrom({ height, index: 0 }, now), isBackfilling: false };
  }
  // Without a tip, nothing says how deep the newest ones are: none of what is there now is counted.
  const { items } = await readDown(listing, Number.POSITIVE_INFINITY, 1);
  return { horizon: horizonFrom({ height: highest(items) + 1, index: 0 }, now), isBackfilling: false };
}

const highest = (items: readonly Transaction[]): number => items.reduce((top, { height }) => Math.max(top, height), -1);

function factsOf(
  principal: string,
  newest: readonly Transaction[],
  total: number,
  depth: number,
  backlog: number,
  before: AddressFacts | undefined,
): AddressFacts {
  const lastTimes: Record<string, number> = { ...before?.lastTimes };
  const nonces: Record<string, number> = { ...before?.nonces };
  const seen = new Set<string>();
  const canonical = newest.filter((tx) => tx.isCanonical && tx.isMicroblockCanonical);
  for (const tx of canonical) {
    const direction = directionOf(tx, principal);
    if (tx.time !== undefined && !seen.has(direction)) lastTimes[direction] = tx.time;
    seen.add(direction);
    for (const role of ROLES) {
      const isIt = role === "sender" ? tx.sender === principal : tx.sponsor === principal;
      const nonce = role === "sender" ? tx.nonce : tx.sponsorNonce;
      if (isIt && nonce !== undefined && nonce > (nonces[role] ?? -1)) nonces[role] = nonce;
    }
  }
  const unanchored = canonical.filter(({ isUnanchored }) => isUnanchored).length;
  const waiting = canonical.filter(({ isUnanchored, height }) => !isUnanchored && height > depth).length;
  return {
    total,
    lastTimes,
    lastHeight: canonical.length === 0 ? before?.lastHeight : highest(canonical),
    nonces,
    pending: { unanchored, below_depth: waiting },
    backlog,
  };
}

/** Everything that is listed has been counted and is where it was: while the list does not change there is nothing to do. */
function isSettled({ facts, held, horizon }: Observation): boolean {
  const { pending, backlog } = facts;
  const isMissing = horizon.window.some(({ missing }) => missing > 0);
  return pending.unanchored + pending.below_depth + backlog === 0 && held === undefined && !isMissing;
}

// A hint is worth something when it is rare: of a crowd, the first ones are told.
const MOST_SEEN = 50;

/** Everybody who took part in what was not there at the last poll. */
function partiesOf({ newest, counted }: Gathered, before: AddressFacts | undefined): string[] {
  if (before === undefined) return [];
  const fresh = newest.filter(({ height }) => height > (before.lastHeight ?? -1));
  const parties = [
    ...fresh.flatMap(({ sender, sponsor, transfer, called }) => [sender, sponsor, transfer?.recipient, called]),
    ...counted.flatMap(({ transfers }) => transfers.map(({ other }) => other)),
  ];
  return parties.filter((party) => party !== undefined);
}

async function observeBy(
  isNew: boolean,
  poll: Poll<Observation, AddressTarget>,
  settings: Options,
): Promise<Observation> {
  const { api, target, chain, previous, now } = poll;
  const { principal } = target.watched;
  const fresh = previous !== undefined && mustBeFresh(previous, chain, now);
  const window = windowOf(target.confirmations);
  // The replacement of the list does not tell which transactions moved something.
  const asksTransfers = settings.transfers && !isNew;
  const transfers = {
    byBlock: asksTransfers && !api.isRetired(transactionsWithTransfers),
    byTransaction: asksTransfers && settings.transaction_events && !api.isRetired(transactionEvents),
  };
  const hasTransfers = transfers.byBlock || transfers.byTransaction;
  let first: ListPage | undefined;
  if (previous?.etag !== undefined && !fresh && previous.isNew === isNew && isSettled(previous)) {
    first = await readIfChanged(api, principal, isNew, previous.etag);
    if (first === undefined) {
      const depth = chain === undefined ? previous.horizon.height : depthOf(chain.tipHeight, target.confirmations);
      const horizon = advanceUnchanged(previous.horizon, depth, window, now);
      return { ...previous, horizon, hasTransfers, zeros: settings.zeros, seen: [] };
    }
  }
  const listing: Listing = { api, principal, isNew, first };
  const start = previous ?? (await firstSight(listing, settings, poll, target.confirmations));
  const bounds: Bounds = {
    window,
    // Half of what the budget has now, so that the transfers of what is read can be asked for too.
    pages: Math.max(2, Math.min(settings.pages, Math.floor(api.room() / 2))),
    catchUp: start.isBackfilling ? Number.POSITIVE_INFINITY : settings.catch_up,
    backlog: previous?.facts.backlog ?? wanted(settings),
    growth: previous === undefined ? 0 : 1,
    total: previous?.facts.total ?? 0,
    depthOf: (items) => depthOf(chain?.tipHeight ?? highest(items), target.confirmations),
    transfers,
    held: previous?.held,
    evidence: { now, lastReorg: chain?.lastReorg },
  };
  const found = await gather(listing, start.horizon, bounds);
  const total = found.total;
  const irregularities: Partial<Record<Irregularity, number>> = {
    ...found.irregularities,
    total_shrunk: previous !== undefined && total < previous.facts.total ? 1 : 0,
  };
  const totals = addUp(
    previous?.totals ?? NO_TOTALS,
    principal,
    found.counted,
    { reverted: found.reverted, restored: found.restored, gap: found.gap, irregularities },
    { perClass: settings.max_assets, spareSeries: poll.spareSeries },
  );
  const facts = factsOf(principal, found.newest, total, found.horizon.height, found.backlog, previous?.facts);
  const others = partiesOf(found, previous?.facts).filter((party) => party !== principal);
  return {
    horizon: found.horizon,
    totals,
    facts,
    isNew,
    hasTransfers: found.hasTransfers,
    zeros: settings.zeros,
    isBackfilling: start.isBackfilling && found.backlog > 0,
    freshAt: previous === undefined || fresh ? now : previous.freshAt,
    held: found.held,
    seen: [...new Set(facts.pending.below_depth > 0 ? [principal, ...others] : others)].slice(0, MOST_SEEN),
    etag: found.etag,
  };
}

/** Watched addresses: what they sent and received, counted exactly once (operations 4.6, 4.5 and 4.3, or their replacement). */
export const addresses = {
  name: "addresses",
  about: "Transactions, transfers, fees and costs of watched addresses, each transaction counted once.",
  schedule: "every 5m",
  timeout: "1m",
  priority: 3,
  durable: { version: 1 },
  operations: [addressTransactions, transactionsWithTransfers, transactionEvents, principalTransactions],
  families: addressFamilies,
  options,
  targets: ({ addresses, confirmations }) =>
    addresses.map((watched) => ({ key: watched.principal, watched, confirmations })),

  requestsPerPoll: () => 1,
  example: ({ zeros, transfers, api }) => ({
    horizon: horizonFrom({ height: 1, index: 0 }, 0),
    totals: EXAMPLE_TOTALS,
    facts: {
      total: 1,
      lastTimes: { sent: 1, received: 1 },
      lastHeight: 1,
      nonces: { sender: 1 },
      pending: { unanchored: 0, below_depth: 0 },
      backlog: 0,
    },
    isNew: api === "v3",
    hasTransfers: transfers && api !== "v3",
    zeros,
    isBackfilling: false,
    freshAt: 0,
    held: undefined,
    seen: [],
    etag: undefined,
  }),
  // Where the server does not tell something yet, asking at once would not help.
  sighting: ({ facts, held, seen }) => ({ seen, isBehind: facts.backlog > 0 && held === undefined }),

  async observe(poll, settings) {
    const isGone = (api: StacksApi) => api.isRetired(addressTransactions);
    if (settings.api !== "auto") return observeBy(settings.api === "v3", poll, settings);
    if (isGone(poll.api)) return observeBy(true, poll, settings);
    try {
      return await observeBy(false, poll, settings);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "gone" || error.operation !== addressTransactions.name)
        throw error;
      return observeBy(true, poll, settings);
    }
  },

  *samples({ totals, facts, isNew, hasTransfers, zeros }, network, { watched }): Iterable<Sample> {
    const labels = { network, name: watched.name, address: watched.principal };
    const known = { totals, facts, hasDetail: !isNew, hasTransfers, zeros };
    yield* addressSamples(known, labels, watched.group, watched.labels);
  },
} satisfies Collector<Observation, Options, AddressTarget>;
