// What is known of the canonical chain, as the other collectors use it: a few recent blocks by height. Pure.

/** The names of one block. */
export interface BlockNames {
  readonly hash: string;
  /** Undefined where no operation told it. */
  readonly indexHash: string | undefined;
}

/** The canonical chain of a network, as the collector `blocks` follows it. */
export interface ChainView {
  /** Height of the tip that is believed. It falls only when a reorganisation is proved. */
  readonly tipHeight: number;
  /** The highest block that was ever the tip, replaced ones included. */
  readonly highest: number;
  /** When the tip was requested last. Unix time, milliseconds. What is seen later can be above it. */
  readonly seenAt: number;
  /** Lowest height whose block is known. */
  readonly lowest: number;
  /** The canonical block at a height; undefined when it is not known. */
  blockAt(height: number): BlockNames | undefined;
  /** The height of the canonical block with this index hash; undefined when no such block is known. */
  heightOf(indexHash: string): number | undefined;
}

/** Evidence that something is on the chain: the block that it is in, or a later one of the same chain. */
export interface Proof {
  readonly height: number;
  /** Hash or index hash of the block. */
  readonly hash: string;
}

/**
 * What the chain says about a proof. `canonical`: its block is canonical. `replaced`: another block is canonical at its
 * height. `old`: its block is below those that are known. `unknown`: it is above the tip, or no chain is known.
 */
export type BlockStatus = "canonical" | "replaced" | "old" | "unknown";

/** Compares a proof with the chain. */
export function blockStatus(chain: ChainView | undefined, { height, hash }: Proof): BlockStatus {
  if (chain === undefined || height > chain.tipHeight) return "unknown";
  const block = chain.blockAt(height);
  if (block === undefined) return "old";
  return block.hash === hash || block.indexHash === hash ? "canonical" : "replaced";
}

/** Height up to which everything has so many confirmations; the block of the tip has one. */
export function depthOf({ tipHeight }: Pick<ChainView, "tipHeight">, confirmations: number): number {
  return tipHeight - confirmations + 1;
}
