// The operations that return blocks, and the conversion of a response to a Block.
import { z } from "zod";
import { ApiError } from "../api/errors.ts";
import { type ApiResponse, operation, orReplacement, type StacksApi } from "../api/operation.ts";

/** The five dimensions in which the chain limits a tenure. */
export const DIMENSIONS = ["read_count", "read_length", "runtime", "write_count", "write_length"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** Limits of the execution cost between two renewals, in the units of each dimension. */
export type TenureLimits = Readonly<Record<Dimension, number>>;

/** Those of Epoch 4.0. */
export const EPOCH_4_LIMITS: TenureLimits = {
  read_count: 30_000,
  read_length: 200_000_000,
  runtime: 5_000_000_000,
  write_count: 15_000,
  write_length: 15_000_000,
};

/** A value for each dimension. */
export const mapDimensions = <Value>(value: (dimension: Dimension) => Value) =>
  Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, value(dimension)])) as Record<Dimension, Value>;

/** A block as the state file stores it. Times are Unix seconds, undefined if the server does not return a valid one. */
export interface Block {
  readonly height: number;
  readonly hash: string;
  /** Unique across forks. That of the tip is the validator (ETag) of many lists. Undefined if it is not returned. */
  readonly indexHash: string | undefined;
  readonly parentHash: string;
  readonly time: number | undefined;
  readonly burnHeight: number;
  readonly burnTime: number | undefined;
  readonly transactions: number;
  readonly cost: Readonly<Record<Dimension, number>>;
}

// The server stores heights in 32 bits.
const natural = z.int32().nonnegative();
// Ten times what fits into a block, so that no total loses increments.
const transactions = natural.max(100_000);
// Twenty times the limit of a tenure.
const cost = z.int().nonnegative().max(1e11);

/** Identifier of a block or a transaction: 32 bytes in hexadecimal. It is limited because the state file stores it. */
export const hash = z.string().regex(/^\w{1,66}$/);

/** Execution cost of a block or a transaction. */
export const executionCost = Object.fromEntries(
  DIMENSIONS.map((dimension) => [`execution_cost_${dimension}`, cost]),
) as Record<`execution_cost_${Dimension}`, typeof cost>;

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
  ...executionCost,
};

// The identifiers themselves are not used.
const count = z.array(z.unknown()).transform((items) => items.length);

const oldBlock = z.object({ ...common, txs: count });
const newBlock = z.object({ ...common, tx_count: transactions });
type BlockBody = z.infer<typeof oldBlock> | z.infer<typeof newBlock>;

/** A block by its height. */
export const blockByHeight = operation({
  name: "block_by_height",
  replacement: "block",
  path: "/extended/v1/block/by_height/{height}",
  body: oldBlock,
});

/** A block by its hash. Also returns orphaned blocks. */
const blockByHash = operation({
  name: "block_by_hash",
  replacement: "block",
  path: "/extended/v1/block/{hash}",
  body: z.object({ canonical: z.boolean() }),
});

/**
 * The newest blocks, at most 30 per page. Replaces requests of single blocks. The server refuses offsets above 300; a
 * cursor has no limit.
 */
export const blockList = operation({
  name: "blocks",
  path: "/extended/v2/blocks",
  body: z.object({ results: z.array(newBlock) }),
  tipHeight: ({ results }, { offset, cursor }) => ((offset ?? cursor) === undefined ? results[0]?.height : undefined),
});

/** Replacement of both, by hash or height. Does not return orphaned blocks. */
export const block = operation({
  name: "block",
  path: "/extended/v2/blocks/{id}",
  body: newBlock,
});

/** The height of the tip, if the server returns it: not while its database is empty or down. */
export const status = operation({
  name: "status",
  path: "/extended",
  body: z.object({ chain_tip: z.object({ block_height: natural }).optional() }),
  tipHeight: ({ chain_tip }) => chain_tip?.block_height,
});

/** Maximum number of blocks on one page of the list. */
export const PAGE = 30;

type BlockOperation = typeof blockList | typeof blockByHeight | typeof block;

/** Every operation of this file. */
export const blockOperations = [blockList, blockByHeight, blockByHash, block, status];

type ResponseTimes = Pick<ApiResponse<unknown>, "receivedAt" | "servedAt">;

// Signers accept blocks that are dated 15 seconds ahead.
const MAX_AHEAD_MS = 120_000;

/**
 * Converts a block of either form.
 * @throws ApiError `bad_body` if it is dated after both the time of the server and the clock of this machine
 */
function toBlock(body: BlockBody, response: ResponseTimes, api: StacksApi, from: BlockOperation): Block {
  // The API does not document the unit of the integer times. The textual form proves that they are seconds.
  const timeOf = (field: "block_time" | "burn_block_time"): number | undefined => {
    const seconds = body[field];
    const iso = body[`${field}_iso`];
    if (seconds < 0) return undefined;
    if (iso === undefined || iso === "" || Math.floor(Date.parse(iso) / 1000) === seconds) return seconds;
    api.noteDrift(from, field, "type");
    return undefined;
  };
  const time = timeOf("block_time");
  const latest = Math.max(response.receivedAt, response.servedAt ?? response.receivedAt) + MAX_AHEAD_MS;
  if (time !== undefined && time * 1000 > latest)
    throw new ApiError("bad_body", from.name, `block ${body.height} is dated ${time - latest / 1000} s too late`);
  return {
    height: body.height,
    hash: body.hash,
    indexHash: body.index_block_hash,
    parentHash: body.parent_block_hash,
    time,
    burnHeight: body.burn_block_height,
    burnTime: timeOf("burn_block_time"),
    transactions: "tx_count" in body ? body.tx_count : body.txs,
    cost: mapDimensions((dimension) => body[`execution_cost_${dimension}`]),
  };
}

/** The place of a page in the list: `cursor` is the index hash of its newest block, `offset` the blocks above it. */
export type BlockPlace = { readonly cursor: string } | { readonly offset: number };

/**
 * The canonical blocks of one page of the list, ascending; undefined if the server does not have the block of the
 * cursor.
 */
export async function readBlocks(api: StacksApi, place?: BlockPlace): Promise<readonly Block[] | undefined> {
  const parameters = { path: {}, query: { limit: PAGE, ...place } };
  const response = await (place === undefined ? api.get(blockList, parameters) : api.find(blockList, parameters));
  const canonical = response?.body.results.filter((body) => body.canonical);
  return response && canonical?.map((body) => toBlock(body, response, api, blockList)).reverse();
}

/** The canonical block at a height; undefined if there is none. */
export async function readBlock(api: StacksApi, height: number): Promise<Block | undefined> {
  const canonical = (response: ApiResponse<BlockBody> | undefined, from: BlockOperation) =>
    response?.body.canonical ? toBlock(response.body, response, api, from) : undefined;
  return orReplacement(
    api,
    blockByHeight,
    async () => canonical(await api.find(blockByHeight, { path: { height } }), blockByHeight),
    async () => canonical(await api.find(block, { path: { id: height } }), block),
  );
}

/**
 * Whether the server no longer reports a block as canonical. Servers behind one address can disagree for a moment: a
 * reorganisation is confirmed only when the block that it replaces is orphaned.
 */
export async function isOrphaned(api: StacksApi, { hash }: Pick<Block, "hash">): Promise<boolean> {
  const isCanonical = await orReplacement(
    api,
    blockByHash,
    async () => (await api.find(blockByHash, { path: { hash } }))?.body.canonical,
    async () => (await api.find(block, { path: { id: hash } }))?.body.canonical,
  );
  return isCanonical !== true;
}
