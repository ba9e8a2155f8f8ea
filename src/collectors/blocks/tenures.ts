// The tenures of the known blocks, and when the budget of each dimension was renewed. Pure.
import { type Block, DIMENSIONS, type Dimension } from "../../chain/block-source.ts";
import { type MinedTransaction, TENURE_CAUSES } from "../transactions/source.ts";

/** The tenures of linked blocks (consecutive ones with the same burn block) whose first block is known, ascending. */
export function tenures(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const starts = blocks.flatMap(({ burnHeight }, index) =>
    index > 0 && blocks[index - 1]?.burnHeight !== burnHeight ? [index] : [],
  );
  return starts.map((start, index) => blocks.slice(start, starts[index + 1]));
}

/** The height of the block that began the budget in force, by dimension. A dimension without a known one is absent. */
export type Renewals = Readonly<Partial<Record<Dimension, number>>>;

/**
 * The renewals up to a height. Nothing is known below a tenure change with an unknown cause.
 * @param rows newest first, without gaps
 */
export function renewalsOf(rows: readonly Pick<MinedTransaction, "height" | "cause">[], to: number): Renewals {
  const found: Partial<Record<Dimension, number>> = {};
  for (const { height, cause } of rows) {
    if (cause === undefined || height > to) continue;
    if (!(TENURE_CAUSES as readonly string[]).includes(cause)) break;
    const isWhole = cause === "block_found" || cause === "extended";
    for (const dimension of DIMENSIONS) if (isWhole || cause === `extended_${dimension}`) found[dimension] ??= height;
    if (isWhole) break;
  }
  return found;
}
