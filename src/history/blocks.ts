// The past of the collector `blocks`.
import { ApiError } from "../api/errors.ts";
import type { StacksApi } from "../api/operation.ts";
import { blocks } from "../collectors/blocks/blocks.ts";
import { blockFamilies, blockSamples } from "../collectors/blocks/families.ts";
import { blockList, readBlocks } from "../collectors/chain/block-source.ts";
import { type Block, type Chain, DIMENSIONS, extend, firstChain, isLinked } from "../collectors/chain/chain.ts";
import type { List, Page, Row } from "../collectors/feed/read.ts";
import { familiesNamed, type Past, type Replay, type Source } from "./past.ts";
import { pointAfter } from "./seek.ts";
import type { ReplayedRow } from "./spool.ts";
import { timedRows } from "./timed-rows.ts";

type Settings = ReturnType<typeof blocks.options.parse>;

interface BlockRow extends Row {
  readonly block: Block;
}

/** The blocks of a network, and the history of their metrics. */
export function pastOfBlocks(network: string, { tenure_limits: limits }: Settings): Past {
  const source: Source<BlockRow> = {
    name: "blocks",
    operation: blockList,
    list: blockRows,
    async seek(api, time) {
      const tip = (await readBlocks(api, 0))[0];
      if (tip?.time === undefined) return undefined;
      const pointAt = async (height: number) => {
        const block = (await readBlocks(api, tip.height - height))[0];
        return block?.time === undefined ? undefined : { height: block.height, at: block.time };
      };
      const point = await pointAfter(time, { height: tip.height, at: tip.time }, pointAt);
      return point && `${point.height} ${ANY} ${tip.height}`;
    },
    place: (items) =>
      timedRows(
        blockList,
        items.map(({ block }) => ({ height: block.height, index: 0, block })),
        ({ block }) => block.time,
        ({ block }) => ({ body: bodyOf(block) }),
      ),
  };
  return {
    collector: blocks.name,
    name: blocks.name,
    sources: [source],
    // The tenure at the start has to be known from its first block.
    lead: 3600,
    unknown: familiesNamed(blockFamilies, [
      "stacks_chain_reorgs_total",
      "stacks_chain_reorged_blocks_total",
      "stacks_chain_last_reorg_timestamp_seconds",
      "stacks_chain_last_reorg_depth_blocks",
      "stacks_chain_skipped_blocks_total",
      "stacks_chain_missing_blocks_total",
      "stacks_chain_microblocks_total",
      "stacks_chain_microblock_transactions",
      "stacks_chain_parent_microblock_sequence",
    ]),
    replay: (): Replay<Chain | undefined> => ({
      list: source.name,
      begin: (rows, at) => (rows.length === 0 ? undefined : firstChain(rows.map(toBlock), at * 1000)),
      advance(chain, rows, at) {
        if (rows.length === 0) return chain;
        const read = rows.map(toBlock);
        return chain === undefined ? firstChain(read, at * 1000) : extend(chain, read, at * 1000);
      },
      samples: (chain) => (chain === undefined ? [] : blockSamples(chain, limits, network)),
    }),
  };
}

// Stands for the hash of the first block that is read.
const ANY = "-";

// The chain can grow by more than a page between two requests, and servers behind one name can disagree.
const MAX_TRIES = 3;

/**
 * The list of blocks by height. The server pages it by offset, which new blocks shift: the offset of a height follows
 * from the tip as last seen. A cursor is the height and the hash of the next block, and that tip. Each page has to
 * continue the chain of the one before.
 */
function blockRows(api: StacksApi): List<BlockRow> {
  const pageOf = (blocks: readonly Block[], tip: number): Page<BlockRow> => {
    const oldest = blocks.at(-1);
    const isLast = oldest === undefined || oldest.height <= 1;
    return {
      rows: blocks.map((block) => ({ id: block.hash, hash: block.hash, block })),
      total: undefined,
      older: isLast ? undefined : `${oldest.height - 1} ${oldest.parentHash} ${tip}`,
      isLast,
      etag: undefined,
    };
  };
  return {
    operation: blockList.name,
    hasCursors: true,
    async page(_, cursor) {
      if (cursor === undefined) {
        const blocks = await readBlocks(api, 0);
        checkLinks(blocks);
        return pageOf(blocks, blocks[0]?.height ?? 0);
      }
      const [height, hash, lastTip] = cursor.split(" ");
      const top = Number(height);
      let tip = Number(lastTip);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const offset = Math.max(0, tip - top);
        const read = await readBlocks(api, offset);
        tip = (read[0]?.height ?? 0) + offset;
        const blocks = read.filter((block) => block.height <= top);
        if (blocks[0]?.height !== top) continue;
        checkLinks(blocks, hash === ANY ? undefined : hash);
        return pageOf(blocks, tip);
      }
      return undefined;
    },
    changedSince: async () => undefined,
  };
}

/** @param hash of the first one, if it is known. @throws ApiError `behind` */
function checkLinks(blocks: readonly Block[], hash = blocks[0]?.hash): void {
  if (isLinked(blocks.toReversed()) && blocks[0]?.hash === hash) return;
  throw new ApiError("behind", blockList.name, `the blocks below ${blocks[0]?.height} are not those of one chain`);
}

type Body = readonly [burnHeight: number, burnTime: number | null, transactions: number, ...cost: readonly number[]];

const bodyOf = ({ burnHeight, burnTime, transactions, cost }: Block): Body => [
  burnHeight,
  burnTime ?? null,
  transactions,
  ...DIMENSIONS.map((dimension) => cost[dimension]),
];

// The links were checked when the blocks were read: heights stand for the hashes, which are most of a block.
function toBlock({ time, height, body }: ReplayedRow): Block {
  const [burnHeight, burnTime, transactions, ...cost] = body as Body;
  return {
    height,
    hash: String(height),
    indexHash: undefined,
    parentHash: String(height - 1),
    time,
    burnHeight,
    burnTime: burnTime ?? undefined,
    transactions,
    cost: Object.fromEntries(DIMENSIONS.map((dimension, index) => [dimension, cost[index] ?? 0])) as Block["cost"],
    microblocks: undefined,
  };
}
