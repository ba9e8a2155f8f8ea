// Blocks: of the deprecated operations, and of the current ones.
import type { Block } from "../chain/block.ts";
import { costJson, iso, type Json } from "./values.ts";

const headJson = (block: Block, isCanonical: boolean): Json => ({
  canonical: isCanonical,
  height: block.height,
  hash: block.hash,
  block_time: block.time,
  block_time_iso: iso(block.time),
  tenure_height: block.tenureHeight,
  index_block_hash: block.indexHash,
  parent_block_hash: block.parentHash,
});

const burnJson = ({ burn, minerTxId }: Block): Json => ({
  burn_block_time: burn.time,
  burn_block_time_iso: iso(burn.time),
  burn_block_hash: burn.hash,
  burn_block_height: burn.height,
  miner_txid: minerTxId,
});

/** A block of the deprecated operations. An orphan lists no transactions. */
export function blockJson(block: Block, isCanonical: boolean): Json {
  return {
    ...headJson(block, isCanonical),
    ...burnJson(block),
    ...costJson(block.cost, "execution_cost_"),
    txs: isCanonical ? block.txs.map(({ id }) => id).reverse() : [],
    parent_microblock_hash: "",
    parent_microblock_sequence: -1,
    microblocks_accepted: [],
    microblocks_streamed: [],
    microblock_tx_count: {},
  };
}

/** A block of the current operations, always canonical: a count instead of the transactions. */
export function blockItemJson(block: Block): Json {
  return {
    ...headJson(block, true),
    parent_index_block_hash: block.parentIndexHash,
    ...burnJson(block),
    tx_count: block.txs.length,
    ...costJson(block.cost, "execution_cost_"),
  };
}
