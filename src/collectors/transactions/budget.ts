// Which transactions renew the budget of blocks, and when each dimension of it was renewed. Pure.
import { DIMENSIONS, type Dimension } from "../../chain/block-source.ts";
import type { MinedTransaction } from "./source.ts";

/** The causes of tenure changes, as the API names them. */
export const TENURE_CAUSES = [
  "block_found",
  "extended",
  "extended_runtime",
  "extended_read_count",
  "extended_read_length",
  "extended_write_count",
  "extended_write_length",
] as const;

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
