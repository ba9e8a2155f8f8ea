// Which events of a contract are counted, and when. Pure. The list is newest first and its items carry neither height nor time.
//
// So depth is told by waiting: an event that was listed before the tip was asked and found at T is in block T or below it, and
// has its confirmations when the tip has grown by one less than their number. What disappears before is never counted.
import type { ChainView } from "./collector.ts";

/** An event as the list shows it. */
export interface ContractEvent {
  readonly txId: string;
  readonly index: number;
  readonly type: string;
  readonly topic: string;
}

/** A seen event that is not counted yet. */
export interface Waiting extends ContractEvent {
  /** When it was seen first. Unix time, milliseconds. */
  readonly seenAt: number;
  /** Height of the tip when that was asked first after the event was seen; undefined until then. */
  readonly tip: number | undefined;
  readonly missing: number;
}

/** What is known beside the list when it was read. */
export interface Surroundings {
  /** When the list arrived. Unix time, milliseconds. */
  readonly at: number;
  /** Where the chain ends; undefined while that is not known. */
  readonly chain: Pick<ChainView, "tipHeight" | "seenAt"> | undefined;
  /** Whether anything tells where the chain ends. If not, events are counted at sight. */
  readonly isFollowed: boolean;
}

/** A counted event, or one that was there at first sight. */
export interface Anchor {
  readonly txId: string;
  readonly index: number;
  readonly missing: number;
}

/** What is known between polls; plain data. */
export interface Feed {
  /** The newest of those that are done with, newest first. */
  readonly anchors: readonly Anchor[];
  /** Newest first. */
  readonly waiting: readonly Waiting[];
}

/** What a poll made of a feed. */
export interface FeedStep<Event extends ContractEvent> {
  readonly feed: Feed;
  /** Oldest first. */
  readonly counted: readonly ContractEvent[];
  /** Transactions of which an event was counted first. */
  readonly transactions: number;
  /** Counted events that are gone. */
  readonly reverted: number;
  /** Events that had not been seen before. */
  readonly fresh: readonly Event[];
}

/** Anchors that are kept: a fork that removes more than these leaves nothing to recognise. */
export const MOST_ANCHORS = 200;
const MISSING_ENOUGH = 2;

/** Identity of an event. */
export const idOf = ({ txId, index }: Pick<ContractEvent, "txId" | "index">): string => `${txId}:${index}`;

/** The feed at first sight: what is there is known, and not counted. */
export function firstFeed(events: readonly ContractEvent[]): Feed {
  return {
    anchors: events.slice(0, MOST_ANCHORS).map(({ txId, index }) => ({ txId, index, missing: 0 })),
    waiting: [],
  };
}

/** Whether what was read reaches back to something that is done with. */
export function meets(feed: Feed, events: readonly ContractEvent[]): boolean {
  const known = new Set(feed.anchors.map(idOf));
  return events.some((event) => known.has(idOf(event)));
}

/** The feed after the newest events (newest first) were read, down to an anchor or, with `isGap`, to a bound. */
export function step<Event extends ContractEvent>(
  before: Feed,
  events: readonly Event[],
  isGap: boolean,
  { at, chain, isFollowed }: Surroundings,
  confirmations: number,
): FeedStep<Event> {
  const anchors = new Map(before.anchors.map((anchor) => [idOf(anchor), anchor]));
  const waiting = new Map(before.waiting.map((event) => [idOf(event), event]));
  const place = new Map(events.map((event, index) => [idOf(event), index]));
  // Below the oldest anchor that was met is what was there before counting began.
  const oldest = events.findLastIndex((event) => anchors.has(idOf(event)));
  const reach = isGap || oldest < 0 ? events.length : oldest;

  const found = events.slice(0, reach).filter((event) => !anchors.has(idOf(event)));
  const fresh = found.filter((event) => !waiting.has(idOf(event)));
  const seen = found.map((event): Waiting => {
    const { txId, index, type, topic } = event;
    const known = waiting.get(idOf(event));
    // A tip that was asked before the event was seen can be below its block.
    const isAfter = chain !== undefined && known !== undefined && chain.seenAt > known.seenAt;
    const tip = known?.tip ?? (isAfter ? chain.tipHeight : undefined);
    return { txId, index, type, topic, seenAt: known?.seenAt ?? at, tip, missing: 0 };
  });
  const lost = before.waiting
    .filter((event) => !place.has(idOf(event)))
    .map((event) => ({ ...event, missing: event.missing + 1 }))
    .filter(({ missing }) => missing < MISSING_ENOUGH);
  const isDeep = ({ tip }: Waiting) =>
    !isFollowed || (chain !== undefined && tip !== undefined && chain.tipHeight >= tip + confirmations - 1);
  const deep = seen.filter(isDeep);

  const kept: Anchor[] = [];
  let reverted = 0;
  const lowest = before.anchors.findLastIndex((anchor) => place.has(idOf(anchor)));
  for (const [index, anchor] of before.anchors.entries()) {
    if (place.has(idOf(anchor)) || index > lowest || isGap) kept.push({ ...anchor, missing: 0 });
    else if (anchor.missing + 1 < MISSING_ENOUGH) kept.push({ ...anchor, missing: anchor.missing + 1 });
    else reverted += 1;
  }
  const known = new Set(before.anchors.map(({ txId }) => txId));
  const transactions = new Set(deep.map(({ txId }) => txId).filter((txId) => !known.has(txId))).size;
  return {
    feed: {
      anchors: [...deep.map(({ txId, index }) => ({ txId, index, missing: 0 })), ...kept].slice(0, MOST_ANCHORS),
      waiting: [...seen.filter((event) => !isDeep(event)), ...lost],
    },
    counted: deep.reverse(),
    transactions,
    reverted,
    fresh,
  };
}
