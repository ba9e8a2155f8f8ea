// Blocks, and the place of a transaction in them.
import type { Cost } from "./cost.ts";
import { digest } from "./random.ts";
import type { PrintEvent, Tx } from "./transaction.ts";

/** A Bitcoin block, which opens a tenure. Time in Unix seconds. */
export type BurnBlock = Pick<Block, "height" | "hash" | "time">;

/** A Stacks block. Immutable: the records of a replica decide whether it is canonical. Times in Unix seconds. */
export interface Block {
  readonly height: number;
  readonly hash: string;
  readonly indexHash: string;
  readonly parentHash: string;
  readonly parentIndexHash: string;
  readonly time: number;
  readonly burn: BurnBlock;
  readonly parentBurnTime: number;
  readonly tenureHeight: number;
  readonly minerTxId: string;
  readonly txs: readonly Tx[];
  readonly cost: Cost;
}

/** A mined transaction: its block, and its index there. */
export interface Place {
  readonly tx: Tx;
  readonly block: Block;
  readonly index: number;
}

/** A print with its place. */
export interface Print extends Place {
  readonly eventIndex: number;
  readonly event: PrintEvent;
}

/** A position in the chain: a height, and an index of a transaction there. */
export interface Position {
  readonly height: number;
  readonly index: number;
}

/** The content of a block. Blocks of competing forks differ in `fork`. */
export type BlockContent = Pick<Block, "height" | "time" | "burn" | "tenureHeight" | "txs" | "cost"> & {
  readonly fork: number;
};

/** Creates a block on top of `parent`, which is undefined for the first block. */
export function sealBlock(seed: string, { fork, ...content }: BlockContent, parent: Block | undefined): Block {
  const { height, burn } = content;
  const hash = digest(seed, "block", height, fork, parent?.hash ?? "");
  return {
    ...content,
    hash,
    indexHash: digest("index", hash, burn.hash),
    parentHash: parent?.hash ?? digest(seed, "genesis"),
    parentIndexHash: parent?.indexHash ?? digest(seed, "genesis", "index"),
    parentBurnTime: parent?.burn.time ?? burn.time,
    minerTxId: digest(seed, "miner", burn.hash),
  };
}
