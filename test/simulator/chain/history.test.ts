// Replays recent changes of a chain, and checks how many blocks are kept.
import { expect, test } from "@jest/globals";
import type { Block } from "../../../simulator/chain/block.ts";
import type { Chain } from "../../../simulator/chain/chain.ts";
import { testChain } from "../support.ts";

// The canonical blocks at a moment.
function replay({ history }: Chain, moment: number): Block[] {
  const blocks = [...history.base];
  for (const { removed, added } of history.between(history.start, moment)) {
    blocks.splice(blocks.length - removed, removed);
    blocks.push(...added);
  }
  return blocks;
}

const hashes = (blocks: readonly Block[]) => blocks.map(({ hash }) => hash);

test.each([10, 5000])("every moment in the history can be replayed, with %d blocks kept", (keepBlocks) => {
  const chain = testChain({ keepBlocks });
  const seen = new Map<number, string[]>();
  for (let round = 0; round < 40; round += 1) {
    chain.advanceTo(chain.now + 13);
    if (round % 5 === 4) chain.reorg(1 + (round % 4));
    seen.set(chain.history.end, hashes(chain.ledger.blocks));
  }

  const oldest = chain.ledger.blocks[0]?.height ?? 0;
  const moments = [...seen].filter(([moment]) => moment > chain.history.start);
  expect(moments.length).toBeGreaterThan(3);
  for (const [moment, then] of moments) {
    const replayed = replay(chain, moment);
    expect(hashes(replayed)).toEqual(then.slice(then.length - replayed.length));
    expect(replayed.every(({ height }) => height >= oldest)).toBe(true);
  }
  expect(hashes(replay(chain, chain.history.end))).toEqual(hashes(chain.ledger.blocks));
});

test("the history keeps no more blocks than the ledger", () => {
  const chain = testChain({ keepBlocks: 20 });
  for (let round = 0; round < 200; round += 1) {
    chain.advanceTo(chain.now + 10);
    if (round % 3 === 0) chain.reorg(4);
    const { history } = chain;
    const added = history.between(history.start, history.end).reduce((sum, step) => sum + step.added.length, 0);
    expect(added).toBeLessThanOrEqual(20);
    expect(history.base.length).toBeLessThanOrEqual(20);
  }
});
