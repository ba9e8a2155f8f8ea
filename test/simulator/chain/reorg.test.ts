// The effect of a reorganisation on each operation.
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Block } from "../../../simulator/chain/block.ts";
import { canonicalTransactions } from "../../../simulator/chain/expected-totals.ts";
import type { Reorg } from "../../../simulator/chain/reorg.ts";
import type { Simulator } from "../../../simulator/server.ts";
import { json, send, stillSimulator } from "../support.ts";

let simulator: Simulator;
let before: readonly Block[];
let reorg: Reorg;
beforeEach(async () => {
  simulator = await stillSimulator({ seed: "reorg" });
  before = [...simulator.chain.ledger.blocks];
  reorg = simulator.chain.reorg(8);
});
afterEach(() => simulator.close());

const get = (path: string) => send(simulator.url + path);

test("the heights stay, the hashes change, and the new blocks are linked", () => {
  const after = simulator.chain.ledger.blocks;

  expect(after.map(({ height }) => height)).toEqual(before.map(({ height }) => height));
  expect(after.slice(0, -8)).toEqual(before.slice(0, -8));
  for (const [at, block] of after.entries()) {
    if (at > 0) expect(block.parentHash).toBe(after[at - 1]?.hash);
    expect(simulator.chain.ledger.isCanonical(block)).toBe(true);
  }
  expect(reorg.orphaned.map(({ hash }) => hash)).toEqual(before.slice(-8).map(({ hash }) => hash));
});

test("each transaction of an orphan is either mined again or waits again", () => {
  const mined = [...canonicalTransactions(simulator.chain)].map(({ tx }) => tx.id);

  expect(new Set(mined).size).toBe(mined.length);
  expect(reorg.returned.length).toBeGreaterThan(0);
  for (const { txs } of reorg.orphaned) {
    for (const { id, origin } of txs) {
      if (origin === "protocol") continue;
      expect(Number(mined.includes(id)) + Number(simulator.chain.mempool.get(id) !== undefined)).toBe(1);
    }
  }
});

test("a request by hash returns an orphan without its transactions, one by height the canonical block", async () => {
  const [orphan, replacement] = [reorg.orphaned.at(-1), reorg.replaced.at(-1)];
  const byHash = await get(`/extended/v1/block/${orphan?.hash}`);
  const byHeight = await get(`/extended/v1/block/by_height/${orphan?.height}`);

  expect(byHash.status).toBe(200);
  expect(json(byHash)).toMatchObject({ hash: orphan?.hash, canonical: false, txs: [] });
  expect(json(byHeight)).toMatchObject({ hash: replacement?.hash, canonical: true });
});

test("the current block operation does not find orphans", async () => {
  const orphan = reorg.orphaned.at(-1);

  expect((await get(`/extended/v2/blocks/${orphan?.hash}`)).status).toBe(404);
  expect((await get(`/extended/v2/blocks/${orphan?.indexHash}`)).status).toBe(404);
  expect(json(await get(`/extended/v2/blocks/${orphan?.height}`))).toMatchObject({ hash: reorg.replaced.at(-1)?.hash });
});

test("the same transactions are mined again at the same places, and some of them fail without events", () => {
  const { chain } = simulator;
  const of = (blocks: readonly Block[]) => blocks.map(({ txs }) => txs.filter(({ origin }) => origin !== "protocol"));
  const { orphaned, replaced, returned } = chain.reorg(8, { places: "same", aborted: 0.5 });

  const [before, after] = [of(orphaned), of(replaced)];
  expect(after.map((txs) => txs.map(({ id }) => id))).toEqual(before.map((txs) => txs.map(({ id }) => id)));
  expect(replaced.map(({ txs }) => txs.length)).toEqual(orphaned.map(({ txs }) => txs.length));
  expect(returned).toEqual([]);
  const events = (blocks: typeof before) => blocks.flat().reduce((sum, tx) => sum + tx.events.length, 0);
  expect(events(after)).toBeGreaterThan(0);
  expect(events(after)).toBeLessThan(events(before));
  const aborted = after.flat().filter(({ status }) => status === "abort_by_response");
  expect(aborted.every((tx) => tx.events.length === 0)).toBe(true);
});
