// The tenures that the known blocks show. Pure.
import type { Block } from "../../chain/block-source.ts";

/** The tenures of linked blocks (consecutive ones with the same burn block) whose first block is known, ascending. */
export function tenures(blocks: readonly Block[]): readonly (readonly Block[])[] {
  const starts = blocks.flatMap(({ burnHeight }, index) =>
    index > 0 && blocks[index - 1]?.burnHeight !== burnHeight ? [index] : [],
  );
  return starts.map((start, index) => blocks.slice(start, starts[index + 1]));
}
