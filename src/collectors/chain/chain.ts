// The known part of the canonical chain, and how new blocks change it. Pure.

/** The five dimensions in which the chain limits a tenure. */
export const DIMENSIONS = ["read_count", "read_length", "runtime", "write_count", "write_length"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

/** A value for each dimension. */
export const mapDimensions = (value: (dimension: Dimension) => number) =>
  Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, value(dimension)])) as Record<Dimension, number>;

/** A block as the state file stores it. Times are Unix seconds, undefined if the server does not return a valid one. */
export interface Block {
  readonly height: number;
  readonly hash: string;
  /** Unique across forks. That of the tip is the validator (ETag) of many lists. Undefined in old state files. */
  readonly indexHash: string | undefined;
  readonly parentHash: string;
  readonly time: number | undefined;
  readonly burnHeight: number;
  readonly burnTime: number | undefined;
  readonly transactions: number;
  readonly cost: Readonly<Record<Dimension, number>>;
}

/** Totals since the first poll; they never decrease. */
export interface Totals {
  readonly blocks: number;
  readonly transactions: number;
  readonly cost: Readonly<Record<Dimension, number>>;
  readonly reorgs: number;
  readonly reorgedBlocks: number;
  /** Blocks that were not read, because a poll reads a limited number. */
  readonly skipped: number;
  /** Heights below the tip for which the server has no block. */
  readonly missing: number;
}

/** The known part of the canonical chain. */
export interface Chain {
  /** Ascending, without gaps, never empty; the last one is the tip. */
  readonly recent: readonly Block[];
  readonly totals: Totals;
  /** Depth in blocks, and the time of detection. Unix time, seconds. */
  readonly lastReorg: { readonly depth: number; readonly at: number } | undefined;
  /** Time when the tip was accepted. Unix time, milliseconds. */
  readonly acceptedAt: number;
  /** Orphaned blocks. They are not counted again, and a server that returns one as its tip is on an old fork. */
  readonly replaced: readonly { readonly height: number; readonly hash: string }[];
}

// Enough for a tenure of two hours, and for every plausible reorganisation.
const MAX_BLOCKS = 1000;

/** Totals before the first block is counted. */
const NO_TOTALS: Totals = {
  blocks: 0,
  transactions: 0,
  cost: mapDimensions(() => 0),
  reorgs: 0,
  reorgedBlocks: 0,
  skipped: 0,
  missing: 0,
};

/** The tip of a chain. */
export const tipOf = ({ recent }: Chain): Block => recent[recent.length - 1] as Block;

/** Whether each block is the parent of the next one. */
export function isLinked(blocks: readonly Block[]): boolean {
  return blocks.every((block, index) => {
    const parent = blocks[index - 1];
    return parent === undefined || (parent.height + 1 === block.height && parent.hash === block.parentHash);
  });
}

/** The relation of blocks from the server to the known chain. */
export interface Comparison {
  /** The blocks share a block with the known chain, or follow its tip. Otherwise older blocks are needed. */
  readonly isConnected: boolean;
  /** The known blocks that the new ones replace. */
  readonly orphaned: readonly Block[];
  /** The blocks that are not part of the known chain. */
  readonly fresh: readonly Block[];
}

/** Compares blocks from the server (ascending, linked) with the known chain. */
export function compare({ recent }: Chain, read: readonly Block[]): Comparison {
  const [first] = read;
  if (first === undefined) return { isConnected: true, orphaned: [], fresh: [] };
  const hashes = new Map(recent.map(({ height, hash }) => [height, hash]));
  const shared = read.findLast(({ height, hash }) => hashes.get(height) === hash)?.height;
  const isConnected = shared !== undefined || hashes.get(first.height - 1) === first.parentHash;
  const from = shared === undefined ? first.height : shared + 1;
  const fresh = read.filter(({ height }) => height >= from);
  // A server that is behind returns fewer blocks. Only a block at the same height replaces a known one.
  return { isConnected, orphaned: fresh.length === 0 ? [] : recent.filter(({ height }) => height >= from), fresh };
}

/** The chain after the first poll: nothing is counted yet. `now` is Unix time in milliseconds. */
export function firstChain(recent: readonly Block[], now: number): Chain {
  return { recent: recent.slice(-MAX_BLOCKS), totals: NO_TOTALS, lastReorg: undefined, acceptedAt: now, replaced: [] };
}

/**
 * The chain after blocks from the server (ascending, linked). If they are not connected to it, the blocks between were
 * skipped, or a reorganisation is deeper than the blocks that were read. `now` is Unix time in milliseconds.
 */
export function extend(chain: Chain, read: readonly Block[], now: number): Chain {
  const { isConnected, orphaned, fresh } = compare(chain, read);
  const [first] = fresh;
  if (first === undefined) return chain;
  const kept = isConnected ? chain.recent.slice(0, chain.recent.length - orphaned.length) : [];
  const totals = countAll(chain, fresh);
  const skipped = isConnected ? 0 : Math.max(0, first.height - tipOf(chain).height - 1);
  const isReorg = orphaned.length > 0;
  const added = orphaned.filter((block) => !wasReplaced(chain, block)).map(({ height, hash }) => ({ height, hash }));
  return {
    recent: [...kept, ...fresh].slice(-MAX_BLOCKS),
    totals: {
      ...totals,
      reorgs: totals.reorgs + (isReorg ? 1 : 0),
      reorgedBlocks: totals.reorgedBlocks + orphaned.length,
      skipped: totals.skipped + skipped,
    },
    lastReorg: isReorg ? { depth: orphaned.length, at: now / 1000 } : chain.lastReorg,
    acceptedAt: now,
    replaced: [...chain.replaced, ...added].slice(-MAX_BLOCKS),
  };
}

/** Whether the block is known to be orphaned. */
export function wasReplaced({ replaced }: Chain, { hash }: Pick<Block, "hash">): boolean {
  return replaced.some((block) => block.hash === hash);
}

function countAll(chain: Chain, blocks: readonly Block[]): Totals {
  // An orphaned block that is canonical again was counted before.
  return blocks.filter((block) => !wasReplaced(chain, block)).reduce(count, chain.totals);
}

function count(totals: Totals, block: Block): Totals {
  return {
    ...totals,
    blocks: totals.blocks + 1,
    transactions: totals.transactions + block.transactions,
    cost: mapDimensions((dimension) => totals.cost[dimension] + block.cost[dimension]),
  };
}

/** The tenures (consecutive blocks with the same burn block) whose first block is known, ascending. */
export function tenures({ recent }: Chain): readonly (readonly Block[])[] {
  const starts = recent.flatMap(({ burnHeight }, index) =>
    index > 0 && recent[index - 1]?.burnHeight !== burnHeight ? [index] : [],
  );
  return starts.map((start, index) => recent.slice(start, starts[index + 1]));
}

// The usual length of a tenure. In a shorter part of it, blocks can be full or empty by chance.
const TENURE_SECONDS = 600;
const MIN_SECONDS = TENURE_SECONDS / 2;

/**
 * The execution cost of the blocks of the last ten minutes divided by the limit of a tenure, in the fullest dimension.
 * Undefined if blocks of less than five minutes are known.
 */
export function recentUse({ recent }: Pick<Chain, "recent">, limits: Block["cost"]): number | undefined {
  const until = recent.at(-1)?.time;
  const first = recent.find(({ time }) => time !== undefined && until !== undefined && time >= until - TENURE_SECONDS);
  if (first?.time === undefined || until === undefined || until - first.time < MIN_SECONDS) return undefined;
  const after = recent.slice(recent.indexOf(first) + 1);
  const shares = DIMENSIONS.map((dimension) => {
    return after.reduce((sum, { cost }) => sum + cost[dimension], 0) / limits[dimension];
  });
  return (Math.max(...shares) * TENURE_SECONDS) / (until - first.time);
}
