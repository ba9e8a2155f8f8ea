// Blocks: the object of operations 7 and 8, and the one of the newer block list.
import type { Block } from "../chain/block.ts";
import { costJson, iso } from "./spelling.ts";

const burnJson = ({ burn }: Block) => ({
  burn_block_time: burn.time,
  burn_block_time_iso: iso(burn.time),
  burn_block_hash: burn.hash,
  burn_block_height: burn.height,
});

const headJson = (block: Block, isCanonical: boolean) => ({
  canonical: isCanonical,
  height: block.height,
  hash: block.hash,
  block_time: block.time,
  block_time_iso: iso(block.time),
  tenure_height: block.tenureHeight,
  index_block_hash: block.indexHash,
  parent_block_hash: block.parentHash,
});

/** Operations 7 and 8. An orphan lists no transactions. */
export function blockJson(block: Block, isCanonical: boolean): unknown {
  return {
    ...headJson(block, isCanonical),
    ...burnJson(block),
    miner_txid: block.minerTxId,
    ...costJson(block.cost),
    txs: isCanonical ? block.txs.map(({ id }) => id).reverse() : [],
    parent_microblock_hash: "",
    parent_microblock_sequence: -1,
    microblocks_accepted: [],
    microblocks_streamed: [],
    microblock_tx_count: {},
  };
}

/** An item of `/extended/v2/blocks`, always canonical: a count instead of the transactions. */
export function blockItemJson(block: Block): unknown {
  return {
    ...headJson(block, true),
    parent_index_block_hash: block.parentIndexHash,
    ...burnJson(block),
    miner_txid: block.minerTxId,
    tx_count: block.txs.length,
    ...costJson(block.cost),
  };
}
