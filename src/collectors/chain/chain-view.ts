// The canonical chain of a network as the collectors see it: the newest blocks by height. Pure.

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
  /** Height of the oldest known block. */
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
