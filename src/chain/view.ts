// The chain as the other collectors see it, and as a ledger does. Pure.
import type { Ledger, Page, Row, View } from "../ledger/ledger.ts";
import { type Branch, blockAt, MAX_BLOCKS, tipOf } from "./branch.ts";

/** The hashes of one block. */
export interface BlockHashes {
  readonly hash: string;
  /** Undefined if no operation returned it. */
  readonly indexHash: string | undefined;
}

/** The canonical chain of a network, as the collector `blocks` follows it. */
export interface ChainView {
  /** Height of the accepted tip. It falls only after a confirmed reorganisation. */
  readonly tipHeight: number;
  /** Time of the block at the tip, or when it was last requested if that is not known. Unix time, milliseconds. */
  readonly tipAt: number;
  /** The greatest height of a known block, orphaned ones included. */
  readonly highest: number;
  /** Time when the tip was last requested. Later responses can be above it. Unix time, milliseconds. */
  readonly seenAt: number;
  /** Height from which on every block is known. */
  readonly lowest: number;
  /**
   * Share of the block space that was used in the last ten minutes, in the fullest dimension. Above 1 after a tenure
   * was extended. Undefined if too few blocks are known.
   */
  readonly use: number | undefined;
  /** The canonical block at a height; undefined if it is not known. */
  blockAt(height: number): BlockHashes | undefined;
  /** The height of the canonical block with this index hash; undefined if it is not known. */
  heightOf(indexHash: string): number | undefined;
}

/** The view of a branch. */
export function chainView(branch: Branch, { seenAt, use }: Pick<ChainView, "seenAt" | "use">): ChainView {
  const { blocks, replaced, lowest } = branch;
  const { height: tipHeight, time } = tipOf(branch);
  const oldest = blocks[0]?.height ?? 0;
  return {
    tipHeight,
    tipAt: time === undefined ? seenAt : time * 1000,
    highest: Math.max(tipHeight, ...replaced.map(({ height }) => height)),
    seenAt,
    lowest,
    use,
    blockAt: (height) => (height < oldest || height > tipHeight ? undefined : blockAt(branch, height)),
    heightOf: (indexHash) => blocks.findLast((block) => block.indexHash === indexHash)?.height,
  };
}

/** Evidence that a row is on the chain: its block, or a later block of the same chain. */
export interface Proof {
  readonly height: number;
  /** Hash or index hash of the block. */
  readonly hash: string;
}

/**
 * The status of a block on the chain. `canonical`: it is part of the chain. `replaced`: another block is canonical at
 * its height. `old`: it is below the known blocks. `unknown`: it is above the tip, or no chain is known.
 */
export type BlockStatus = "canonical" | "replaced" | "old" | "unknown";

/** The status of the block of a proof. */
export function blockStatus(chain: ChainView | undefined, { height, hash }: Proof): BlockStatus {
  if (chain === undefined || height > chain.tipHeight) return "unknown";
  const block = chain.blockAt(height);
  if (block === undefined) return "old";
  return block.hash === hash || block.indexHash === hash ? "canonical" : "replaced";
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

/** The parts of a poll that a view needs. */
interface ViewPoll {
  readonly target: { readonly confirmations: number };
  readonly chain: ChainView | undefined;
  readonly isFollowed: boolean;
}

/**
 * The view of a poll. Without the collector `blocks`, the newest listed row is the tip, and no block is replaced. Until
 * that collector knows enough blocks, nothing has its confirmations, and nothing is forgotten.
 */
export function viewOf({ target, chain, isFollowed }: ViewPoll, newest: Page<Row> | undefined): View {
  const { confirmations } = target;
  const window = windowOf(confirmations);
  const unknown = { depth: -1, window: Number.POSITIVE_INFINITY };
  if (chain === undefined) {
    const tip = newest?.rows[0]?.height ?? Number.MAX_SAFE_INTEGER;
    const isKnown = !isFollowed && newest !== undefined;
    const known = isKnown ? { depth: depthOf({ tipHeight: tip }, confirmations), window } : unknown;
    return { ...known, tip, start: newest === undefined ? -1 : tip, isReplaced: () => undefined };
  }
  const start = depthOf(chain, confirmations);
  const isKnown = chain.lowest <= Math.max(1, chain.tipHeight - neededBlocks(confirmations) + 1);
  const isReplaced = (row: Pick<Row, "height" | "hash">) => {
    const status = blockStatus(chain, row);
    return status === "replaced" ? true : status === "canonical" ? false : undefined;
  };
  return { ...(isKnown ? { depth: start, window } : unknown), tip: chain.tipHeight, start, isReplaced };
}

/** Logs that a wrong tip had stopped the count of a list. */
export function noteFloor(
  before: Ledger | undefined,
  { floor }: Ledger,
  { chain, note }: { readonly chain: ChainView | undefined; readonly note?: ((text: string) => void) | undefined },
): void {
  if (before === undefined || chain === undefined || before.floor.height <= chain.tipHeight) return;
  const { height } = before.floor;
  note?.(
    `the start height ${height + 1} was above the tip ${chain.tipHeight}: counting resumes at height ${floor.height + 1}`,
  );
}
