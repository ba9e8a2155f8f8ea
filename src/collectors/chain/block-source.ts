// The operations that tell of blocks, and how each answer becomes a Block.
import { z } from "zod";
import { type Operation, operation, type StacksApi } from "../../api/operation.ts";
import { orReplacement } from "../../api/replacement.ts";
import type { Block } from "./chain.ts";

const natural = z.int().nonnegative();

/** An identifier of a block or a transaction. It is kept in the state file, so its length is limited: 32 bytes in hexadecimal. */
export const hash = z.string().min(1).max(66);

const common = {
  canonical: z.boolean(),
  height: natural,
  hash,
  index_block_hash: hash.optional(),
  parent_block_hash: hash,
  block_time: z.int(),
  block_time_iso: z.string().optional(),
  burn_block_time: z.int(),
  burn_block_time_iso: z.string().optional(),
  burn_block_height: natural,
  execution_cost_read_count: natural,
  execution_cost_read_length: natural,
  execution_cost_runtime: natural,
  execution_cost_write_count: natural,
  execution_cost_write_length: natural,
};

// Only how many there are matters: the identifiers themselves are never looked at.
const many = z.array(z.unknown()).transform((items) => items.length);

const oldBlock = z.object({
  ...common,
  txs: many,
  microblocks_accepted: many,
  microblocks_streamed: many,
  microblock_tx_count: z.record(z.string(), natural),
  parent_microblock_sequence: z.int(),
});
const newBlock = z.object({ ...common, tx_count: natural });

type OldBlock = z.infer<typeof oldBlock>;
type NewBlock = z.infer<typeof newBlock>;

/** Operation 4.8. */
export const blockByHeight = operation({
  name: "block_by_height",
  replacement: { name: "block", lacks: "microblocks" },
  path: "/extended/v1/block/by_height/{height}",
  body: oldBlock,
});

/** Operation 4.7; also answers for blocks that are canonical no more. */
export const blockByHash = operation({
  name: "block_by_hash",
  replacement: { name: "block" },
  path: "/extended/v1/block/{hash}",
  body: z.object({ canonical: z.boolean() }),
});

/** Replacement of 4.7 and 4.8: the newest blocks, 30 at most. */
export const blockList = operation({
  name: "blocks",
  path: "/extended/v2/blocks",
  body: z.object({ results: z.array(newBlock) }),
  tipHeight: ({ results }, { offset = 0 }) => (offset === 0 ? results[0]?.height : undefined),
});

/** Replacement of 4.7 and 4.8, by hash or height: does not know blocks that are canonical no more. */
export const block = operation({
  name: "block",
  path: "/extended/v2/blocks/{id}",
  body: newBlock,
});

/** Where the chain ends, when the server offers it. The tip is missing while its database is empty or down. */
export const status = operation({
  name: "status",
  path: "/extended",
  body: z.object({ chain_tip: z.object({ block_height: natural }).optional() }),
  tipHeight: ({ chain_tip }) => chain_tip?.block_height,
});

/** Most blocks that one page of the list holds. */
export const PAGE = 30;

/** Every operation of this file. */
export const blockOperations = [blockList, blockByHeight, blockByHash, block, status];

// The unit of the integer times is stated nowhere, so the textual form beside them is the proof that they are seconds.
function checkedTime(
  seconds: number,
  iso: string | undefined,
  api: StacksApi,
  from: Operation,
  field: string,
): number | undefined {
  if (seconds < 0) return undefined;
  if (iso === undefined || iso === "" || Math.floor(Date.parse(iso) / 1000) === seconds) return seconds;
  api.noteDrift(from, field, "type");
  return undefined;
}

/** A block of either shape as it is kept. */
export function toBlock(body: OldBlock | NewBlock, api: StacksApi, from: Operation): Block {
  return {
    height: body.height,
    hash: body.hash,
    indexHash: body.index_block_hash,
    parentHash: body.parent_block_hash,
    time: checkedTime(body.block_time, body.block_time_iso, api, from, "block_time"),
    burnHeight: body.burn_block_height,
    burnTime: checkedTime(body.burn_block_time, body.burn_block_time_iso, api, from, "burn_block_time"),
    transactions: "tx_count" in body ? body.tx_count : body.txs,
    cost: {
      read_count: body.execution_cost_read_count,
      read_length: body.execution_cost_read_length,
      runtime: body.execution_cost_runtime,
      write_count: body.execution_cost_write_count,
      write_length: body.execution_cost_write_length,
    },
    microblocks:
      "tx_count" in body
        ? undefined
        : {
            accepted: body.microblocks_accepted,
            streamed: body.microblocks_streamed,
            transactions: Object.values(body.microblock_tx_count).reduce((sum, count) => sum + count, 0),
            // -1 says that there is no parent microblock.
            parentSequence: body.parent_microblock_sequence < 0 ? undefined : body.parent_microblock_sequence,
          },
  };
}

/** The canonical block at a height by the first of these operations that is offered; undefined when there is none. */
export async function readBlock(
  api: StacksApi,
  height: number,
  [first, second]: BlockOperations = [blockByHeight, block],
): Promise<Block | undefined> {
  return orReplacement(
    api,
    first,
    () => readBy(api, first, height),
    () => readBy(api, second, height),
  );
}

type BlockOperations = readonly [typeof block, typeof blockByHeight] | readonly [typeof blockByHeight, typeof block];

async function readBy(api: StacksApi, from: BlockOperations[number], height: number): Promise<Block | undefined> {
  const answer =
    from === block
      ? await api.find(block, { path: { id: height } })
      : await api.find(blockByHeight, { path: { height } });
  return answer?.body.canonical ? toBlock(answer.body, api, from) : undefined;
}
