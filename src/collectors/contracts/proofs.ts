// Proofs of events. The list does not return the block of an event, but its validator (ETag) names the tip of the chain
// at that time: the event is in that block or below it. While that block is canonical, so is the event. When that block
// has its confirmations, so has the event.
import type { StacksApi } from "../../api/operation.ts";
import { isNotOffered } from "../../api/replacement.ts";
import { blockStatus, type ChainView, type Proof } from "../chain/chain-view.ts";
import { readBlockOf, transaction } from "../chain/transaction-source.ts";
import type { Counted, FeedState, Waiting } from "../feed/state.ts";
import { type ContractEvent, txIdOf } from "./event-source.ts";

/** The proof of an event, with the rank of the event; undefined while it has none. */
export const proofOf = ({ proof, rank }: ContractEvent) => proof && { ...proof, index: rank };

// Time for which a doubtful event of the first poll is kept.
const OLD_MS = 86_400_000;

/** Stands for the proof of an event that needs none: a height below every block. */
export const NO_PROOF_NEEDED: Proof = { height: 0, hash: "" };

/**
 * The feed with proofs of the waiting events whose tip is known. An event whose tip was replaced is doubtful: either
 * the next poll lists it again, at another tip, or it is removed.
 */
export function withProofs(
  feed: FeedState<ContractEvent>,
  chain: ChainView | undefined,
  isFollowed: boolean,
): FeedState<ContractEvent> {
  const waiting = feed.waiting.map((entry) => {
    const { item } = entry;
    const proof = entry.isDoubtful ? undefined : (item.proof ?? (isFollowed ? proofAt(item, chain) : NO_PROOF_NEEDED));
    // The chain was read after the event, and does not have its tip: the tip is on a fork, or not known yet.
    const isLost = proof === undefined && item.tip !== undefined && (chain?.seenAt ?? 0) > item.seenAt;
    const isReplaced = proof !== undefined && isFollowed && blockStatus(chain, proof) === "replaced";
    const isDoubtful = entry.isDoubtful || isLost || isReplaced;
    return isDoubtful
      ? { ...entry, isDoubtful, item: { ...item, proof: undefined, tip: undefined } }
      : { ...entry, item: { ...item, proof } };
  });
  return { ...feed, waiting };
}

/** The feed without doubtful events that were not listed again. Those of the first poll stay for a day, as old. */
export function withoutDoubtful(feed: FeedState<ContractEvent>, now: number): FeedState<ContractEvent> {
  const isKept = ({ isDoubtful, item }: Waiting<ContractEvent>) =>
    !isDoubtful || (item.isOld === true && now - item.seenAt < OLD_MS);
  const waiting = feed.waiting.filter(isKept).map((entry) => (entry.isDoubtful ? { ...entry, isLost: true } : entry));
  return { ...feed, waiting };
}

function proofAt({ tip, seenAt }: ContractEvent, chain: ChainView | undefined): Proof | undefined {
  if (chain === undefined) return undefined;
  if (tip !== undefined) {
    const height = chain.heightOf(tip);
    return height === undefined ? undefined : { height, hash: tip };
  }
  // Without a validator, use a tip that was requested after the event was listed.
  const hash = chain.blockAt(chain.tipHeight)?.hash;
  return chain.seenAt > seenAt && hash !== undefined ? { height: chain.tipHeight, hash } : undefined;
}

/** The result of a check of counted events whose proof was replaced; events by their identity. */
export interface Checked {
  /** Events that are no longer in a block. */
  readonly reverted: ReadonlySet<string>;
  /** Events that are in another canonical block. */
  readonly proved: ReadonlyMap<string, Proof>;
  /** Events that the list lacks, with the tip of that response. */
  readonly lacked: ReadonlyMap<string, string>;
  /** Number of events that the server cannot prove to be reverted. They stay counted. */
  readonly unproved: number;
}

/**
 * Checks counted events whose proof was replaced, with one request per transaction. An event is reverted when a
 * response lacked it, the tip of that response is canonical and has the confirmations, and its transaction is in no
 * block.
 * @param tip the tip of the response that lacks them now; undefined if it did not name one.
 */
export async function checkReverted(
  api: StacksApi,
  suspects: readonly Counted[],
  chain: ChainView | undefined,
  depth: number,
  tip: string | undefined,
): Promise<Checked> {
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
