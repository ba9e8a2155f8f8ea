// A block, and where a transaction stands.
import type { Cost } from "./cost.ts";
import { digest } from "./random.ts";
import type { Tx } from "./transaction.ts";

/** A Bitcoin block; it opens a tenure. Time in Unix seconds. */
export interface BurnBlock {
  readonly height: number;
  readonly hash: string;
  readonly time: number;
}

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

/** A position in the chain: a height, and an index of a transaction there. */
export interface Position {
  readonly height: number;
  readonly index: number;
}

/** What decides a block's identity, besides its parent. */
export interface BlockPlan extends Pick<Block, "height" | "time" | "burn" | "tenureHeight" | "txs" | "cost"> {
  /** Tells blocks of competing forks apart. */
  readonly fork: number;
}

/** Seals a block on top of `parent`; the first block has a made-up parent. */
export function sealBlock(seed: string, plan: BlockPlan, parent: Block | undefined): Block {
  const { fork, ...content } = plan;
  const hash = digest(seed, "block", plan.height, fork, parent?.hash ?? "");
  return {
    ...content,
    hash,
    indexHash: digest("index", hash, plan.burn.hash),
    parentHash: parent?.hash ?? digest(seed, "genesis"),
    parentIndexHash: parent?.indexHash ?? digest(seed, "genesis", "index"),
    parentBurnTime: parent?.burn.time ?? plan.burn.time,
    minerTxId: digest(seed, "miner", plan.burn.hash),
  };
}
