// What the known blocks show: the tenures, and how much of the block space is used. Pure.
import { type Block, DIMENSIONS } from "../../chain/block-source.ts";

/** The tenures of linked blocks (consecutive ones with the same burn block) whose first block is known, ascending. */
export function tenures(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const starts = blocks.flatMap(({ burnHeight }, index) =>
    index > 0 && blocks[index - 1]?.burnHeight !== burnHeight ? [index] : [],
  );
  return starts.map((start, index) => blocks.slice(start, starts[index + 1]));
}

// The usual length of a tenure. In a shorter part of it, blocks can be full or empty by chance.
const TENURE_SECONDS = 600;
const MIN_SECONDS = TENURE_SECONDS / 2;

/**
 * The execution cost of the blocks of the last ten minutes divided by the limit of a tenure, in the fullest dimension.
 * Undefined if blocks of less than five minutes are known.
 */
export function recentUse(blocks: readonly Block[], limits: Block["cost"]): number | undefined {
  const until = blocks.at(-1)?.time;
  const first = blocks.find(({ time }) => time !== undefined && until !== undefined && time >= until - TENURE_SECONDS);
  if (first?.time === undefined || until === undefined || until - first.time < MIN_SECONDS) return undefined;
  const after = blocks.slice(blocks.indexOf(first) + 1);
  const shares = DIMENSIONS.map((dimension) => {
    return after.reduce((sum, { cost }) => sum + cost[dimension], 0) / limits[dimension];
  });
  return (Math.max(...shares) * TENURE_SECONDS) / (until - first.time);
}
