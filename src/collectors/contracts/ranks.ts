// Ranks of events: their order in the list, because the list returns neither a block nor a time. Higher is newer.
import type { ReadResult } from "../feed/read.ts";
import type { Counted, FeedState } from "../feed/state.ts";
import type { ContractEvent } from "./event-source.ts";

/** The order of the list, newest first. */
export const byRank = (a: Pick<Counted, "index">, b: Pick<Counted, "index">): number => (b.index ?? 0) - (a.index ?? 0);

// More than the rows that a reading can leave unread below it.
const FAR = 1_000_000;

/** The reading with ranks. A known event keeps its rank unless an older event has a higher one. */
export function withRanks(
  reading: ReadResult<ContractEvent>,
  feed: FeedState<ContractEvent>,
): ReadResult<ContractEvent> {
  const ranks = new Map(feed.counted.map(({ id, index = 0 }) => [id, index]));
  for (const { item } of feed.waiting) ranks.set(item.id, item.rank);
  const { fresh, rows } = reading;
  let rank = rankBelow(reading, rows[fresh.length]?.id, ranks, feed);
  const ranked = fresh.toReversed().map((event) => {
    rank = Math.max(rank + 1, ranks.get(event.id) ?? rank);
    return { ...event, rank };
  });
  return { ...reading, fresh: ranked.reverse() };
}

/** A rank that is lower than those of the new events. */
function rankBelow(
  { fresh, isFromTop, resume }: ReadResult<ContractEvent>,
  below: string | undefined,
  ranks: ReadonlyMap<string, number>,
  feed: FeedState<ContractEvent>,
): number {
  const highest = Math.max(0, ...ranks.values());
  if (below !== undefined) return ranks.get(below) ?? highest;
  if (!isFromTop) return (ranks.get(feed.open?.last.id ?? "") ?? highest) - fresh.length - 1;
  if (resume !== undefined) return highest + FAR;
  // The whole list was read: if one of the events is known, the new ones can be between the known ones, or older.
  return fresh.some(({ id }) => ranks.has(id)) ? Math.min(...ranks.values()) - fresh.length - 1 : highest;
}
