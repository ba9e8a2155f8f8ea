// A chain view with a tip and the given blocks.
import type { BlockHashes, ChainView } from "../../src/collectors/chain/chain-view.ts";

/** The view of a chain up to `tipHeight` of which only these blocks are known. */
export function chainOf(
  tipHeight: number,
  blocks: Iterable<readonly [height: number, block: Partial<BlockHashes>]> = [],
  seenAt = 0,
): ChainView {
  const known = new Map(
    [...blocks]
      .filter(([height]) => height <= tipHeight)
      .map(([height, { hash = `0xhash${height}`, indexHash }]) => [height, { hash, indexHash }]),
  );
  return {
    tipHeight,
    highest: tipHeight,
    tipAt: seenAt,
    seenAt,
    lowest: 1,
    use: undefined,
    blockAt: (height) => known.get(height),
    heightOf: (indexHash) => [...known].find(([, block]) => block.indexHash === indexHash)?.[0],
  };
}
