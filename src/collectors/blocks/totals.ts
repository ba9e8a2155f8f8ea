// The totals of blocks and reorganisations. Pure.
import { type Dimension, mapDimensions } from "../../chain/block-source.ts";
import type { Change } from "../../chain/branch.ts";

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
  /** Depth in blocks, and the time of detection. Unix time, seconds. */
  readonly lastReorg?: { readonly depth: number; readonly at: number } | undefined;
}

/** Totals before the first block is counted. */
export const NO_TOTALS: Totals = {
  blocks: 0,
  transactions: 0,
  cost: mapDimensions(() => 0),
  reorgs: 0,
  reorgedBlocks: 0,
  skipped: 0,
  missing: 0,
};

/**
 * The totals after a poll.
 * @param unread what the heights are that it has not read
 * @param now Unix time, milliseconds
 */
export function counted(
  before: Totals,
  change: Change | undefined,
  unread: "skipped" | "missing",
  now: number,
): Totals {
  if (change === undefined) return before;
  const { fresh, orphaned } = change;
  const isReorg = orphaned.length > 0;
  return {
    ...before,
    blocks: before.blocks + fresh.length,
    transactions: fresh.reduce((sum, { transactions }) => sum + transactions, before.transactions),
    cost: mapDimensions((dimension) => fresh.reduce((sum, { cost }) => sum + cost[dimension], before.cost[dimension])),
    reorgs: before.reorgs + (isReorg ? 1 : 0),
    reorgedBlocks: before.reorgedBlocks + orphaned.length,
    [unread]: before[unread] + change.unread,
    lastReorg: isReorg ? { depth: orphaned.length, at: now / 1000 } : before.lastReorg,
  };
}
