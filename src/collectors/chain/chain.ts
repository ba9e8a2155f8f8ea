// The known part of the chain, and how newly read blocks change it. Pure: no I/O, no metric.
import { emptyHistogram, type Histogram, observed } from "../counters.ts";

/** The five dimensions in which the chain limits a tenure. */
export const DIMENSIONS = ["read_count", "read_length", "runtime", "write_count", "write_length"] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const mapDimensions = (value: (dimension: Dimension) => number) =>
  Object.fromEntries(DIMENSIONS.map((dimension) => [dimension, value(dimension)])) as Record<Dimension, number>;

/** What is kept of a block. Times are Unix seconds, absent when the server does not know them. */
export interface Block {
  readonly height: number;
  readonly hash: string;
  /** Identifies the block on every fork; the server's validator of whatever follows the tip. Undefined in old state files. */
  readonly indexHash: string | undefined;
  readonly parentHash: string;
  readonly time: number | undefined;
  readonly burnHeight: number;
  readonly burnTime: number | undefined;
  readonly transactions: number;
  readonly cost: Readonly<Record<Dimension, number>>;
  /** Only told by the operations that list microblocks. */
  readonly microblocks:
    | {
        readonly accepted: number;
        readonly streamed: number;
        readonly transactions: number;
        readonly parentSequence: number | undefined;
      }
    | undefined;
}

/** Totals since the exporter began to follow the chain; they only grow. */
export interface Totals {
  readonly blocks: number;
  readonly transactions: number;
  /** Undefined until a block was counted whose source tells of microblocks. */
  readonly microblocks: { readonly accepted: number; readonly streamed: number } | undefined;
  /** Seconds between consecutive blocks. */
  readonly intervals: Histogram<number>;
  /** Transactions per block. */
  readonly sizes: Histogram<number>;
  readonly cost: Readonly<Record<Dimension, number>>;
  readonly reorgs: number;
  readonly reorgedBlocks: number;
  /** Blocks passed over because catching up is bounded. */
  readonly skipped: number;
  /** Heights below the tip that the server did not have. */
  readonly missing: number;
}

/** The canonical chain as far as it is known. */
export interface Chain {
  /** Ascending and without gap; the last one is the tip. Never empty. */
  readonly recent: readonly Block[];
  readonly totals: Totals;
  /** Depth in blocks, and when it was noticed. Unix time, seconds. */
  readonly lastReorg: { readonly depth: number; readonly at: number } | undefined;
  /** When the tip became the tip. Unix time, milliseconds. */
  readonly acceptedAt: number;
  /** Blocks that were replaced. A server that shows one of them is on the old fork, and none is counted again. */
  readonly replaced: readonly { readonly height: number; readonly hash: string }[];
}

/** Upper bounds of the block interval, seconds. Blocks come every few seconds since Nakamoto, every ten minutes before. */
export const INTERVAL_BOUNDS = [1, 2, 5, 10, 15, 20, 30, 60, 120, 300, 600, 1200, 3600] as const;
/** Upper bounds of the transactions per block. */
export const SIZE_BOUNDS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] as const;

// Enough for the longest tenure in sight (a burn block can take two hours) and for any reorg that is not a catastrophe.
const KEPT = 1000;

/** Totals before anything was counted. */
export const NOTHING: Totals = {
  blocks: 0,
  transactions: 0,
  microblocks: undefined,
  intervals: emptyHistogram(INTERVAL_BOUNDS, 0),
  sizes: emptyHistogram(SIZE_BOUNDS, 0),
  cost: mapDimensions(() => 0),
  reorgs: 0,
  reorgedBlocks: 0,
  skipped: 0,
  missing: 0,
};

/** The tip of a chain. */
export function tipOf(chain: Chain): Block {
  return chain.recent[chain.recent.length - 1] as Block;
}

/** Whether each block names the one before it as its parent, at the next height. */
export function isLinked(blocks: readonly Block[]): boolean {
  return blocks.every((block, index) => {
    const parent = blocks[index - 1];
    return parent === undefined || (parent.height + 1 === block.height && parent.hash === block.parentHash);
  });
}

/**
 * Where newly read blocks (ascending, linked) part from the known chain.
 * - `joins`: they share a block, or follow the tip; `abandoned` are the known blocks that are canonical no more.
 * - `apart`: nothing in common yet: older blocks are needed to tell.
 */
export function compare(
  chain: Chain,
  read: readonly Block[],
):
  | { readonly kind: "joins"; readonly abandoned: readonly Block[]; readonly fresh: readonly Block[] }
  | { readonly kind: "apart" } {
  const known = new Map(chain.recent.map((block) => [block.height, block]));
  const first = read[0];
  if (first === undefined) return { kind: "joins", abandoned: [], fresh: [] };
  let shared: number | undefined;
  for (const block of read) if (known.get(block.height)?.hash === block.hash) shared = block.height;
  if (shared === undefined && known.get(first.height - 1)?.hash === first.parentHash) shared = first.height - 1;
  if (shared === undefined) return { kind: "apart" };
  const ancestor = shared;
  const fresh = read.filter((block) => block.height > ancestor);
  // A server that is behind shows less than is known, and that is no reorg: only a block in place of another is.
  const abandoned = fresh.length === 0 ? [] : chain.recent.filter((block) => block.height > ancestor);
  return { kind: "joins", abandoned, fresh };
}

/** The chain at first sight: nothing is counted yet. `now` is Unix time in milliseconds. */
export function firstChain(recent: readonly Block[], now: number): Chain {
  return { recent: recent.slice(-KEPT), totals: NOTHING, lastReorg: undefined, acceptedAt: now, replaced: [] };
}

/** The chain after `abandoned` blocks were replaced by `fresh` ones; `now` is Unix time in milliseconds. */
export function extend(chain: Chain, abandoned: readonly Block[], fresh: readonly Block[], now: number): Chain {
  if (fresh.length === 0) return chain;
  const kept = chain.recent.slice(0, chain.recent.length - abandoned.length);
  return {
    recent: [...kept, ...fresh].slice(-KEPT),
    totals: withReorg(countedAll(chain, fresh, kept[kept.length - 1]), abandoned),
    lastReorg: reorgOf(abandoned, now) ?? chain.lastReorg,
    acceptedAt: now,
    replaced: replacedBy(chain, abandoned),
  };
}

/**
 * The chain that goes on with `read` when nothing joins the two: after a gap (what lies between is counted as skipped), or
 * after a reorganisation deeper than could be read back (of which at least the replaced blocks are counted).
 */
export function restart(chain: Chain, read: readonly Block[], now: number): Chain {
  const first = read[0];
  if (first === undefined) return chain;
  const abandoned = chain.recent.filter(({ height }) => height >= first.height);
  const totals = withReorg(countedAll(chain, read, undefined), abandoned);
  return {
    recent: read.slice(-KEPT),
    totals: { ...totals, skipped: totals.skipped + Math.max(0, first.height - tipOf(chain).height - 1) },
    lastReorg: reorgOf(abandoned, now) ?? chain.lastReorg,
    acceptedAt: now,
    replaced: replacedBy(chain, abandoned),
  };
}

/** Whether the block was replaced by another one, as far as is remembered. */
export function wasReplaced({ replaced }: Chain, { hash }: Pick<Block, "hash">): boolean {
  return replaced.some((block) => block.hash === hash);
}

function withReorg(totals: Totals, abandoned: readonly Block[]): Totals {
  if (abandoned.length === 0) return totals;
  return { ...totals, reorgs: totals.reorgs + 1, reorgedBlocks: totals.reorgedBlocks + abandoned.length };
}

function replacedBy({ replaced }: Chain, abandoned: readonly Block[]): Chain["replaced"] {
  const known = new Set(replaced.map(({ hash }) => hash));
  const added = abandoned.filter(({ hash }) => !known.has(hash)).map(({ height, hash }) => ({ height, hash }));
  return added.length === 0 ? replaced : [...replaced, ...added].slice(-KEPT);
}

function reorgOf(abandoned: readonly Block[], now: number): Chain["lastReorg"] {
  return abandoned.length === 0 ? undefined : { depth: abandoned.length, at: now / 1000 };
}

// A block that returns after it was replaced has been counted before.
function countedAll(chain: Chain, blocks: readonly Block[], before: Block | undefined): Totals {
  let totals = chain.totals;
  let parent = before;
  for (const block of blocks) {
    if (!wasReplaced(chain, block)) totals = counted(totals, block, parent);
    parent = block;
  }
  return totals;
}

function counted(totals: Totals, block: Block, parent: Block | undefined): Totals {
  const seconds = block.time === undefined || parent?.time === undefined ? undefined : block.time - parent.time;
  return {
    ...totals,
    blocks: totals.blocks + 1,
    transactions: totals.transactions + block.transactions,
    microblocks:
      block.microblocks === undefined
        ? totals.microblocks
        : {
            accepted: (totals.microblocks?.accepted ?? 0) + block.microblocks.accepted,
            streamed: (totals.microblocks?.streamed ?? 0) + block.microblocks.streamed,
          },
    // A block cannot be older than its parent: such a time is wrong, and a wrong interval is worse than none.
    intervals:
      seconds === undefined || seconds < 0 ? totals.intervals : observed(totals.intervals, INTERVAL_BOUNDS, seconds),
    sizes: observed(totals.sizes, SIZE_BOUNDS, block.transactions),
    cost: mapDimensions((dimension) => totals.cost[dimension] + block.cost[dimension]),
  };
}

/** The blocks of the current tenure (same burn block as the tip); absent when its first block is not known. */
export function currentTenure(chain: Chain): readonly Block[] | undefined {
  return tenure(chain, chain.recent.length - 1)?.blocks;
}

/** Number of blocks of the last tenure that is complete; absent when its first block is not known. */
export function lastTenureLength(chain: Chain): number | undefined {
  const current = tenure(chain, chain.recent.length - 1);
  return current === undefined ? undefined : tenure(chain, current.before)?.blocks.length;
}

function tenure(
  chain: Chain,
  last: number,
): { readonly blocks: readonly Block[]; readonly before: number } | undefined {
  const burnHeight = chain.recent[last]?.burnHeight;
  let before = last;
  while (before >= 0 && chain.recent[before]?.burnHeight === burnHeight) before -= 1;
  return before < 0 ? undefined : { blocks: chain.recent.slice(before + 1, last + 1), before };
}
