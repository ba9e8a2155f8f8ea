// The known branch of the chain, how blocks from a server change it, and how the other collectors and a ledger see it.
// Pure.
import { ApiError } from "../api/errors.ts";
import type { Row, View } from "../ledger/ledger.ts";
import type { Block } from "./block-source.ts";

/** The newest blocks of one branch of the chain. Plain data. */
export interface Branch {
  /** Ascending, each the parent of the next one, at most 1,000, never empty. The last one is the tip. */
  readonly blocks: readonly Block[];
  /** Time when the tip was accepted. Unix time, milliseconds. */
  readonly acceptedAt: number;
  /** Blocks that others have replaced. A server that returns one as its tip is on an old fork. */
  readonly replaced: readonly Pick<Block, "height" | "hash">[];
}

/** What blocks from a server change. */
export interface Change {
  readonly branch: Branch;
  /** Blocks that are known for the first time, ascending. Those below the tip of a first poll are not. */
  readonly fresh: readonly Block[];
  /** Blocks that are replaced, ascending. */
  readonly orphaned: readonly Block[];
  /** Heights below the fresh blocks that are not read. */
  readonly unread: number;
}

/** Maximum number of known blocks: a tenure of two hours, and every plausible reorganisation. */
export const MAX_BLOCKS = 1000;

/** The tip of a branch. */
export const tipOf = ({ blocks }: Pick<Branch, "blocks">): Block => blocks[blocks.length - 1] as Block;

/** Height of the lowest known block. */
export const lowestOf = ({ blocks }: Pick<Branch, "blocks">): number => (blocks[0] as Block).height;

/** The known block at a height. */
export const blockAt = (branch: Pick<Branch, "blocks">, height: number): Block | undefined =>
  branch.blocks[height - lowestOf(branch)];

/** Whether each block is the parent of the next one. */
export const isLinked = (blocks: readonly Block[]): boolean =>
  blocks.every((block, index) => {
    const parent = blocks[index - 1];
    return parent === undefined || (parent.height + 1 === block.height && parent.hash === block.parentHash);
  });

const wasReplaced = ({ replaced }: Branch, { hash }: Pick<Block, "hash">): boolean =>
  replaced.some((block) => block.hash === hash);

/** A branch of linked blocks. `now` is Unix time in milliseconds, when its tip is accepted. */
export const branchOf = (blocks: readonly Block[], now: number, replaced: Branch["replaced"] = []): Branch => ({
  blocks: blocks.slice(-MAX_BLOCKS),
  acceptedAt: now,
  replaced: replaced.slice(-MAX_BLOCKS),
});

/** Height of the newest known block on the branch of these linked blocks; undefined if it may be below them. */
export function forkOf(branch: Branch, run: readonly Block[]): number | undefined {
  const shared = run.findLast(({ height, hash }) => blockAt(branch, height)?.hash === hash);
  const [first] = run;
  const parent = first && blockAt(branch, first.height - 1);
  return shared?.height ?? (parent !== undefined && parent.hash === first?.parentHash ? parent.height : undefined);
}

/**
 * The branch with linked blocks from a server.
 * @param fork height of the newest known block on the branch of the server. Undefined if these blocks are not connected
 *   to it: they become the branch, and what is known below them is dropped
 * @param now Unix time, milliseconds
 */
export function extended(branch: Branch, run: readonly Block[], fork: number | undefined, now: number): Change {
  const above = fork === undefined ? run : run.filter(({ height }) => height > fork);
  const [first] = above;
  // A server that is behind returns no block above. Only a block at the same height replaces a known one.
  if (first === undefined) return { branch, fresh: [], orphaned: [], unread: 0 };
  const kept = branch.blocks.filter(({ height }) => fork !== undefined && height <= fork);
  const orphaned = branch.blocks.filter(({ height }) => height >= first.height);
  const added = orphaned.filter((block) => !wasReplaced(branch, block)).map(({ height, hash }) => ({ height, hash }));
  return {
    branch: branchOf([...kept, ...above], now, [...branch.replaced, ...added]),
    // A replaced block that is canonical again has counted. Blocks below the known ones have counted, or were skipped.
    fresh: above.filter((block) => block.height >= lowestOf(branch) && !wasReplaced(branch, block)),
    orphaned,
    unread: Math.max(0, first.height - tipOf(branch).height - 1),
  };
}

/** The branch with linked blocks that end below its lowest one. */
export const deepened = (branch: Branch, older: readonly Block[]): Branch =>
  branchOf([...older, ...branch.blocks], branch.acceptedAt, branch.replaced);

// Blocks come in bursts.
const BURST = 30;

/** The most blocks by which a chain can grow. @param perMinute the setting `blocks_per_minute` */
export const mostBlocks = (milliseconds: number, perMinute: number): number =>
  Math.max(BURST, BURST + (milliseconds * perMinute) / 60_000);

/**
 * Refuses blocks that come too fast, connected to the known ones or not: at most 30, and those that can have been made
 * since the newest known one. A clock that is behind the chain only delays them.
 * @param now Unix time, milliseconds
 * @throws ApiError `bad_body`
 */
export function checkPace(branch: Branch, tip: Block, operation: string, perMinute: number, now: number): void {
  const newest = branch.blocks.reduce((latest, { time = 0 }) => Math.max(latest, time * 1000), 0) || branch.acceptedAt;
  const jump = tip.height - tipOf(branch).height;
  if (jump <= mostBlocks(now - Math.min(newest, branch.acceptedAt), perMinute)) return;
  const where = `the tip ${tip.height} is ${jump} blocks above the known tip`;
  throw new ApiError("bad_body", operation, `${where}, more than blocks_per_minute allows`);
}

// A server that is behind returns only older blocks. If its newest block is this much later than the known tip, but
// lower, the known tip is not on its chain. An invented tip is not later than its acceptance.
const LATER_SECONDS = 120;

/**
 * How the tip of a server relates to the known one. `behind`: it is a known block below it, or was replaced. `lower`:
 * it is on another branch, and not later. `later`: so much later that the known one is on no chain. Undefined: it may
 * be used.
 */
export function standing(branch: Branch, tip: Block): "behind" | "lower" | "later" | undefined {
  const known = tipOf(branch);
  if (tip.height > known.height || tip.hash === known.hash) return undefined;
  if (wasReplaced(branch, tip) || blockAt(branch, tip.height)?.hash === tip.hash) return "behind";
  if (tip.height === known.height) return undefined;
  const accepted = branch.acceptedAt / 1000;
  const isLater = tip.time !== undefined && tip.time > Math.min(known.time ?? accepted, accepted) + LATER_SECONDS;
  return isLater ? "later" : "lower";
}

/** The canonical chain of a network, as the collector `blocks` follows it. */
export interface ChainView {
  /** Height of the accepted tip. It falls only after a confirmed reorganisation. */
  readonly tipHeight: number;
  /** Time of the block at the tip, or when it was last requested if that is not known. Unix time, milliseconds. */
  readonly tipAt: number;
  /** Time when the tip was last requested. Later responses can be above it. Unix time, milliseconds. */
  readonly seenAt: number;
  /** Height from which on every block is known. */
  readonly lowest: number;
  /**
   * Whether another block is canonical at the height of this one, named by its hash or index hash. Undefined if none is
   * known there: it is above the tip, or below the known blocks.
   */
  isReplaced(block: Pick<Row, "height" | "hash">): boolean | undefined;
}

/** The view of a branch. */
export function chainView(branch: Branch, { seenAt }: Pick<ChainView, "seenAt">): ChainView {
  const { height: tipHeight, time } = tipOf(branch);
  return {
    tipHeight,
    tipAt: time === undefined ? seenAt : time * 1000,
    seenAt,
    lowest: lowestOf(branch),
    isReplaced({ height, hash }) {
      const block = blockAt(branch, height);
      return block && block.hash !== hash && block.indexHash !== hash;
    },
  };
}

/** The greatest height with this number of confirmations; the tip has one. */
export function depthOf({ tipHeight }: Pick<ChainView, "tipHeight">, confirmations: number): number {
  return tipHeight - confirmations + 1;
}

// Blocks below the tip that a fork can replace, at least.
const MIN_WINDOW = 16;
const WINDOWS = 8;
const windowOf = (confirmations: number): number => Math.max(MIN_WINDOW, WINDOWS * confirmations);

/** Number of newest blocks that must be known before anything counts: those without confirmations, and a window. */
export const neededBlocks = (confirmations: number): number =>
  Math.min(MAX_BLOCKS, confirmations + windowOf(confirmations));

/**
 * The view of a chain for a list that counts after some confirmations. Until the collector `blocks` knows enough
 * blocks, nothing has them, and nothing is forgotten.
 */
export function viewOf(chain: ChainView | undefined, confirmations: number): View {
  const unknown = { depth: -1, window: Number.POSITIVE_INFINITY };
  if (chain === undefined)
    return { ...unknown, tip: Number.MAX_SAFE_INTEGER, start: undefined, isReplaced: () => undefined };
  const start = depthOf(chain, confirmations);
  const isKnown = chain.lowest <= Math.max(1, chain.tipHeight - neededBlocks(confirmations) + 1);
  return {
    ...(isKnown ? { depth: start, window: windowOf(confirmations) } : unknown),
    tip: chain.tipHeight,
    start,
    isReplaced: chain.isReplaced,
  };
}
