import { z } from "zod";
import { ApiError } from "../api/errors.ts";
import { counter, type Family, gauge, type Sample } from "../metrics/family.ts";
import type { Collector, Poll, Target, Watched } from "./collector.ts";
import { type Feed, firstFeed, step } from "./event-feed.ts";
import { contractEvents, contractLogs, type ListedEvent, readEvents } from "./event-source.ts";
import { add, keyOf, OTHER, type Sums, valuesOf } from "./tally.ts";

const identity = {
  network: "name of the network",
  name: "name of the contract in the configuration",
  contract_id: "the contract",
};
const listed = (field: string) =>
  `${field} of GET /extended/v1/contract/{contract_id}/events, or GET /extended/v2/smart-contracts/{contract_id}/logs where that is gone, polled`;

const info = gauge({
  name: "stacks_contract_info",
  help: "Always 1; group and free labels of a watched contract, to be joined with its other series.",
  source: "the configuration",
  isOpen: true,
  labels: { ...identity, group: "group of the contract in the configuration" },
});
const events = counter({
  name: "stacks_contract_events_total",
  help: "Events of the contract, each counted once when it has had the configured confirmations.",
  source: listed("event_type, contract_log.topic"),
  labels: { ...identity, event_type: "type of the event", topic: "topic of the event; other beyond max_topics" },
});
const transactions = counter({
  name: "stacks_contract_event_transactions_total",
  help: "Transactions with at least one counted event.",
  source: listed("tx_id"),
  labels: identity,
});
const lastObserved = gauge({
  name: "stacks_contract_last_event_observed_timestamp_seconds",
  help: "When an event was last seen for the first time; events themselves carry no time. Unix time. Absent until there was one.",
  source: listed("results"),
  unit: "seconds",
  labels: identity,
});
const pending = gauge({
  name: "stacks_contract_pending_depth_events",
  help: "Events seen that have not had their confirmations yet.",
  source: listed("results"),
  labels: identity,
});
const gaps = counter({
  name: "stacks_contract_events_gap_total",
  help: "Polls in which more events had come than are read at once, so that an unknown number was passed over.",
  source: listed("results"),
  labels: identity,
});
const reverted = counter({
  name: "stacks_contract_reverted_events_total",
  help: "Events that had been counted and are listed no more; the other counters are never lowered for them.",
  source: listed("results"),
  labels: identity,
});
const overflow = counter({
  name: "stacks_contract_label_overflow_total",
  help: "Events whose topic was folded into other, because max_topics, or max_series in all, had series already.",
  source: listed("contract_log.topic"),
  labels: identity,
});

const options = z.object({
  api: z.enum(["auto", "v1", "v3"]).default("auto").meta({
    description: "Operation that is asked. `auto`: the older one, and where that is gone its replacement (`v3`).",
  }),
  pages: z.int().min(1).max(200).default(10).meta({
    description: "Most pages of 50 events that one poll reads; a burst beyond them is a counted gap.",
  }),
  max_topics: z.int().min(1).max(1000).default(50).meta({
    description:
      "Pairs of event type and topic of one contract that have series of their own; the others become `other`.",
  }),
});
type Options = z.infer<typeof options>;

interface ContractTarget extends Target {
  readonly watched: Watched;
  readonly confirmations: number;
}

interface Totals {
  /** By event type, topic. */
  readonly events: Sums<number>;
  readonly transactions: number;
  readonly gaps: number;
  readonly reverted: number;
  readonly overflow: number;
}

interface Observation {
  readonly feed: Feed;
  readonly totals: Totals;
  /** Unix time, milliseconds. */
  readonly lastSeenAt: number | undefined;
  /** Principals that new events mention, and the contract itself while there are new ones or some wait for their depth. */
  readonly seen: readonly string[];
  readonly isNew: boolean;
  /** Validator of the list that this was made from. */
  readonly etag: string | undefined;
}

/** Everything that is listed is done with: while the list does not change there is nothing to do. */
const isSettled = ({ waiting, anchors }: Feed): boolean =>
  waiting.length === 0 && anchors.every(({ missing }) => missing === 0);

// The only type there is today, and the topic of `print`: a series from the start.
const USUAL = keyOf("smart_contract_log", "print");
const NOTHING: Totals = { events: { [USUAL]: 0 }, transactions: 0, gaps: 0, reverted: 0, overflow: 0 };
const VALUE = /^[\x21-\x7e]{1,64}$/;

const MOST_SEEN = 50;

function seenIn(fresh: readonly ListedEvent[], feed: Feed, contract: string): string[] {
  const hasMoved = fresh.length > 0 || feed.waiting.length > 0;
  const mentioned = fresh.flatMap(({ mentions }) => mentions);
  return [...new Set(hasMoved ? [contract, ...mentioned] : mentioned)].slice(0, MOST_SEEN);
}

async function observeBy(
  isNew: boolean,
  { api, target, previous, chain, isFollowed, now, spareSeries }: Poll<Observation, ContractTarget>,
  { pages, max_topics }: Options,
): Promise<Observation> {
  const known =
    previous !== undefined && previous.isNew === isNew && isSettled(previous.feed) ? previous.etag : undefined;
  const reading = await readEvents(api, target.watched.principal, isNew, previous?.feed, pages, known);
  if (previous !== undefined && reading === undefined) return { ...previous, seen: [] };
  const { events = [], isGap = false, etag, at = now } = reading ?? {};
  if (previous === undefined) {
    return { feed: firstFeed(events), totals: NOTHING, lastSeenAt: undefined, seen: [], isNew, etag };
  }
  const moved = step(previous.feed, events, isGap, { at, chain, isFollowed }, target.confirmations);
  const sums: Record<string, number> = { ...previous.totals.events };
  const most = Math.min(max_topics, Object.keys(sums).length + spareSeries);
  let folded = 0;
  for (const { type, topic } of moved.counted) {
    const key = keyOf(type, topic);
    const isOwn = VALUE.test(type) && VALUE.test(topic) && (key in sums || Object.keys(sums).length < most);
    if (!isOwn) folded += 1;
    add(sums, isOwn ? key : keyOf(OTHER, OTHER));
  }
  const { totals } = previous;
  return {
    feed: moved.feed,
    totals: {
      events: sums,
      transactions: totals.transactions + moved.transactions,
      gaps: totals.gaps + (isGap ? 1 : 0),
      reverted: totals.reverted + moved.reverted,
      overflow: totals.overflow + folded,
    },
    lastSeenAt: moved.fresh.length > 0 ? now : previous.lastSeenAt,
    seen: seenIn(moved.fresh, moved.feed, target.watched.principal),
    isNew,
    etag,
  };
}

/** Watched contracts: what they printed, counted exactly once (operation 4.4, or its replacement). */
export const contracts = {
  name: "contracts",
  about: "Events that watched contracts printed, each counted once.",
  schedule: "every 5m",
  timeout: "1m",
  priority: 3,
  durable: { version: 1 },
  operations: [contractEvents, contractLogs],
  families: [info, events, transactions, lastObserved, pending, gaps, reverted, overflow] as readonly Family[],
  options,
  targets: ({ contracts, confirmations }) =>
    contracts.map((watched) => ({ key: watched.principal, watched, confirmations })),
  requestsPerPoll: () => 1,
  example: () => ({
    feed: { anchors: [], waiting: [] },
    totals: NOTHING,
    lastSeenAt: 1,
    seen: [],
    isNew: false,
    etag: undefined,
  }),
  sighting: ({ seen }) => ({ seen, isBehind: false }),

  async observe(poll, settings) {
    if (settings.api !== "auto") return observeBy(settings.api === "v3", poll, settings);
    if (poll.api.isRetired(contractEvents)) return observeBy(true, poll, settings);
    try {
      return await observeBy(false, poll, settings);
    } catch (error) {
      if (!(error instanceof ApiError) || error.reason !== "gone") throw error;
      return observeBy(true, poll, settings);
    }
  },

  *samples({ feed, totals, lastSeenAt }, network, { watched }): Iterable<Sample> {
    const labels = { network, name: watched.name, contract_id: watched.principal };
    const sample = info.at({ ...labels, group: watched.group }, 1);
    yield { ...sample, labels: { ...watched.labels, ...sample.labels } };
    for (const [key, count] of Object.entries(totals.events)) {
      const [event_type = "", topic = ""] = valuesOf(key);
      yield events.at({ ...labels, event_type, topic }, count);
    }
    yield transactions.at(labels, totals.transactions);
    if (lastSeenAt !== undefined) yield lastObserved.at(labels, lastSeenAt / 1000);
    yield pending.at(labels, feed.waiting.length);
    yield gaps.at(labels, totals.gaps);
    yield reverted.at(labels, totals.reverted);
    yield overflow.at(labels, totals.overflow);
  },
} satisfies Collector<Observation, Options, ContractTarget>;
