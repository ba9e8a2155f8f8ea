// The state of a list of transactions after the last poll, for the next poll.
import { blockStatus, type ChainView, depthOf, type Proof } from "../chain/chain-view.ts";
import type { Floor, ListedTransaction } from "./floor.ts";
import { type FeedState, withoutUnknownEnd } from "./state.ts";

/** The state of a list. */
interface Previous {
  readonly feed: FeedState<ListedTransaction>;
  readonly floor: Floor;
  /** Validator of the list. */
  readonly etag?: string | undefined;
}

/** The parts of a poll that a repair needs. */
interface RepairPoll {
  readonly chain: ChainView | undefined;
  readonly target: { readonly confirmations: number };
  readonly note?: ((text: string) => void) | undefined;
}

/**
 * The validator to request the list with; undefined if the whole list is needed: a reorganisation can leave the
 * validator as it was.
 * @param last the block of the newest transaction that was listed
 */
export function validatorOf(
  { feed, etag }: Omit<Previous, "floor">,
  last: Proof | undefined,
  chain: ChainView | undefined,
): string | undefined {
  const blocks: (Proof | undefined)[] = [...feed.counted, ...feed.waiting.map(({ item }) => item), last];
  const isReplaced = (block: Proof | undefined) => block !== undefined && blockStatus(chain, block) === "replaced";
  return feed.open === undefined && !blocks.some(isReplaced) ? etag : undefined;
}

/**
 * The observation without what a server with a wrong tip has left in it. It has another floor if the floor was above
 * the chain.
 * @param last the block of the newest transaction that was listed
 */
export function repaired<Observation extends Previous>(
  before: Observation,
  last: Proof | undefined,
  { chain, target, note }: RepairPoll,
): Observation {
  const feed = withoutUnknownEnd(before.feed, chain?.tipHeight);
  // Without the validator, because what was dropped has to be listed again.
  const previous = feed === before.feed ? before : { ...before, feed, etag: undefined };
  const { floor } = before;
  if (chain === undefined || floor.height <= chain.highest + 1) return previous;
  // With a tip that was too high, every listed transaction had its confirmations and can be counted already.
  const height = Math.min(last?.height ?? depthOf(chain, target.confirmations), chain.tipHeight) + 1;
  note?.(`the start height ${floor.height} was above the tip ${chain.tipHeight}: counting resumes at height ${height}`);
  return { ...previous, floor: { height, index: 0 } };
}
