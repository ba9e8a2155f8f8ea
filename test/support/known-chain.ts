// A chain view with a tip and the given blocks.
import type { ChainView } from "../../src/chain/branch.ts";

/** The view of a chain up to `tipHeight` of which only these blocks are known. */
export function chainOf(
  tipHeight: number,
  blocks: Iterable<readonly [height: number, block: { readonly hash?: string; readonly indexHash?: string }]> = [],
  seenAt = 0,
): ChainView {
  const known = new Map(
    [...blocks]
      .filter(([height]) => height <= tipHeight)
      .map(([height, { hash = `0xhash${height}`, indexHash }]) => [height, { hash, indexHash }]),
  );
  return {
    tipHeight,
    tipAt: seenAt,
    seenAt,
    lowest: 1,
    isReplaced({ height, hash }) {
      const block = known.get(height);
      return block && block.hash !== hash && block.indexHash !== hash;
    },
  };
}
