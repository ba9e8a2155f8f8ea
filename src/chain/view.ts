// The chain as the other collectors see it, and as a ledger does. Pure.
import type { Row, View } from "../ledger/ledger.ts";
import { type Branch, blockAt, lowestOf, MAX_BLOCKS, tipOf } from "./branch.ts";

/** The canonical chain of a network, as the collector `blocks` follows it. */
export interface ChainView {
  /** Height of the accepted tip. It falls only after a confirmed reorganisation. */
  readonly tipHeight: number;
  /** Time of the block at the tip, or when it was last requested if that is not known. Unix time, milliseconds. */
  readonly tipAt: number;
  /** Time when the tip was last requested. Later responses can be above it. Unix time, milliseconds. */
  readonly seenAt: number;
  /** Height from which on every block is known. */
  readonly lowest: number;
  /**
   * Whether another block is canonical at the height of this one, named by its hash or index hash. Undefined if none is
   * known there: it is above the tip, or below the known blocks.
   */
  isReplaced(block: Pick<Row, "height" | "hash">): boolean | undefined;
}

/** The view of a branch. */
export function chainView(branch: Branch, { seenAt }: Pick<ChainView, "seenAt">): ChainView {
  const { height: tipHeight, time } = tipOf(branch);
  return {
    tipHeight,
    tipAt: time === undefined ? seenAt : time * 1000,
    seenAt,
    lowest: lowestOf(branch),
    isReplaced({ height, hash }) {
      const block = blockAt(branch, height);
      return block && block.hash !== hash && block.indexHash !== hash;
    },
  };
}

/** The greatest height with this number of confirmations; the tip has one. */
export function depthOf({ tipHeight }: Pick<ChainView, "tipHeight">, confirmations: number): number {
  return tipHeight - confirmations + 1;
}

// Blocks below the tip that a fork can replace, at least.
const MIN_WINDOW = 16;
const WINDOWS = 8;
const windowOf = (confirmations: number): number => Math.max(MIN_WINDOW, WINDOWS * confirmations);

/** Number of newest blocks that must be known before anything counts: those without confirmations, and a window. */
export const neededBlocks = (confirmations: number): number =>
  Math.min(MAX_BLOCKS, confirmations + windowOf(confirmations));

/**
 * The view of a chain for a list that counts after some confirmations. Until the collector `blocks` knows enough
 * blocks, nothing has them, and nothing is forgotten.
 */
export function viewOf(chain: ChainView | undefined, confirmations: number): View {
  const unknown = { depth: -1, window: Number.POSITIVE_INFINITY };
  if (chain === undefined)
    return { ...unknown, tip: Number.MAX_SAFE_INTEGER, start: undefined, isReplaced: () => undefined };
  const start = depthOf(chain, confirmations);
  const isKnown = chain.lowest <= Math.max(1, chain.tipHeight - neededBlocks(confirmations) + 1);
  return {
    ...(isKnown ? { depth: start, window: windowOf(confirmations) } : unknown),
    tip: chain.tipHeight,
    start,
    isReplaced: chain.isReplaced,
  };
}
