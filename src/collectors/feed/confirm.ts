// Finds the transactions of a list that have their confirmations, and those whose block was replaced.
import type { StacksApi } from "../../api/operation.ts";
import { readBlock } from "../chain/block-source.ts";
import { blockStatus, type ChainView, depthOf } from "../chain/chain-view.ts";
import { highestOf, type ListedTransaction, proofOf } from "./floor.ts";
import type { ReadResult } from "./read.ts";
import type { ListRead } from "./read-list.ts";
import { changesOf, type FeedState, newestFirst } from "./state.ts";

/** The parts of a poll that confirmations need. */
interface ConfirmPoll {
  readonly api: StacksApi;
  readonly target: { readonly confirmations: number };
  readonly chain: ChainView | undefined;
  readonly isFollowed: boolean;
}

/** Height up to which transactions have their confirmations. Without a chain, the newest transaction is the tip. */
export function countableHeight<Item extends ListedTransaction>(
  { chain, isFollowed, target }: ConfirmPoll,
  { waiting }: FeedState<Item>,
): number {
  if (chain !== undefined) return depthOf(chain, target.confirmations);
  if (isFollowed) return -1;
  return depthOf({ tipHeight: highestOf(waiting.map(({ item }) => item)) }, target.confirmations);
}

/** The changes up to a height, with the requests that confirm them. */
export async function confirmedChanges<Item extends ListedTransaction>(
  feed: FeedState<Item>,
  maxHeight: number,
  read: ListRead<Item> | undefined,
  poll: Pick<ConfirmPoll, "api" | "chain">,
) {
  const changes = changesOf(feed, poll.chain, maxHeight, proofOf);
  const { ready, replaced } = await confirmBlocks(changes.ready, read?.result, poll);
  const isReplaced = ({ id, height }: { readonly id: string; readonly height: number }) =>
    id === read?.replaced && height <= maxHeight;
  const waiting = feed.waiting.map(({ item }) => item);
  return {
    ready: ready.filter((tx) => !isReplaced(tx)),
    dropped: new Set([...changes.dropped, ...[...replaced, ...waiting.filter(isReplaced)].map(({ id }) => id)]),
    reverted: new Set([...changes.replaced, ...feed.counted.filter(isReplaced)].map(({ id }) => id)),
  };
}

// With this number of known blocks, blocks below them are not checked.
const ENOUGH_BLOCKS = 100;
const MAX_CHECKS = 8;

/**
 * While few blocks of the chain are known, confirms the blocks below them by requests. A confirmed block also confirms
 * the transactions below it in the same read. Returns the transactions, oldest first, that are confirmed or replaced.
 */
async function confirmBlocks<Item extends ListedTransaction>(
  transactions: readonly Item[],
  result: ReadResult<Item> | undefined,
  { api, chain }: Pick<ConfirmPoll, "api" | "chain">,
): Promise<{ readonly ready: readonly Item[]; readonly replaced: readonly Item[] }> {
  const sorted = transactions.toSorted((a, b) => newestFirst(b, a));
  if (chain === undefined || chain.lowest <= 1 || chain.tipHeight - chain.lowest >= ENOUGH_BLOCKS) {
    return { ready: sorted, replaced: [] };
  }
  const listed = new Set(result?.rows.map(({ id, hash }) => id + hash));
  const hashes = new Map<number, string | undefined>();
  const ready: Item[] = [];
  const replaced: Item[] = [];
  let isListConfirmed = false;
  for (const tx of sorted.toReversed()) {
    const isListed = listed.has(tx.id + tx.hash);
    if (blockStatus(chain, tx) !== "old" || (isListed && isListConfirmed)) {
      ready.push(tx);
      continue;
    }
    if (!hashes.has(tx.height) && hashes.size < MAX_CHECKS) {
      hashes.set(tx.height, (await readBlock(api, tx.height))?.hash);
    }
    const hash = hashes.get(tx.height);
    if (hash === tx.hash) {
      isListConfirmed ||= isListed;
      ready.push(tx);
    } else if (hash !== undefined) replaced.push(tx);
  }
  return { ready: ready.reverse(), replaced };
}
