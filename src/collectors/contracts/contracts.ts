import { z } from "zod";
import { ApiError } from "../../api/errors.ts";
import { orReplacement } from "../../api/replacement.ts";
import { counter, type Family, gauge, type Sample } from "../../exposition/family.ts";
import { blockStatus, type ChainView, depthOf } from "../chain/chain-view.ts";
import { transaction } from "../chain/transaction-source.ts";
import type { Collector, Poll, Target, Watched } from "../collector.ts";
import { valuesOf } from "../counters.ts";
import { type List, type Page, type Reading, readDown, readOn } from "../feed/read.ts";
import {
  closed,
  decide,
  EMPTY_FEED,
  type FeedState,
  knownRows,
  lackedBy,
  remembered,
  settle,
  withReading,
} from "../feed/state.ts";
import { BEYOND_DOUBT, byRank, judgeSuspects, proofOf, withoutDoubtful, withProofs, withRanks } from "./event-proof.ts";
import { type ContractEvent, contractEvents, contractLogs, eventList, tipOf, txIdOf } from "./event-source.ts";
import { addEvents, cleanedTopics, NO_TOPICS, type TopicTotals } from "./topics.ts";

const identity = {
  network: "name of the network",
  name: "name of the contract in the configuration",
  contract_id: "the contract",
};
const listed = (field: string) =>
  `${field} of GET /extended/v1/contract/{contract_id}/events, or its replacement GET /extended/v2/smart-contracts/{contract_id}/logs, polled`;

const families = {
  info: gauge({
    name: "stacks_contract_info",
    help: "Always 1. Group and additional labels of a watched contract, to join with its other series.",
    source: "the configuration",
    isOpen: true,
    isLasting: true,
    labels: { ...identity, group: "group of the contract in the configuration" },
  }),
  events: counter({
    name: "stacks_contract_events_total",
    help: "Events of the contract. Each counts once, when it has the configured confirmations.",
    source: listed("event_type, contract_log.topic"),
    labels: {
      ...identity,
      event_type: "type of the event",
      topic: "topic of the event; other beyond max_topics, and for topics that are not valid",
    },
  }),
  transactions: counter({
    name: "stacks_contract_event_transactions_total",
    help: "Transactions with at least one counted event.",
    source: listed("tx_id"),
    labels: identity,
  }),
  lastObserved: gauge({
    name: "stacks_contract_last_event_observed_timestamp_seconds",
    help: "Time when a new event was last seen; events carry no time of their own. Unix time. Absent until the first one.",
    source: listed("results"),
    unit: "seconds",
    labels: identity,
  }),
  pending: gauge({
    name: "stacks_contract_pending_depth_events",
    help: "Events that wait for confirmations.",
    source: listed("results"),
    labels: identity,
  }),
  gaps: counter({
    name: "stacks_contract_events_gap_total",
    help: "Polls that skipped an unknown number of events, because their position in the list was lost.",
    source: listed("results"),
    labels: identity,
  }),
  reverted: counter({
    name: "stacks_contract_reverted_events_total",
    help: "Counted events whose block was replaced and whose transaction is in no block any more. Other counters are not lowered.",
    source: `block of GET /extended/v3/transactions/{tx_id}, and ${listed("results")}`,
    labels: identity,
  }),
  restored: counter({
    name: "stacks_contract_restored_events_total",
    help: "Reverted events that are in a block again. They are not counted again.",
    source: listed("results"),
    labels: identity,
  }),
  overflow: counter({
    name: "stacks_contract_label_overflow_total",
    help: "Events counted as other: their topic exceeds max_topics or max_series, lost its series to another topic, or is invalid.",
    source: listed("contract_log.topic"),
    labels: identity,
  }),
};

const options = z.object({
  api: z.enum(["auto", "v1", "v3"]).default("auto").meta({
    description: "API operation to use. `auto`: the older one, and its replacement (`v3`) after its removal.",
  }),
  pages: z.int().min(1).max(200).default(10).meta({
    description: "Maximum number of pages of 50 events that one poll reads, at least 2. The next polls read the rest.",
  }),
  max_topics: z.int().min(1).max(1000).default(50).meta({
    description:
      "Maximum number of pairs of event type and topic of one contract with series of their own: the most frequent ones. The others count as `other`.",
  }),
});
type Options = z.infer<typeof options>;

interface ContractTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
}

interface Totals extends TopicTotals {
  readonly transactions: number;
  readonly gaps: number;
  readonly reverted: number;
  readonly restored: number;
}

interface Observation {
  readonly feed: FeedState<ContractEvent>;
  readonly totals: Totals;
  /** Unix time, milliseconds. */
  readonly lastSeenAt: number | undefined;
  /** Principals that new events mention, and the contract itself while there are new ones or some wait for their depth. */
  readonly seen: readonly string[];
  readonly isNew: boolean;
  /** Validator of the list that this was made from. */
  readonly etag: string | undefined;
}

type ContractPoll = Poll<Observation, ContractTarget>;

const NOTHING: Totals = { ...NO_TOPICS, transactions: 0, gaps: 0, reverted: 0, restored: 0 };

const MOST_SEEN = 50;
// Counted events that are remembered: a fork that removes more than these leaves nothing to recognise.
const REMEMBERED = { most: 200, least: 50 };
// Blocks after which a counted event is beyond doubt.
const MOST_BLOCKS = 1000;
// Events of the first sight that a fork may have moved. Those below them end a reading in any case.
const MOST_DOUBTFUL = 40;
// A backlog beyond this many events is passed over.
const MOST_ROWS = 100_000;

function seenIn(fresh: readonly ContractEvent[], hasWaiting: boolean, contract: string): string[] {
  const mentioned = fresh.flatMap(({ mentions }) => mentions);
  return [...new Set(fresh.length > 0 || hasWaiting ? [contract, ...mentioned] : mentioned)].slice(0, MOST_SEEN);
}

/** The validator with which the list can be requested: while something is doubtful or left to read, it has to be read whole. */
function validatorOf({ feed, etag, isNew }: Observation, wasNew: boolean, chain: ChainView | undefined) {
  const isDoubtful = feed.counted.some((entry) => entry.isAbove || blockStatus(chain, entry) === "replaced");
  return isNew === wasNew && feed.waiting.length === 0 && feed.open === undefined && !isDoubtful ? etag : undefined;
}

async function observeBy(isNew: boolean, poll: ContractPoll, settings: Options): Promise<Observation> {
  const { api, target, previous, chain, isFollowed, now } = poll;
  const list = eventList(api, target.watched.principal, isNew);
  if (previous === undefined) return firstSight(list, isNew);
  const etag = validatorOf(previous, isNew, chain);
  const first = etag === undefined ? undefined : await list.changedSince(etag);
  if (etag !== undefined && first === undefined) return { ...previous, seen: [] };

  const before = withProofs(previous.feed, chain, isFollowed);
  const { reading, feed: readFrom } = await read(list, before, first, poll, settings);
  const isGap = readFrom !== before;
  const ranked = withRanks(reading, readFrom);
  const withRows = withReading(readFrom, { ...ranked, fresh: ranked.fresh.map(withoutMentions) }, proofOf);
  const merged = reading.isFromTop ? withoutDoubtful(withRows, now) : withRows;
  const depth = chain === undefined ? (isFollowed ? -1 : 0) : depthOf(chain, target.confirmations);
  const decision = decide(merged, chain, depth, proofOf);
  const found = await judgeSuspects(api, decision.suspects, chain, depth, tipOf(reading.first.etag));
  if (found.unproved > 0) {
    poll.note?.(`${found.unproved} counted events may be reverted; the server cannot prove it, so they stay counted`);
  }
  const tipHeight = chain?.tipHeight ?? 0;
  const { state, counted, reverted, restored } = settle(merged, { ...decision, ...found, tipHeight }, proofOf, byRank);
  const lacked = state.counted.map((entry) => ({ ...entry, lackedIn: found.lacked.get(entry.id) ?? entry.lackedIn }));
  const oldest = chain === undefined ? 0 : tipHeight - MOST_BLOCKS;
  // A transaction can be counted in parts while what is below it waits: it must be remembered until all of it is.
  const isFilling = state.waiting.some(({ item }) => item.rank < (state.counted[0]?.index ?? 0));
  const most = isFilling ? Number.POSITIVE_INFINITY : REMEMBERED.most;
  const feed = remembered({ ...state, counted: lacked }, { ...REMEMBERED, oldest, most });
  return {
    feed,
    totals: addUp(previous, counted, { reverted, restored, isGap }, settings.max_topics, poll.spareSeries),
    lastSeenAt: reading.fresh.length > 0 ? now : previous.lastSeenAt,
    seen: seenIn(reading.fresh, feed.waiting.length > 0, target.watched.principal),
    isNew,
    etag: reading.isFromTop ? reading.first.etag : undefined,
  };
}

const withoutMentions = (event: ContractEvent): ContractEvent => ({ ...event, mentions: [] });

/** What is there at first sight is known once it is proved, and never counted. */
async function firstSight(list: List<ContractEvent>, isNew: boolean): Promise<Observation> {
  const { first } = await readDown(list, { isKnown: () => false, pages: 1, rows: 1 });
  const waiting = first.rows.map((event, place) => ({
    item: {
      ...withoutMentions(event),
      rank: -place,
      isOld: true,
      ...(place < MOST_DOUBTFUL ? {} : { proof: BEYOND_DOUBT }),
    },
  }));
  const feed = { ...EMPTY_FEED, waiting };
  return { feed, totals: NOTHING, lastSeenAt: undefined, seen: [], isNew, etag: undefined };
}

/** Reads the list down to something known; with another feed when the place where reading had ended is lost. */
async function read(
  list: List<ContractEvent>,
  feed: FeedState<ContractEvent>,
  first: Page<ContractEvent> | undefined,
  { api, chain }: ContractPoll,
  settings: Options,
): Promise<{ readonly reading: Reading<ContractEvent>; readonly feed: FeedState<ContractEvent> }> {
  const pages = Math.max(2, Math.min(settings.pages, Math.floor(api.room() / 2)));
  const limits = (of: FeedState<ContractEvent>) => ({
    isKnown: knownRows(of, chain, proofOf, byRank),
    pages,
    rows: MOST_ROWS,
  });
  if (feed.open !== undefined) {
    const reading = feed.open.rows < MOST_ROWS ? await readOn(list, limits(feed), feed.open) : undefined;
    if (reading !== undefined) return { reading, feed };
  }
  const from = feed.open === undefined ? feed : closed(feed);
  const reading = await readDown(list, limits(from), first);
  // Events of which only the identity is known say nothing about the server.
  const lacked = lackedBy(from, reading, proofOf, byRank).find(
    (entry) => entry.height > 0 && ["canonical", "old"].includes(blockStatus(chain, entry)),
  );
  if (lacked === undefined) return { reading, feed: from };
  const message = `the list lacks an event that was listed at height ${lacked.height}`;
  throw new ApiError("behind", list.operation, message);
}

interface Outcome {
  readonly reverted: number;
  readonly restored: number;
  readonly isGap: boolean;
}

function addUp(
  { totals, feed }: Observation,
  counted: readonly ContractEvent[],
  { reverted, restored, isGap }: Outcome,
  maxTopics: number,
  spareSeries: number,
): Totals {
  const known = new Set(feed.counted.map(({ id }) => txIdOf(id)));
  const transactions = new Set(counted.map(({ txId }) => txId).filter((txId) => !known.has(txId)));
  return {
    ...addEvents(totals, counted, { most: maxTopics, spareSeries }),
    transactions: totals.transactions + transactions.size,
    gaps: totals.gaps + (isGap ? 1 : 0),
    reverted: totals.reverted + reverted,
    restored: totals.restored + restored,
  };
}

/** Version 1 knew neither proofs nor restored events. */
function upgraded(observation: unknown): Observation {
  const before = observation as Omit<Observation, "feed"> & {
    readonly feed: { readonly anchors: readonly { readonly txId: string; readonly index: number }[] };
  };
  const counted = before.feed.anchors.map(({ txId, index }, place) => ({
    id: `${txId}:${index}`,
    ...BEYOND_DOUBT,
    index: -place,
  }));
  return {
    ...before,
    feed: { ...EMPTY_FEED, counted },
    totals: { ...before.totals, ...cleanedTopics(before.totals), restored: 0 },
    etag: undefined,
  };
}

/** Watched contracts: what they printed, counted exactly once (operation 4.4, or its replacement). */
export const contracts = {
  name: "contracts",
  about: "Events of watched contracts, each counted once.",
  schedule: "every 5m",
  timeout: "1m",
  priority: 3,
  durable: { version: 2, upgrade: upgraded },
  operations: [contractEvents, contractLogs, transaction],
  families: Object.values(families) as unknown as readonly Family[],
  options,
  targets: ({ contracts, confirmations }) =>
    contracts.map((watched) => ({ key: watched.principal, watched, confirmations })),
  requestsPerPoll: () => 1,
  example: () => ({
    feed: EMPTY_FEED,
    totals: NOTHING,
    lastSeenAt: 1,
    seen: [],
    isNew: false,
    etag: undefined,
  }),
  sighting: ({ seen, feed }) => ({ seen, isBehind: feed.open !== undefined }),

  async observe(poll, settings) {
    if (settings.api !== "auto") return observeBy(settings.api === "v3", poll, settings);
    return orReplacement(
      poll.api,
      contractEvents,
      () => observeBy(false, poll, settings),
      () => observeBy(true, poll, settings),
    );
  },

  *samples({ feed, totals, lastSeenAt }, network, { watched }): Iterable<Sample> {
    const labels = { network, name: watched.name, contract_id: watched.principal };
    const sample = families.info.at({ ...labels, group: watched.group }, 1);
    yield { ...sample, labels: { ...watched.labels, ...sample.labels } };
    for (const [key, count] of Object.entries(totals.events)) {
      const [event_type = "", topic = ""] = valuesOf(key);
      yield families.events.at({ ...labels, event_type, topic }, count);
    }
    yield families.transactions.at(labels, totals.transactions);
    if (lastSeenAt !== undefined) yield families.lastObserved.at(labels, lastSeenAt / 1000);
    yield families.pending.at(labels, feed.waiting.filter(({ item, isDoubtful }) => !item.isOld && !isDoubtful).length);
    yield families.gaps.at(labels, totals.gaps);
    yield families.reverted.at(labels, totals.reverted);
    yield families.restored.at(labels, totals.restored);
    yield families.overflow.at(labels, totals.overflow);
  },
} satisfies Collector<Observation, Options, ContractTarget>;
