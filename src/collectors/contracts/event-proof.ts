// How the events of a contract are proved. Their list tells no block, but its validator names the tip of the chain that the
// answer belongs to: an event that is listed at a tip is in that block or below it. While that block is canonical, so is the
// event; and it has its confirmations when that block has them.
import type { StacksApi } from "../../api/operation.ts";
import { isNotOffered } from "../../api/replacement.ts";
import { blockStatus, type ChainView, type Proof } from "../chain/chain-view.ts";
import { readBlockOf, transaction } from "../chain/transaction-source.ts";
import type { Reading } from "../feed/read.ts";
import type { Counted, FeedState, Waiting } from "../feed/state.ts";
import { type ContractEvent, txIdOf } from "./event-source.ts";

/** The block that proves an event, with the rank of the event; undefined while none is known. */
export const proofOf = ({ proof, rank }: ContractEvent) => proof && { ...proof, index: rank };

/** The order of the list, newest first. */
export const byRank = (a: Pick<Counted, "index">, b: Pick<Counted, "index">): number => (b.index ?? 0) - (a.index ?? 0);

// More than the rows that one open end can leave out.
const FAR = 1_000_000;

/** The reading with ranks in the order of the list. A known event keeps its rank unless an event below it has a higher one. */
export function withRanks(reading: Reading<ContractEvent>, feed: FeedState<ContractEvent>): Reading<ContractEvent> {
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

/** A rank that is lower than those of the fresh events. */
function rankBelow(
  { fresh, isFromTop, resume }: Reading<ContractEvent>,
  below: string | undefined,
  ranks: ReadonlyMap<string, number>,
  feed: FeedState<ContractEvent>,
): number {
  const highest = Math.max(0, ...ranks.values());
  if (below !== undefined) return ranks.get(below) ?? highest;
  if (!isFromTop) return (ranks.get(feed.open?.last.id ?? "") ?? highest) - fresh.length - 1;
  if (resume !== undefined) return highest + FAR;
  // The whole list was read: when it holds known events, the others are among them.
  return fresh.some(({ id }) => ranks.has(id)) ? Math.min(...ranks.values()) - fresh.length - 1 : highest;
}

const OLD_MS = 86_400_000;
/** The proof of what needs none: it is below every block. */
export const BEYOND_DOUBT: Proof = { height: 0, hash: "" };

/**
 * The feed with the events that wait proved, as far as the chain knows the tips at which they were listed. An event whose tip
 * was replaced is doubtful: the next reading finds it again, at another tip, or it is forgotten.
 */
export function withProofs(
  feed: FeedState<ContractEvent>,
  chain: ChainView | undefined,
  isFollowed: boolean,
): FeedState<ContractEvent> {
  const waiting = feed.waiting.map((entry) => {
    const { item } = entry;
    const proof = entry.isDoubtful ? undefined : (item.proof ?? (isFollowed ? proofAt(item, chain) : BEYOND_DOUBT));
    // A tip that the chain did not have when it was requested next is on a fork, or not known yet.
    const isLost = proof === undefined && item.tip !== undefined && (chain?.seenAt ?? 0) > item.seenAt;
    const isReplaced = proof !== undefined && isFollowed && blockStatus(chain, proof) === "replaced";
    const isDoubtful = entry.isDoubtful || isLost || isReplaced;
    return isDoubtful
      ? { ...entry, isDoubtful, item: { ...item, proof: undefined, tip: undefined } }
      : { ...entry, item: { ...item, proof } };
  });
  return { ...feed, waiting };
}

/** The feed without doubtful events that a reading did not find again. Those of the first sight stay known as old. */
export function withoutDoubtful(feed: FeedState<ContractEvent>, seenAt: number): FeedState<ContractEvent> {
  const isKept = ({ isDoubtful, item }: Waiting<ContractEvent>) =>
    !isDoubtful || (item.isOld === true && seenAt - item.seenAt < OLD_MS);
  const waiting = feed.waiting.filter(isKept).map((entry) => (entry.isDoubtful ? { ...entry, isLost: true } : entry));
  return { ...feed, waiting };
}

function proofAt({ tip, seenAt }: ContractEvent, chain: ChainView | undefined): Proof | undefined {
  if (chain === undefined) return undefined;
  if (tip !== undefined) {
    const height = chain.heightOf(tip);
    return height === undefined ? undefined : { height, hash: tip };
  }
  // Without a validator, a tip that was requested after the event was seen is the best there is.
  const hash = chain.blockAt(chain.tipHeight)?.hash;
  return chain.seenAt > seenAt && hash !== undefined ? { height: chain.tipHeight, hash } : undefined;
}

/** What became of counted events whose proof was replaced. */
export interface Verdicts {
  /** Identities of events that are in no block, as a server says whose tip has the confirmations. */
  readonly reverted: ReadonlySet<string>;
  /** Events that are in a canonical block all the same. */
  readonly proved: ReadonlyMap<string, Proof>;
  /** Events that the list lacks, and the tip of the answer that lacks them. */
  readonly lacked: ReadonlyMap<string, string>;
  /** Events of which nothing can be proved here; they stay counted. */
  readonly unproved: number;
}

/**
 * Finds out what became of counted events whose proof was replaced, a request for each transaction. An event is reverted when
 * an answer lacked it whose tip is canonical and has the confirmations, and when its transaction is in no block then.
 * @param tip the tip of the answer that lacks them now; undefined when it did not tell.
 */
export async function judgeSuspects(
  api: StacksApi,
  suspects: readonly Counted[],
  chain: ChainView | undefined,
  depth: number,
  tip: string | undefined,
): Promise<Verdicts> {
  const reverted = new Set<string>();
  const proved = new Map<string, Proof>();
  const lacked = new Map<string, string>();
  const blocks = new Map<string, Proof | undefined>();
  let unproved = 0;
  for (const { id, lackedIn } of suspects) {
    const height = lackedIn === undefined ? undefined : chain?.heightOf(lackedIn);
    if (height === undefined || height > depth) {
      if (height === undefined && tip !== undefined) lacked.set(id, tip);
      if (tip === undefined) unproved += 1;
      continue;
    }
    const txId = txIdOf(id);
    try {
      if (!blocks.has(txId)) blocks.set(txId, await readBlockOf(api, txId));
    } catch (error) {
      if (!isNotOffered(error, transaction)) throw error;
      unproved += 1;
      continue;
    }
    const block = blocks.get(txId);
    if (block === undefined) reverted.add(id);
    else if (blockStatus(chain, block) === "canonical") proved.set(id, block);
  }
  return { reverted, proved, lacked, unproved };
}
